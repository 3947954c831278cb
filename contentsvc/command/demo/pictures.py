"""The pictures of `contentsvc demo`, drawn by code: each thing and each person has its own, and
they are the same each time."""

from collections.abc import Callable
from math import pi, sin
from random import Random

from contentsvc.command.demo.canvas import (
    INK,
    WHITE,
    Canvas,
    Color,
    Point,
    around,
    lit,
    mix,
    turned,
)
from contentsvc.command.demo.props import PROPS

WIDTH, HEIGHT = 640, 360
"""Of a screenshot."""
SIDE = 256
"""Of an avatar and of an emblem."""
SHOTS = 3
"""Screenshots of an item."""
_PLACES = {
    1: [(120, 0.6), (520, 0.7), (320, 1.1)],
    2: [(70, 0.5), (570, 0.55), (200, 0.7), (450, 0.8), (320, 0.95)],
    3: [(470, 0.9), (190, 1.5)],
}
"""Where the things of a screenshot stand, and how large, by its number."""


def screenshot(item: str, title: str, number: int) -> bytes:
    """A screenshot of an item of the demo as PNG: 1 by day, with its title, 2 by night, and 3 from
    near, towards evening."""
    random = Random(f"{item}/{number}")  # noqa: S311
    own, draw = PROPS[item]
    night = number == 2
    sky = [mix(own, "#0c1230", 0.8), mix(own, "#38508a", 0.6)] if night else [own, "#fdf1d3"]
    if number == 3:
        sky = ["#2b2350", mix(own, "#a4496b", 0.5), "#f5a06f"]
    canvas = Canvas(WIDTH, HEIGHT, sky)
    for _ in range(90 if night else 0):
        place = random.uniform(0, WIDTH), random.uniform(0, 250)
        canvas.disc(*place, random.uniform(0.5, 1.5), WHITE, random.uniform(0.3, 0.95))
    x, y = random.uniform(60, 580), random.uniform(60, 120)
    canvas.glow(x, y, 170, "#fff6dc", 0.9)
    canvas.disc(x, y, 30, "#fffbe8")
    far, near = mix(sky[-1], own, 0.5), mix(own, INK, 0.85 if night else 0.6)
    for n in range(3):
        phase = random.uniform(0, 6)
        ridge = [(a, 225 + 35 * n - (26 - 5 * n) * (sin(a / 97 + phase) + 0.4 * sin(a / 41)))
                 for a in range(-10, WIDTH + 20, 10)]  # fmt: skip
        canvas.polygon([*ridge, (WIDTH, HEIGHT), (0, HEIGHT)], mix(far, near, n / 2))
    for x, size in _PLACES[number]:
        canvas.disc(x, 262 + 50 * size, 90 * size, INK, 0.3, flat=0.14)
        draw(canvas, x, 262 + 50 * size, size, random)
    if number == 1:
        canvas.caption(title, 36)
    return canvas.png()


def avatar(person: str) -> bytes:
    """The avatar of a person of the demo, as PNG: what they care for."""
    thing, tool = _CARES_FOR.get(person), _TOOLS.get(person)
    own = PROPS[thing][0] if thing else tool[0] if tool else "#2d6a4f"
    canvas = Canvas(SIDE, SIDE, lit(own, 0.2, 0.5))
    canvas.glow(176, 82, 150, WHITE, 0.5)
    if thing:
        PROPS[thing][1](canvas, SIDE / 2, 236, 1.05, Random(person))  # noqa: S311
    elif tool:
        tool[1](canvas, own)
    return canvas.png()


def _key(canvas: Canvas, own: Color) -> None:
    canvas.stroke([(128, 128), (204, 204), (186, 222)], 22, "#d8b26e")
    canvas.stroke([(180, 180), (160, 200)], 22, "#d8b26e")
    canvas.disc(100, 100, 62, ["#f3dca8", "#b98b45"])
    canvas.disc(88, 88, 26, mix(own, INK, 0.3))


def _glass(canvas: Canvas, own: Color) -> None:
    canvas.stroke([(154, 154), (214, 214)], 30, "#d8b26e")
    canvas.disc(112, 112, 78, ["#f3dca8", "#b98b45"])
    canvas.disc(112, 112, 62, [mix(own, WHITE, 0.85), mix(own, WHITE, 0.4)])
    canvas.glow(92, 88, 40, WHITE, 0.9)


def _rosette(canvas: Canvas, own: Color) -> None:
    for side in (-1, 1):
        ribbon: list[Point] = [(0, 120), (44, 120), (64, 226), (34, 208), (12, 230)]
        canvas.polygon([(128 + side * a, b) for a, b in ribbon], mix(own, INK, 0.45))
    canvas.polygon(
        around(128, 112, lambda t: 96 if round(t * 32) % 2 else 82, 32), lit(own, 0.5, 0)
    )
    canvas.disc(128, 112, 66, ["#fff3d6", "#e8c97f"])
    star = around(128, 114, lambda t: 18 if round(t * 10) % 2 else 44, 10)
    canvas.polygon(star, lit(own, 0, 0.3))


_CARES_FOR = {
    "mira": "tower",
    "tomas": "gears",
    "juno": "fox",
    "kestrel": "coins",
    "yuki": "balloons",
    "pax": "harbour",
    "bram": "robot",
}
"""Whose avatar shows what of an item."""
_TOOLS: dict[str, tuple[Color, Callable[[Canvas, Color], None]]] = {
    "warden": ("#2d6a4f", _key),
    "odile": ("#7b3f61", _glass),
    "ivo": ("#35508a", _rosette),
}
"""The avatars of those who look after the place."""


def emblem(motif: str, own: str, *, won: bool) -> bytes:
    """The emblem of a challenge, in its color, as PNG. That of the winner is filled, that of the
    others an outline."""
    middle = SIDE / 2
    canvas = Canvas(SIDE, SIDE, lit(mix(own, INK, 0.7), 0, 0.3))
    if won:
        rays = around(middle, middle, lambda t: 116 if round(t * 32) % 2 else 98, 32)
        canvas.polygon(rays, lit(own, 0.35, 0))
        canvas.disc(middle, middle, 84, mix(own, INK, 0.35))
        canvas.disc(middle, middle, 78, lit(own, 0.12, 0.12))
    else:
        canvas.disc(middle, middle, 100, mix(own, INK, 0.2))
        canvas.disc(middle, middle, 93, mix(own, INK, 0.8))
    motifs: dict[str, list[tuple[int, list[Point]]]] = {
        "sprout": [(9, [(128, 184), (128, 132), (96, 124), (76, 88), (112, 96), (128, 132),
                        (144, 96), (180, 88), (160, 124), (128, 132)])],
        "gold": [(18, [(98 + 9 * n, 168 - 25 * n), (150 - n, 168 - 23 * n)]) for n in range(4)],
        "prism": [(8, [(128, 84), (172, 160), (84, 160), (128, 84)]), (5, [(62, 142), (106, 122)]),
                  *((5, [(150.0, 120.0), (196.0, 116 + 15.0 * n)]) for n in range(3))],
        "frost": [(7, turned(line, n * pi / 3, (middle, middle))) for n in range(6) for line in (
                  [(128, 128), (128, 72)], [(113, 80), (128, 95), (143, 80)])],
    }  # fmt: skip
    for wide, line in motifs[motif]:
        canvas.stroke(line, wide, WHITE if won else mix(own, WHITE, 0.15))
    return canvas.png()
