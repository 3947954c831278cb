"""A canvas for the pictures of `contentsvc demo`: smooth shapes on pixels, written as PNG.

It needs nothing but zlib. A shape gives its spans on a line; a row of pixels is covered by the
spans on a few lines of that row.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, cos, floor, hypot, pi, sin, sqrt

Color = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""
Point = tuple[float, float]
Paint = Color | tuple[Color, Color]
"""A color, or those at the top and at the bottom of a shape."""
Spans = list[tuple[float, float]]

SCANS = 4
"""Lines in a row of pixels."""
_SHORT = 8
"""Pixels of a run that are blended one by one: a table would cost more."""


def color(text: str) -> Color:
    """The color written as `#rrggbb`, or without the `#`."""
    red, green, blue = bytes.fromhex(text.removeprefix("#"))
    return red, green, blue


def mix(one: Color, other: Color, share: float) -> Color:
    """The color between two; `share` is that of the other, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


class Canvas:
    """Pixels of red, green and blue. x goes to the right, and y down, from 0 to `width` and
    `height`. These are `scale` pixels each."""

    def __init__(self, width: int, height: int, scale: float = 1.0) -> None:
        self.width = width
        self.height = height
        self._scale = scale
        self._across = round(width * scale)
        self._down = round(height * scale)
        self._planes = tuple(bytearray(self._across * self._down) for _ in range(3))

    def png(self) -> bytes:
        """The picture as a PNG file."""
        pixels = bytearray(3 * self._across * self._down)
        for n, plane in enumerate(self._planes):
            pixels[n::3] = plane
        row = 3 * self._across
        # 0 before each row: it is not filtered.
        rows = (b"\0" + pixels[at : at + row] for at in range(0, len(pixels), row))
        size = self._across.to_bytes(4, "big") + self._down.to_bytes(4, "big")
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            (
                _chunk(b"IHDR", size + b"\x08\x02\0\0\0"),
                _chunk(b"IDAT", zlib.compress(b"".join(rows), 6)),
                _chunk(b"IEND", b""),
            )
        )

    def backdrop(self, *colors: Color) -> None:
        """Fill all of it with these colors, from top to bottom."""
        steps = len(colors) - 1
        for y in range(self._down):
            at = y / self._down * steps
            n = min(int(at), max(steps - 1, 0))
            here = mix(colors[n], colors[min(n + 1, steps)], at - n)
            self._blend(y, 0, self._across, here, 1.0)

    def shade(self, top: float, paint: Color, alpha: float) -> None:
        """Shade it from this height down, more and more, up to `alpha`."""
        first = round(top * self._scale)
        for y in range(first, self._down):
            share = (y - first) / (self._down - first)
            self._blend(y, 0, self._across, paint, alpha * share**1.4)

    def polygon(self, points: Sequence[Point], paint: Paint, alpha: float = 1.0) -> None:
        """Fill a polygon."""
        # By the rows that they cross: a line looks at few.
        rows: dict[int, list[tuple[Point, Point]]] = {}
        for edge in pairwise([*points, points[0]]):
            top, bottom = sorted((edge[0][1] * self._scale, edge[1][1] * self._scale))
            for row in range(max(floor(top), 0), min(floor(bottom) + 1, self._down)):
                rows.setdefault(row, []).append(edge)

        def spans(y: float) -> Spans:
            found = sorted(
                ax + (y - ay) * (bx - ax) / (by - ay)
                for (ax, ay), (bx, by) in rows.get(floor(y * self._scale), ())
                if (ay <= y) != (by <= y)
            )
            return list(zip(found[::2], found[1::2], strict=True))

        ys = [y for _, y in points]
        self._fill(spans, min(ys), max(ys), paint, alpha)

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        paint: Paint,
        alpha: float = 1.0,
        *,
        flat: float = 1.0,
        scans: int = SCANS,
    ) -> None:
        """Fill a disc, whose height is `flat` times its width."""
        tall = radius * flat

        def spans(line: float) -> Spans:
            rest = 1 - ((line - y) / tall) ** 2
            half = radius * sqrt(rest) if rest > 0 else 0.0
            return [(x - half, x + half)] if half else []

        self._fill(spans, y - tall, y + tall, paint, alpha, scans)

    def glow(self, x: float, y: float, radius: float, paint: Color, alpha: float = 0.6) -> None:
        """Light that fades from a middle."""
        # Each step is so faint that it needs no smooth edge.
        steps = min(36, max(8, round(radius / 5)))
        for n in range(steps):
            self.disc(x, y, radius * (1 - n / steps) ** 1.3, paint, alpha * 2 / steps, scans=1)

    def stroke(
        self, points: Sequence[Point], width: float, paint: Paint, alpha: float = 1.0
    ) -> None:
        """Draw a line with round ends and corners through these points."""
        self.strokes([points], width, paint, alpha)

    def strokes(
        self, lines: Sequence[Sequence[Point]], width: float, paint: Paint, alpha: float = 1.0
    ) -> None:
        """Draw several lines as one shape."""
        half = width / 2
        segments = [pair for line in lines for pair in pairwise(line)]

        def spans(y: float) -> Spans:
            return _merged(span for a, b in segments if (span := _capsule(a, b, half, y)))

        ys = [y for line in lines for _, y in line]
        self._fill(spans, min(ys) - half, max(ys) + half, paint, alpha)

    def _fill(
        self,
        spans: Callable[[float], Spans],
        top: float,
        bottom: float,
        paint: Paint,
        alpha: float,
        scans: int = SCANS,
    ) -> None:
        scale, across, height = self._scale, self._across, bottom - top or 1.0
        weight = 1 / scans
        for y in range(max(floor(top * scale), 0), min(ceil(bottom * scale), self._down)):
            # What a span adds to the coverage of the pixels from here on: of the pixel in which it
            # begins or ends, a part. Functions for these few lines would take most of the time.
            steps: dict[int, float] = {}
            for n in range(scans):
                for start, end in spans((y + (n + 0.5) / scans) / scale):
                    for edge, more in ((start * scale, weight), (end * scale, -weight)):
                        place = 0.0 if edge < 0 else across if edge > across else edge
                        at = int(place)
                        part = more * (place - at)
                        steps[at] = steps.get(at, 0.0) + more - part
                        steps[at + 1] = steps.get(at + 1, 0.0) + part
            share = min(max((y / scale - top) / height, 0.0), 1.0)
            here = mix(*paint, share) if len(paint) == 2 else paint
            own = tuple(zip(self._planes, here, strict=True))
            covered, row = 0.0, y * across
            for x, end in pairwise(sorted(steps)):
                covered += steps[x]
                if covered <= 0.004:
                    continue
                if end - x > 1:
                    self._blend(y, x, min(end, across), here, alpha * covered)
                elif x < across:
                    level, at = min(round(alpha * covered * 255), 255), row + x
                    for plane, value in own:
                        plane[at] += (value - plane[at]) * level // 255

    def _blend(self, y: int, start: int, end: int, paint: Color, alpha: float) -> None:
        start, end = y * self._across + start, y * self._across + end
        level = round(alpha * 255)
        for plane, value in zip(self._planes, paint, strict=True):
            if level >= 255:
                plane[start:end] = bytes((value,)) * (end - start)
            elif end - start > _SHORT:
                plane[start:end] = plane[start:end].translate(_blended(value, level))
            else:
                for at in range(start, end):
                    plane[at] += (value - plane[at]) * level // 255


def turned(points: Sequence[Point], by: float, around: Point) -> list[Point]:
    """The points, turned clockwise by an angle in radians."""
    x, y = around
    return [
        (x + (a - x) * cos(by) - (b - y) * sin(by), y + (a - x) * sin(by) + (b - y) * cos(by))
        for a, b in points
    ]


def box(x: float, y: float, width: float, height: float, by: float = 0.0) -> list[Point]:
    """The corners of a rectangle around a middle, turned by an angle in radians."""
    w, h = width / 2, height / 2
    return turned([(x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)], by, (x, y))


def around(
    x: float, y: float, radius: Callable[[float], float], count: int, start: float = -pi / 2
) -> list[Point]:
    """Points around a middle. `radius` gives the distance for a turn, 0 to 1."""
    turns = [n / count for n in range(count)]
    return [
        (x + radius(t) * cos(start + 2 * pi * t), y + radius(t) * sin(start + 2 * pi * t))
        for t in turns
    ]


def rounded(points: Sequence[Point], times: int = 3) -> list[Point]:
    """The same line with its corners cut, again and again."""
    line = list(points)
    for _ in range(times):
        cut = [line[0]]
        for (ax, ay), (bx, by) in pairwise(line):
            cut.append((ax + (bx - ax) / 4, ay + (by - ay) / 4))
            cut.append((ax + (bx - ax) * 3 / 4, ay + (by - ay) * 3 / 4))
        line = [*cut, line[-1]]
    return line


def _capsule(a: Point, b: Point, half: float, y: float) -> tuple[float, float] | None:
    """The span of a segment with round ends on a line, if it has one."""
    (ax, ay), (bx, by) = a, b
    if not min(ay, by) - half < y < max(ay, by) + half:
        return None
    found: list[float] = []
    for x, at in (a, b):
        rest = half * half - (y - at) ** 2
        if rest > 0:
            found += (x - sqrt(rest), x + sqrt(rest))
    length = hypot(bx - ax, by - ay)
    if length:
        dx, dy = half * (ay - by) / length, half * (bx - ax) / length
        corners = (ax + dx, ay + dy), (bx + dx, by + dy), (bx - dx, by - dy), (ax - dx, ay - dy)
        for (px, py), (qx, qy) in pairwise((*corners, corners[0])):
            if (py <= y) != (qy <= y):
                found.append(px + (y - py) * (qx - px) / (qy - py))
    return (min(found), max(found)) if found else None


def _merged(spans: Iterable[tuple[float, float]]) -> Spans:
    found: Spans = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


@lru_cache(4096)
def _blended(value: int, level: int) -> bytes:
    """A table: each value of a pixel, with a value of this level, 0 to 255, over it."""
    return bytes([old + (value - old) * level // 255 for old in range(256)])


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
