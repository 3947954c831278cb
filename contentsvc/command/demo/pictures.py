"""The pictures of `contentsvc demo`, drawn by code: each thing and each person has its own, and
they are the same each time."""

from collections.abc import Callable
from math import pi
from random import Random

from contentsvc.command.demo import lettering
from contentsvc.command.demo.canvas import (
    Canvas,
    Color,
    Point,
    around,
    box,
    color,
    mix,
    rounded,
    turned,
)
from contentsvc.command.demo.scenes import HEIGHT, SCENES, WIDTH, ball, block, face, gear

SIDE = 256
"""Of an avatar and of an emblem."""
SCALE = 0.75
"""Pixels for 1 of SIDE, and of the scenes' WIDTH and HEIGHT."""
SHOTS = 3
"""Screenshots of an item. The first has its title."""

_WHITE, _INK = color("#ffffff"), color("#14131f")


def screenshot(item: str, title: str, number: int) -> bytes:
    """A screenshot of an item of the demo, 1 to SHOTS, as PNG."""
    canvas = Canvas(WIDTH, HEIGHT, SCALE)
    dark = SCENES[item](canvas, Random(f"{item}/{number}"), number)  # noqa: S311
    if number == 1:
        canvas.shade(HEIGHT - 150, dark, 0.86)
        lettering.write(canvas, title, 36, HEIGHT - 66, 32, _WHITE)
    return canvas.png()


def avatar(person: str) -> bytes:
    """The avatar of a person of the demo, as PNG."""
    canvas = Canvas(SIDE, SIDE, SCALE)
    _AVATARS[person](canvas)
    return canvas.png()


def emblem(motif: str, tint: str, *, won: bool) -> bytes:
    """The emblem of a challenge, in its color, as PNG. That of the winner is filled, that of the
    others an outline."""
    canvas = Canvas(SIDE, SIDE, SCALE)
    middle, own = SIDE / 2, color(tint)
    dark = mix(own, _INK, 0.82)
    canvas.backdrop(mix(own, _INK, 0.72), dark)
    if won:
        rays = around(middle, middle, lambda t: 116 if round(t * 32) % 2 else 98, 32)
        canvas.polygon(rays, (mix(own, _WHITE, 0.35), own))
        canvas.disc(middle, middle, 84, mix(own, _INK, 0.35))
        canvas.disc(middle, middle, 78, (mix(own, _WHITE, 0.12), mix(own, _INK, 0.12)))
        _MOTIFS[motif](canvas, _WHITE)
    else:
        canvas.disc(middle, middle, 100, mix(own, _INK, 0.2))
        canvas.disc(middle, middle, 93, dark)
        canvas.disc(middle, middle, 84, mix(own, _INK, 0.72))
        _MOTIFS[motif](canvas, mix(own, _WHITE, 0.15))
    return canvas.png()


# Avatars.


def _mira(canvas: Canvas) -> None:
    canvas.backdrop(color("#ff8c61"), color("#ce4257"))
    canvas.disc(176, 82, 40, color("#ffd9a0"), 0.9)
    for n, tint in enumerate(("#4f1f45", "#5f2750", "#ffe8d1", "#ffb4a2", "#4f9da6")):
        place = (118 + 9 * n + 3 * n * n / 4, 230 - 40 * n)
        block(canvas, place, 108 - 12 * n, 40, 0.03 + 0.035 * n, color(tint), lit=n == 1)


def _tomas(canvas: Canvas) -> None:
    canvas.backdrop(color("#1f4e5f"), color("#0f2a38"))
    gear(canvas, 108, 118, 104, 3, color("#d9a441"), 0.5, color("#173d4c"))
    ball(canvas, 176, 182, 58, color("#f4f1ea"), color("#9aa0a6"), Random(3))  # noqa: S311


def _juno(canvas: Canvas) -> None:
    canvas.backdrop(color("#cdb4f2"), color("#8e7cc3"))
    canvas.disc(128, 128, 108, _WHITE, 0.18)
    face(canvas, 128, 126, 0.76, color("#ef7b3e"))


def _kestrel(canvas: Canvas) -> None:
    canvas.backdrop(color("#8ecae6"), color("#e6f4f9"))
    canvas.glow(190, 70, 90, _WHITE, 0.9)
    canvas.disc(190, 70, 24, color("#fff7d6"))
    own = color("#8a4b2a")
    for side in (-1, 1):
        wing: list[Point] = [(0, 6), (36, -36), (84, -58), (120, -46), (92, -30), (98, -18),
                             (70, -10), (74, 2), (46, 8), (0, 34)]  # fmt: skip
        tone = own if side < 0 else mix(own, _INK, 0.2)
        canvas.polygon([(128 + side * a, 126 + b) for a, b in wing], tone)
        tips: list[Point] = [(84, -58), (120, -46), (92, -30)]
        canvas.polygon([(128 + side * a, 126 + b) for a, b in tips], mix(own, _INK, 0.6))
    tail: list[Point] = [(112, 150), (144, 150), (156, 218), (128, 206), (100, 218)]
    canvas.polygon(tail, mix(own, _WHITE, 0.2))
    canvas.polygon([(103, 208), (128, 196), (153, 208), *tail[2:]], _INK)
    canvas.disc(128, 138, 22, (mix(own, _WHITE, 0.55), mix(own, _WHITE, 0.25)), flat=1.6)
    canvas.disc(128, 104, 17, color("#6c7f8f"))
    canvas.polygon([(121, 96), (135, 96), (128, 84)], color("#f4c95d"))


def _curator(canvas: Canvas) -> None:
    canvas.backdrop(color("#2d6a4f"), color("#123524"))
    x, y = 112, 112
    canvas.stroke([(154, 154), (214, 214)], 30, color("#d8b26e"))
    canvas.stroke([(158, 154), (210, 206)], 8, color("#f3dca8"))
    canvas.disc(x, y, 78, (color("#f3dca8"), color("#b98b45")))
    canvas.disc(x, y, 62, (color("#d8f3dc"), color("#74c69d")))
    star = around(x, y + 3, lambda t: 46 if round(t * 10) % 2 == 0 else 19, 10)
    canvas.polygon(star, (color("#2d6a4f"), color("#1b4332")))
    canvas.stroke(rounded([(70, 104), (76, 78), (100, 66)]), 8, _WHITE, 0.8)


_AVATARS: dict[str, Callable[[Canvas], None]] = {
    "mira": _mira,
    "tomas": _tomas,
    "juno": _juno,
    "kestrel": _kestrel,
    "curator": _curator,
}


# What emblems show.


def _sprout(canvas: Canvas, own: Color) -> None:
    canvas.stroke(rounded([(128, 180), (128, 140), (128, 112)]), 9, own)
    for side in (-1, 1):
        leaf: list[Point] = [(0, 128), (10, 92), (56, 78), (46, 118), (0, 128)]
        canvas.polygon(rounded([(128 + side * a, b) for a, b in leaf], 2), own)


def _gold(canvas: Canvas, own: Color) -> None:
    for n in range(4):
        canvas.polygon(box(124 + 4 * n, 166 - 25 * n, 64 - 11 * n, 20, 0.03 * n), own)


def _prism(canvas: Canvas, own: Color) -> None:
    corners: list[Point] = [(128, 84), (172, 160), (84, 160), (128, 84)]
    canvas.stroke(corners, 8, own)
    canvas.stroke([(62, 142), (106, 122)], 5, own)
    for n in range(3):
        canvas.stroke([(150, 120), (196, 116 + 15 * n)], 5, own)


def _frost(canvas: Canvas, own: Color) -> None:
    lines: list[list[Point]] = []
    for n in range(6):
        arm: list[list[Point]] = [[(128, 128), (128, 72)], [(113, 80), (128, 95), (143, 80)]]
        lines += [turned(line, n * pi / 3, (128, 128)) for line in arm]
    canvas.strokes(lines, 7, own)


_MOTIFS: dict[str, Callable[[Canvas, Color], None]] = {
    "sprout": _sprout,
    "gold": _gold,
    "prism": _prism,
    "frost": _frost,
}
