/** A project's own colour: the hue from its id, lightness and chroma the same for all. */

/** Hues that no state uses are not worth the loss: a tile's colour says which, never what. */
export function hueOf(id: string): number {
  const number = Number.parseInt(id.slice(0, 6), 16);
  return Number.isNaN(number) ? 0 : Math.round((number % 3600) / 10);
}

/** The two colours of a tile, for light and dark. */
export function tileColours(id: string, quiet: boolean): { backgroundColor: string; color: string } {
  const hue = hueOf(id);
  const chroma = quiet ? 0.008 : 0.055;
  return {
    backgroundColor: `light-dark(oklch(0.885 ${chroma} ${hue}), oklch(0.3 ${chroma} ${hue}))`,
    color: `light-dark(oklch(0.36 ${chroma * 1.3} ${hue}), oklch(0.84 ${chroma} ${hue}))`,
  };
}

/** Two letters for a tile: of a name's first word, the first one large. */
export function initialsOf(name: string): string {
  const letters = Array.from(name.replace(/^[^\p{L}\p{N}]+/u, "")).slice(0, 2);
  const [first = "?", second = ""] = letters;
  return first.toLocaleUpperCase() + second.toLocaleLowerCase();
}
