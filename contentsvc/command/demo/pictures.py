"""The pictures of `contentsvc demo`, drawn by code: each thing and each person has its own, and
they are the same each time."""

from math import pi
from random import Random

from contentsvc.command.demo.canvas import INK, WHITE, Canvas, Point, around, lit, mix, turned
from contentsvc.command.demo.scenes import SCENES, ball, block, coin, face, gear

SIDE = 256
"""Of an avatar and of an emblem."""
SHOTS = 3
"""Screenshots of an item."""


def screenshot(item: str, title: str, number: int) -> bytes:
    """A screenshot of an item of the demo as PNG: 1 with its title, 2, and 3 from near."""
    canvas = SCENES[item](Random(f"{item}/{number}"), number)  # noqa: S311
    if number == 1:
        canvas.caption(title, 36)
    return canvas.png(near=1.5 if number == 3 else 1)


def avatar(person: str) -> bytes:
    """The avatar of a person of the demo, as PNG: what they care for."""
    own = {"mira": "#e8604f", "tomas": "#1f4e5f", "juno": "#a992d6", "kestrel": "#5fa3c9"}
    canvas = Canvas(SIDE, SIDE, lit(own.get(person, "#2d6a4f"), 0.1, 0.4))
    canvas.glow(176, 82, 150, WHITE, 0.5)
    match person:
        case "mira":
            for n, paint in enumerate(("#4f1f45", "#5f2750", "#ffe8d1", "#ffb4a2", "#4f9da6")):
                place = (104 + 9 * n + 3 * n * n / 4, 230 - 40 * n)
                block(canvas, place, 108 - 12 * n, 40, 0.03 + 0.035 * n, paint, INK)
        case "tomas":
            gear(canvas, 108, 118, 104, 3, "#d9a441", 0.5, "#173d4c")
            ball(canvas, 176, 182, 58, "#f4f1ea", "#9aa0a6", Random(3))  # noqa: S311
        case "juno":
            face(canvas, 128, 126, 0.76, "#ef7b3e")
        case "kestrel":
            for n in range(5):
                coin(canvas, 124 + 9 * (n % 2), 206 - 26 * n, 84, 0.45)
        case _:
            canvas.stroke([(154, 154), (214, 214)], 30, "#d8b26e")
            canvas.disc(112, 112, 78, ["#f3dca8", "#b98b45"])
            canvas.disc(112, 112, 62, ["#d8f3dc", "#74c69d"])
            star = around(112, 115, lambda t: 19 if round(t * 10) % 2 else 46, 10)
            canvas.polygon(star, ["#2d6a4f", "#1b4332"])
    return canvas.png()


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
