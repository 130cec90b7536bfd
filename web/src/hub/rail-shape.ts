/** How the projects are shown: with their names, as a column of tiles, or as a row of tiles at the bottom. */
export type RailShape = "wide" | "narrow" | "bottom";
