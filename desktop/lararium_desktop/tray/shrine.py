"""The shape of the icon: a household shrine with a flame where the god stands.

Coordinates are those of the drawing, 32 units wide, and 16 for the redrawn small grid. Pure
geometry: a shape draws itself white on a mask, `icons.py` gives it a colour.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

Point = tuple[float, float]

SMOOTHING = 8
"""Masks are drawn so many times larger, then made smaller: Pillow draws no soft edges itself."""
CURVE_STEPS = 16

FLAME_CENTRE: Point = (16.0, 21.7)
FLAME_RADIUS = 4.4
_FLAME_START: Point = (16.1, 14.2)
_FLAME_RIGHT = ((19.1, 17.2), (20.4, 19.4), (20.4, 21.7))
_FLAME_LEFT = (
    ((11.6, 20.2), (12.3, 18.9), (13.3, 17.8)),
    ((13.7, 18.7), (14.2, 19.3), (14.8, 19.7)),
    ((14.9, 17.6), (15.4, 15.9), _FLAME_START),
)


@dataclass(frozen=True)
class Grid:
    """One drawing of the shrine; lines are round at their ends and corners."""

    units: float
    pediment: tuple[Point, Point, Point]
    pediment_stroke: float
    posts: tuple[float, float]
    post_span: tuple[float, float]
    post_width: float
    base: tuple[Point, Point]
    base_width: float
    flame_stroke: float
    """Of the outlined flame; it lies inside the shape."""


LARGE = Grid(
    units=32,
    pediment=((16, 4.4), (28.4, 11.2), (3.6, 11.2)),
    pediment_stroke=2.4,
    posts=(6.4, 25.6),
    post_span=(16, 24.6),
    post_width=3,
    base=((4, 28.6), (28, 28.6)),
    base_width=2.8,
    flame_stroke=1.9,
)
SMALL = Grid(
    units=16,
    pediment=((8, 1.9), (14.2, 5.3), (1.8, 5.3)),
    pediment_stroke=1.5,
    posts=(3.25, 12.75),
    post_span=(8.25, 12),
    post_width=1.5,
    base=((2, 14.5), (14, 14.5)),
    base_width=1.5,
    flame_stroke=1.0,
)


class Mask:
    """A canvas of one grid, on which shapes are drawn in units and cut out again."""

    def __init__(self, grid: Grid, size: int) -> None:
        """`size` is in pixels of the finished picture."""
        self._scale = size * SMOOTHING / grid.units
        self.image = Image.new("L", (size * SMOOTHING, size * SMOOTHING), 0)
        self._draw = ImageDraw.Draw(self.image)

    def polygon(self, points: Sequence[Point], ink: int = 255) -> None:
        """Fill a polygon."""
        self._draw.polygon([self._at(point) for point in points], fill=ink)

    def disc(self, centre: Point, radius: float, ink: int = 255) -> None:
        """Fill a circle."""
        (x, y), r = self._at(centre), radius * self._scale
        self._draw.ellipse((x - r, y - r, x + r, y + r), fill=ink)

    def stroke(self, points: Sequence[Point], width: float, ink: int = 255) -> None:
        """Draw a line through the points, round at its ends and corners."""
        corners = [self._at(point) for point in points]
        self._draw.line(corners, fill=ink, width=max(1, round(width * self._scale)))
        for point in points:
            self.disc(point, width / 2, ink)

    def finished(self) -> Image.Image:
        """Give the mask at its true size, with soft edges."""
        return self.image.reduce(SMOOTHING)

    def _at(self, point: Point) -> Point:
        return (point[0] * self._scale, point[1] * self._scale)


def draw_house(mask: Mask, grid: Grid) -> None:
    """Draw pediment, posts and base."""
    mask.polygon(grid.pediment)
    mask.stroke((*grid.pediment, grid.pediment[0]), grid.pediment_stroke)
    top, bottom = grid.post_span
    for x in grid.posts:
        mask.stroke(((x, top), (x, bottom)), grid.post_width)
    mask.stroke(grid.base, grid.base_width)


def draw_flame(mask: Mask, grid: Grid, *, lit: bool) -> None:
    """Draw the flame, full when it is lit, else its outline."""
    points = _flame(grid)
    mask.polygon(points)
    if lit:
        return
    hollow = Image.new("L", mask.image.size, 0)
    inside = Mask(grid, mask.image.size[0] // SMOOTHING)
    inside.polygon(points)
    inside.stroke((*points, points[0]), 2 * grid.flame_stroke, ink=0)
    mask.image.paste(hollow, mask=inside.image)


def draw_bars(mask: Mask, grid: Grid) -> None:
    """Draw the two bars that stand for *paused* in the flame's place."""
    unit = grid.units / 32
    for x in (13.6, 18.4):
        mask.stroke(((x * unit, 17.2 * unit), (x * unit, 24.2 * unit)), 2.8 * unit)


def _flame(grid: Grid) -> list[Point]:
    scale = grid.units / 32
    return [(x * scale, y * scale) for x, y in _flame_points()]


def _flame_points() -> Iterator[Point]:
    yield from _curve(_FLAME_START, *_FLAME_RIGHT)
    for step in range(1, 2 * CURVE_STEPS):
        angle = math.pi * step / (2 * CURVE_STEPS)
        yield (
            FLAME_CENTRE[0] + FLAME_RADIUS * math.cos(angle),
            FLAME_CENTRE[1] + FLAME_RADIUS * math.sin(angle),
        )
    start = (FLAME_CENTRE[0] - FLAME_RADIUS, FLAME_CENTRE[1])
    for first, second, end in _FLAME_LEFT:
        yield from _curve(start, first, second, end)
        start = end


def _curve(start: Point, first: Point, second: Point, end: Point) -> Iterator[Point]:
    """Walk a cubic Bézier curve, both ends included."""
    for step in range(CURVE_STEPS + 1):
        t = step / CURVE_STEPS
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        points = (start, first, second, end)
        yield (
            sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
            sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
        )
