"""The tray icon in its variants, drawn when they are needed. Pure: a face in, a picture out.

Idle is grey with an outlined flame, running is full and lit, *needs you* has an ember flame and a
count cut out at the top right (a dot where a digit would not be read), an error a cinnabar
triangle, paused two bars. Nothing moves. On macOS the system colours a black template by itself,
and the count stands as text beside it.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from PIL import Image, ImageDraw, ImageFont

from lararium_desktop.tray.shrine import (
    LARGE,
    SMALL,
    SMOOTHING,
    Grid,
    Mask,
    Point,
    draw_bars,
    draw_flame,
    draw_house,
)

FaceKind = Literal["idle", "running", "needs_you", "error", "paused"]
Theme = Literal["dark", "light", "template"]
"""Of the panel on which the icon stands; `template` is macOS."""

SMALL_BELOW = 22
"""Pixels; smaller icons use the redrawn grid, and a dot instead of a count."""
HIGHEST_COUNT = 9

BADGE: Point = (23.6, 8.4)
BADGE_RADIUS = 7.9
DOT: Point = (12.2, 3.8)
DOT_RADIUS = 3.2
_GAP = 1.6
"""Units of 32 between a mark at the top right and the shrine, from which it is cut."""
_TRIANGLE: tuple[Point, Point, Point] = ((24.2, 2.2), (30.6, 14), (17.8, 14))
_SMALL_TRIANGLE: tuple[Point, Point, Point] = ((12.2, 1), (15.3, 6.6), (9.1, 6.6))


@dataclass(frozen=True)
class Face:
    """What the icon says."""

    kind: FaceKind
    count: int = 0
    """Of what waits for the person; shown for `needs_you` alone."""

    @property
    def badge(self) -> str:
        """The count in at most two characters; "" when there is none to show."""
        if self.kind != "needs_you" or self.count < 1:
            return ""
        return str(self.count) if self.count <= HIGHEST_COUNT else f"{HIGHEST_COUNT}+"

    @property
    def name(self) -> str:
        """A name for the picture's file: equal faces look equal."""
        return f"{self.kind}-{self.badge}".rstrip("-").replace("+", "-more")


@dataclass(frozen=True)
class _Palette:
    full: str
    grey: str
    ember: str
    on_ember: str
    bad: str


_PALETTES: dict[Theme, _Palette] = {
    "dark": _Palette("#ffffff", "#8f9298", "#f79d45", "#251002", "#ff8a7a"),
    "light": _Palette("#1c1917", "#85807a", "#d97218", "#2c1302", "#c22f24"),
    "template": _Palette("#000000", "#000000", "#000000", "#000000", "#000000"),
}


@lru_cache(maxsize=64)
def variant(face: Face, size: int, theme: Theme) -> Image.Image:
    """Draw the icon, `size` pixels wide, on nothing. The picture is shared: do not draw on it."""
    grid = SMALL if size < SMALL_BELOW else LARGE
    colours = _PALETTES[theme]
    picture = Image.new("RGBA", (size, size), (0, 0, 0, 0))
    house = Mask(grid, size)
    draw_house(house, grid)
    heart = Mask(grid, size)
    _draw_heart(heart, grid, face)
    mark = None if theme == "template" and face.kind == "needs_you" else _mark(face, grid, size)
    if mark is not None:
        for mask in (house, heart):
            mask.image.paste(0, mask=mark.cut.image)
    quiet = face.kind in {"idle", "paused"}
    _lay(picture, house, colours.grey if quiet else colours.full)
    _lay(picture, heart, _heart_colour(face, colours))
    if mark is not None:
        _lay(picture, mark.shape, colours.ember if face.kind == "needs_you" else colours.bad)
        if grid is LARGE and face.badge:
            _write_badge(picture, face.badge, colours.on_ember)
    return picture


@dataclass(frozen=True)
class _Mark:
    shape: Mask
    cut: Mask
    """The shape with the gap around it."""


def _draw_heart(mask: Mask, grid: Grid, face: Face) -> None:
    if face.kind == "paused":
        draw_bars(mask, grid)
    else:
        draw_flame(mask, grid, lit=face.kind in {"running", "needs_you"})


def _heart_colour(face: Face, colours: _Palette) -> str:
    match face.kind:
        case "needs_you":
            return colours.ember
        case "idle":
            return colours.grey
        case _:
            return colours.full


def _mark(face: Face, grid: Grid, size: int) -> _Mark | None:
    """Draw what stands at the top right, and the room it takes from the shrine."""
    gap = _GAP * grid.units / 32
    shape, cut = Mask(grid, size), Mask(grid, size)
    if face.kind == "needs_you":
        large = grid is LARGE
        centre, radius = (BADGE, BADGE_RADIUS) if large else (DOT, DOT_RADIUS)
        shape.disc(centre, radius)
        cut.disc(centre, radius + gap)
        return _Mark(shape, cut)
    if face.kind == "error":
        corners = _TRIANGLE if grid is LARGE else _SMALL_TRIANGLE
        rounding = grid.units / 32 * 1.6
        for mask, stroke in ((shape, rounding), (cut, rounding + 2 * gap)):
            mask.polygon(corners)
            mask.stroke((*corners, corners[0]), stroke)
        return _Mark(shape, cut)
    return None


def _lay(picture: Image.Image, mask: Mask, colour: str) -> None:
    layer = Image.new("RGBA", picture.size, colour)
    layer.putalpha(mask.finished())
    picture.alpha_composite(layer)


def _write_badge(picture: Image.Image, text: str, colour: str) -> None:
    """Write the count into its disc, bold: a thin digit is lost in a tray."""
    scale = picture.size[0] * SMOOTHING / LARGE.units
    large = Image.new("L", (picture.width * SMOOTHING, picture.height * SMOOTHING), 0)
    height = 12.0 if len(text) == 1 else 10.0
    ImageDraw.Draw(large).text(
        (BADGE[0] * scale, BADGE[1] * scale),
        text,
        fill=255,
        font=ImageFont.load_default(height * scale),
        anchor="mm",
        stroke_width=0.45 * scale,
    )
    layer = Image.new("RGBA", picture.size, colour)
    layer.putalpha(large.reduce(SMOOTHING))
    picture.alpha_composite(layer)
