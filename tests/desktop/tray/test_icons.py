"""Each variant of the tray icon shows its state by shape, at every size and on every panel."""

from typing import get_args

import pytest
from PIL import Image

from lararium_desktop.tray.icons import Face, FaceKind, Theme, variant

SIZES = (16, 20, 22, 24, 32, 48, 64)
EMBER = (0xF7, 0x9D, 0x45)
CINNABAR = (0xFF, 0x8A, 0x7A)
GREY = (0x8F, 0x92, 0x98)
WHITE = (0xFF, 0xFF, 0xFF)
BLACK = (0, 0, 0)

PEDIMENT = (16, 8)
POST = (6.4, 20)
BASE = (16, 28.6)
FLAME = (15.5, 22.5)
FLAME_EDGE = (15.5, 25.3)
BETWEEN_POST_AND_FLAME = (9.6, 22)
LEFT_BAR, RIGHT_BAR, BETWEEN_BARS = (13.6, 20), (18.4, 20), (16, 20)


def at(picture: Image.Image, point: tuple[float, float]) -> tuple[int, int, int, int]:
    """Give the pixel at a point of the 32-unit drawing."""
    scale = picture.width / 32
    found = picture.getpixel((int(point[0] * scale), int(point[1] * scale)))
    assert isinstance(found, tuple)
    red, green, blue, alpha = found
    return (red, green, blue, alpha)


def solid(colour: tuple[int, int, int]) -> tuple[int, int, int, int]:
    return (*colour, 255)


def colours(picture: Image.Image, box: tuple[int, int, int, int] | None = None) -> set[object]:
    """Give the colours of the opaque pixels in a part of the picture."""
    part = picture.crop(box) if box else picture
    counted = part.getcolors(maxcolors=1 << 16)
    assert counted is not None
    return {pixel[:3] for _, pixel in counted if isinstance(pixel, tuple) and pixel[3] == 255}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kind", get_args(FaceKind))
def test_every_variant_fills_its_square_and_leaves_the_corners_clear(kind: FaceKind, size: int):
    picture = variant(Face(kind, 3), size, "dark")
    assert (picture.size, picture.mode) == ((size, size), "RGBA")
    assert at(picture, BASE)[3] > 128
    for corner in ((0, 0), (0, size - 1)):
        assert picture.getpixel(corner) == (0, 0, 0, 0)


def test_idle_is_grey_with_a_hollow_flame():
    picture = variant(Face("idle"), 64, "dark")
    for point in (PEDIMENT, POST, BASE, FLAME_EDGE):
        assert at(picture, point) == solid(GREY)
    assert at(picture, FLAME)[3] == 0
    assert at(picture, BETWEEN_POST_AND_FLAME)[3] == 0


def test_running_is_full_and_lit():
    picture = variant(Face("running"), 64, "dark")
    for point in (PEDIMENT, POST, BASE, FLAME, FLAME_EDGE):
        assert at(picture, point) == solid(WHITE)


def test_on_a_light_panel_the_shrine_is_dark():
    assert at(variant(Face("running"), 64, "light"), POST) == solid((0x1C, 0x19, 0x17))


def test_ember_appears_only_where_a_person_is_awaited():
    for kind in get_args(FaceKind):
        found = colours(variant(Face(kind, 3), 64, "dark"))
        assert (EMBER in found) == (kind == "needs_you")


def test_needs_you_has_an_ember_flame_and_a_badge_with_a_clear_ring_around_it():
    picture = variant(Face("needs_you", 3), 64, "dark")
    assert at(picture, FLAME) == solid(EMBER)
    assert at(picture, (23.6, 1.5)) == solid(EMBER)
    assert at(picture, (14.9, 8.4))[3] == 0, "the ring is cut out of the pediment"
    assert at(picture, (11, 9.5)) == solid(WHITE)


def test_the_badge_shows_another_picture_for_each_count_up_to_nine_and_one_beyond():
    badge = (32, 0, 64, 32)
    seen = [
        variant(Face("needs_you", count), 64, "dark").crop(badge).tobytes()
        for count in range(1, 15)
    ]
    assert len(set(seen[:9])) == 9
    assert set(seen[9:]) == {seen[9]}
    assert seen[9] not in seen[:9]


@pytest.mark.parametrize(("count", "text"), [(0, ""), (1, "1"), (9, "9"), (10, "9+"), (4000, "9+")])
def test_a_badge_has_at_most_two_characters(count: int, text: str):
    assert Face("needs_you", count).badge == text


def test_only_what_waits_is_counted():
    assert Face("running", 3).badge == ""


def test_at_sixteen_pixels_the_count_is_a_plain_dot():
    one, many = (variant(Face("needs_you", count), 16, "dark") for count in (1, 12))
    assert one.tobytes() == many.tobytes()
    assert one.getpixel((12, 3)) == solid(EMBER)
    assert colours(one, (10, 2, 14, 6)) == {EMBER}


def test_an_error_is_a_cinnabar_triangle_that_points_up():
    picture = variant(Face("error"), 64, "dark")
    assert at(picture, (24.2, 10)) == solid(CINNABAR)
    assert at(picture, (18.5, 4))[:3] != CINNABAR
    assert at(picture, (30.5, 3))[3] == 0
    assert at(picture, (14.6, 13.4))[3] == 0, "the gap is cut out of the shrine"


def test_paused_is_grey_with_two_bars():
    picture = variant(Face("paused"), 64, "dark")
    assert at(picture, PEDIMENT) == solid(GREY)
    assert at(picture, LEFT_BAR) == at(picture, RIGHT_BAR) == solid(WHITE)
    assert at(picture, BETWEEN_BARS)[3] == 0


@pytest.mark.parametrize("kind", get_args(FaceKind))
def test_the_macos_template_is_black_and_leaves_the_count_to_the_text_beside_it(kind: FaceKind):
    template: Theme = "template"
    picture = variant(Face(kind, 7), 44, template)
    assert colours(picture) == {BLACK}
    assert picture.tobytes() == variant(Face(kind, 2), 44, template).tobytes()


@pytest.mark.parametrize("size", SIZES)
def test_no_two_states_look_alike_even_without_colour(size: int):
    shapes = {
        variant(Face(kind, 2), size, "dark").getchannel("A").tobytes()
        for kind in get_args(FaceKind)
    }
    # `running` and an unlit flame differ by shape, the badge and the triangle too.
    assert len(shapes) == len(get_args(FaceKind))
