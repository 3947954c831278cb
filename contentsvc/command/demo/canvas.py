"""A canvas for the pictures of `contentsvc demo`: smooth shapes in gradients, by Pillow."""

import io
from collections.abc import Callable, Sequence
from math import cos, pi, sin

from PIL import Image, ImageColor, ImageDraw, ImageFont

Color = str | tuple[int, ...]
"""`#rrggbb`, or red, green and blue, 0 to 255."""
Point = tuple[float, float]
Paint = Color | Sequence[Color]
"""A color, or those from the top to the bottom of a shape."""

WHITE, INK = "#ffffff", "#14131f"
SCALE = 0.75
"""Pixels for 1 of a canvas's width and height."""
_SMOOTH = 3
"""A picture is drawn as many times as large, which makes its edges smooth."""
_UNIT = SCALE * _SMOOTH


def mix(one: Color, other: Color, share: float) -> Color:
    """The color between two; `share` is that of the other, 0 to 1."""
    return tuple(round(a + (b - a) * share) for a, b in zip(_rgb(one), _rgb(other), strict=True))


def lit(own: Color, light: float, dark: float) -> list[Color]:
    """A color under light from above: so much white at its top, and ink at its bottom."""
    return [mix(own, WHITE, light), mix(own, INK, dark)]


class Canvas:
    """A picture of red, green and blue. x goes to the right, and y down, from 0 to `width` and
    `height`. It begins in `paint`."""

    def __init__(self, width: int, height: int, paint: Paint) -> None:
        self._image = _gradient((round(width * _UNIT), round(height * _UNIT)), paint)

    def png(self) -> bytes:
        """The picture as a PNG file."""
        out = io.BytesIO()
        self._image.reduce(_SMOOTH).save(out, "PNG")
        return out.getvalue()

    def polygon(self, points: Sequence[Point], paint: Paint, alpha: float = 1.0) -> None:
        """Fill a polygon."""
        self._fill(points, paint, alpha, lambda draw, at: draw.polygon(at, 255))

    def disc(
        self, x: float, y: float, radius: float, paint: Paint, alpha: float = 1.0, flat: float = 1.0
    ) -> None:
        """Fill a disc, whose height is `flat` times its width."""
        corners = ((x - radius, y - radius * flat), (x + radius, y + radius * flat))
        self._fill(corners, paint, alpha, lambda draw, at: draw.ellipse(at, 255))

    def stroke(
        self, points: Sequence[Point], width: float, paint: Paint, alpha: float = 1.0
    ) -> None:
        """Draw a line with round ends and corners through these points."""
        across = width * _UNIT

        def line(draw: ImageDraw.ImageDraw, at: list[Point]) -> None:
            draw.line(at, 255, round(across), joint="curve")
            for end in (at[0], at[-1]):
                draw.circle(end, across / 2, 255)

        self._fill(points, paint, alpha, line, round(across))

    def glow(self, x: float, y: float, radius: float, paint: Color, alpha: float = 0.6) -> None:
        """Light that fades from a middle."""
        size = round(2 * radius * _UNIT)
        mask = Image.radial_gradient("L").resize((size, size))
        # Its corners are 255, so that 180 is as far as its sides.
        mask = mask.point(lambda far: alpha * 255 * max(1 - far / 180, 0) ** 1.6)
        at = round((x - radius) * _UNIT), round((y - radius) * _UNIT)
        self._image.paste(_rgb(paint), (*at, at[0] + size, at[1] + size), mask)

    def caption(self, text: str, size: int) -> None:
        """Write a text at the bottom, on a shade. Its letters are `size` tall."""
        wide, tall = self._image.size
        top = round(tall - 4 * size * _UNIT)
        mask = Image.linear_gradient("L").resize((wide, tall - top))
        mask = mask.point(lambda deep: 0.9 * deep)
        self._image.paste(_rgb(INK), (0, top, wide, tall), mask)
        at = round(size * _UNIT), round(tall - size * _UNIT)
        font = ImageFont.load_default(size * _UNIT)
        draw = ImageDraw.Draw(self._image)
        draw.text(at, text, WHITE, font, anchor="ls", stroke_width=_UNIT / 2)

    def _fill(
        self,
        points: Sequence[Point],
        paint: Paint,
        alpha: float,
        shape: Callable[[ImageDraw.ImageDraw, list[Point]], None],
        margin: int = 1,
    ) -> None:
        """Paint a shape, which is drawn through these points, in a mask just large enough."""
        xs, ys = [x * _UNIT for x, _ in points], [y * _UNIT for _, y in points]
        left, top = round(min(xs)) - margin, round(min(ys)) - margin
        size = round(max(xs)) + margin - left, round(max(ys)) + margin - top
        mask = Image.new("L", size)
        shape(ImageDraw.Draw(mask), [(x - left, y - top) for x, y in zip(xs, ys, strict=True)])
        if alpha < 1:
            mask = mask.point(lambda covered: alpha * covered)
        self._image.paste(_gradient(size, paint), (left, top), mask)


def _rgb(color: Color) -> tuple[int, ...]:
    return ImageColor.getrgb(color) if isinstance(color, str) else color


def _gradient(size: tuple[int, int], paint: Paint) -> Image.Image:
    if isinstance(paint, str | tuple):
        return Image.new("RGB", size, _rgb(paint))
    column = Image.new("RGB", (1, len(paint)))
    for y, color in enumerate(paint):
        column.putpixel((0, y), _rgb(color))
    # From the middle of the first to that of the last: at the edges, there is no other color.
    middle = (0, 0.5, 1, len(paint) - 0.5)
    return column.resize(size, Image.Resampling.BILINEAR, middle)


def turned(points: Sequence[Point], by: float, around: Point) -> list[Point]:
    """The points, turned clockwise by an angle in radians."""
    x, y = around
    return [
        (x + (a - x) * cos(by) - (b - y) * sin(by), y + (a - x) * sin(by) + (b - y) * cos(by))
        for a, b in points
    ]


def box(x: float, y: float, width: float, height: float) -> list[Point]:
    """The corners of a rectangle around a middle."""
    w, h = width / 2, height / 2
    return [(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)]


def around(
    x: float, y: float, radius: Callable[[float], float], count: int, start: float = -pi / 2
) -> list[Point]:
    """Points around a middle. `radius` gives the distance for a turn, 0 to 1."""
    rim = [(x + radius(n / count), y) for n in range(count)]
    return [turned([end], start + 2 * pi * n / count, (x, y))[0] for n, end in enumerate(rim)]
