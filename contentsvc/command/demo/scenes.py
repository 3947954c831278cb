"""What the screenshots of `contentsvc demo` show. Each item has three views."""

from collections.abc import Callable
from math import cos, pi, sin
from random import Random

from contentsvc.command.demo.canvas import (
    INK,
    WHITE,
    Canvas,
    Color,
    Point,
    around,
    box,
    lit,
    mix,
    turned,
)

WIDTH, HEIGHT = 640, 360
"""Of a screenshot."""


def _outdoors(random: Random, number: int) -> tuple[Canvas, Color, Color]:
    """Hills under the sky at dusk, by night, and in the morning; the colors of the farthest and
    of the nearest."""
    sky, x, y, radius, light, far, near = {
        1: (["#2b2350", "#a4496b", "#f58e5f", "#ffd08a"], 455, 216, 44, "#fff1c9",
            "#8b3f6b", "#2a1c40"),
        2: (["#0c1230", "#1c2c5e", "#38508a"], 120, 80, 26, "#eef3ff", "#2a5568", "#06161f"),
        3: (["#5fa8d3", "#a9d6e5", "#fdf1d3"], 530, 110, 30, "#fffbe8", "#8fc39b", "#1f6b52"),
    }[number]  # fmt: skip
    canvas = Canvas(WIDTH, HEIGHT, sky)
    for _ in range(90 if number == 2 else 0):
        place = random.uniform(0, WIDTH), random.uniform(0, 250)
        canvas.disc(*place, random.uniform(0.5, 1.5), WHITE, random.uniform(0.3, 0.95))
    canvas.glow(x, y, radius * 5, light, 0.9)
    canvas.disc(x, y, radius, light)
    for n in range(3):
        phase = random.uniform(0, 6)
        ridge = [(a, 262 + 26 * n - (26 - 5 * n) * (sin(a / 97 + phase) + 0.4 * sin(a / 41)))
                 for a in range(-10, WIDTH + 20, 10)]  # fmt: skip
        canvas.polygon([*ridge, (WIDTH, HEIGHT), (0, HEIGHT)], mix(far, near, n / 2))
    return canvas, far, near


def _tower(random: Random, number: int) -> Canvas:
    """A leaning stack with a crane, and how it falls."""
    canvas, _, near = _outdoors(random, number)
    x, y, tall, lean = 280.0, 332.0, 27, 0.0
    for n in range(9):
        lean += random.uniform(0.006, 0.02)
        loose = max(n - 4, 0) if number == 3 else 0
        x += tall * sin(lean * 2.2) + 12 * loose
        y += 3 * loose - tall * (0.9 if loose else 0.98)
        paint = ("#ef6f6c", "#f7b267", "#4f9da6", "#f4e3b2", "#7d5ba6")[n % 5]
        glass = "#ffe49c" if number == 2 else INK
        block(canvas, (x, y), 80 - 2 * n, tall, lean + 0.4 * loose, paint, glass)
    if number < 3:
        top = y - 60
        for line in ([(x, y), (x, top), (x + 70, top + 16), (x + 70, top + 40)],
                     [(x, top), (x - 38, top + 16), (x + 80, top + 16)]):  # fmt: skip
            canvas.stroke(line, 3, near)
        canvas.polygon(box(x + 70, top + 46, 24, 14), near)
    return canvas


def block(
    canvas: Canvas, at: Point, wide: float, tall: float, by: float, own: Color, glass: Color
) -> None:
    """One floor of a tower, around a point, with three windows."""
    x, y = at
    canvas.polygon(turned(box(x, y, wide, tall), by, at), lit(own, 0.12, 0.18))
    canvas.polygon(turned(box(x, y - tall * 0.4, wide, tall * 0.2), by, at), WHITE, 0.4)
    canvas.polygon(turned(box(x + wide * 0.42, y, wide * 0.16, tall), by, at), INK, 0.18)
    for n in (-1, 0, 1):
        pane = box(x + n * wide * 0.25, y + tall * 0.08, wide * 0.11, tall * 0.42)
        canvas.polygon(turned(pane, by, at), mix(glass, own, 0.3))


def _pines(random: Random, number: int) -> Canvas:
    """A forest, row before row."""
    canvas, far, near = _outdoors(random, number)
    for row in range(4):
        x, y, own = random.uniform(-20, 10), 258 + 36 * row, mix(far, near, (row + 1) / 4)
        while x < WIDTH + 40:
            tall = (60 + 40 * row) * random.uniform(0.75, 1.2)
            for n in range(4):
                half, bottom = tall * (0.25 - 0.048 * n), y - tall * (0.1 + 0.2 * n)
                top = (x, bottom - tall * 0.33)
                canvas.polygon([(x - half, bottom), top, (x + half, bottom)], own)
                canvas.polygon([(x, bottom), top, (x + half, bottom)], INK, 0.16)
            x += tall * random.uniform(0.35, 0.7)
    return canvas


def _marble(random: Random, number: int) -> Canvas:
    """A temple around a ball, in three kinds of stone."""
    wall, stone, vein = {
        1: (["#7fa9b8", "#d8c9b8"], "#f6f3ee", "#a9a3a0"),
        2: (["#233142", "#455d7a"], "#b9d8c8", "#3f7f6a"),
        3: (["#f6d2c6", "#d98a7d"], "#3a3538", "#c9a25c"),
    }[number]
    canvas = Canvas(WIDTH, HEIGHT, wall)
    canvas.glow(320, 150, 330, WHITE, 0.7)
    canvas.polygon(box(320, 327, WIDTH, 66), lit(wall[1], 0, 0.6))
    shade = lit(stone, 0.4, 0.15)
    for x in (110, 216, 424, 530):
        canvas.polygon(box(x, 188, 40, 200), shade)
        for n in range(6):
            canvas.polygon(box(x - 15 + 6.6 * n, 188, 2.5, 200), INK, 0.05 + 0.03 * n)
        for y in (88, 288):
            canvas.polygon(box(x, y, 62, 14), shade)
    canvas.polygon(box(320, 70, 510, 22), shade)
    canvas.polygon([(55, 56), (320, 8), (585, 56)], shade)
    for n in range(3):
        canvas.polygon(box(320, 288 - 16 * n, 190 - 38 * n, 16), shade)
    ball(canvas, 320, 196, 56, stone, vein, random)
    return canvas


def ball(
    canvas: Canvas, x: float, y: float, radius: float, own: Color, vein: Color, random: Random
) -> None:
    """A ball of marble."""
    canvas.disc(x, y, radius, lit(own, 0.4, 0.4))
    for _ in range(6):
        turn, line = random.uniform(0, 2 * pi), []
        for n in range(6):
            far = radius * (0.96 - 0.3 * n)
            line.append((x + far * cos(turn), y + far * sin(turn)))
            turn += random.uniform(-0.35, 0.35)
        canvas.stroke(line, 1.4, vein, 0.6)
    canvas.glow(x - radius * 0.35, y - radius * 0.4, radius * 0.6, WHITE, 0.9)


def _gears(random: Random, number: int) -> Canvas:
    """Nine gears on squared paper."""
    paper = ("#16324f", "#2b2118", "#e9dfc7")[number - 1]
    canvas = Canvas(WIDTH, HEIGHT, lit(paper, 0.1, 0.1))
    for n in range(0, WIDTH, 32):
        canvas.polygon(box(n, HEIGHT / 2, 1, HEIGHT), "#7f8f9a", 0.3)
        canvas.polygon(box(WIDTH / 2, n, WIDTH, 1), "#7f8f9a", 0.3)
    for n in range(9):
        brass = ("#d9a441", "#b8772f", "#e8c468", "#a45f2a")[n % 4]
        x, y, radius = 80 + 120 * (n % 5) + 60 * (n // 5), 105 + 115 * (n // 5), 66 - n * 5 % 18
        gear(canvas, x, y, radius, 2 + n % 3, brass, random.uniform(0, 2 * pi), paper)
    return canvas


def gear(
    canvas: Canvas, x: float, y: float, radius: float, sides: int, own: Color, turn: float,
    hole: Color,
) -> None:  # fmt: skip
    """A gear that is not round: it has this many bulges."""
    teeth = max(10, int(radius / 4.4))

    def rim(t: float, tooth: float = 0.12) -> float:
        return radius * (0.76 + 0.13 * sin(2 * pi * t * sides) + tooth * (1 - t * teeth // 0.5 % 2))

    shape = around(x, y, rim, teeth * 8, turn)
    canvas.polygon([(a + radius * 0.05, b + radius * 0.09) for a, b in shape], INK, 0.35)
    canvas.polygon(shape, lit(own, 0.35, 0.3))
    inner = around(x, y, lambda t: rim(t, 0) - radius * 0.14, 72, turn)
    canvas.polygon(inner, lit(own, 0.12, 0.28)[::-1])
    for a, b in around(x, y, lambda _: radius * 0.4, sides + 2, turn):
        canvas.disc(a, b, radius * 0.12, hole)
    canvas.disc(x, y, radius * 0.2, lit(own, 0.5, 0))
    canvas.disc(x, y, radius * 0.09, hole)


def _market(random: Random, number: int) -> Canvas:
    """Stalls and lanterns: in the rain, in the snow, and on a dry night."""
    canvas, far, near = _outdoors(random, 1 + number % 2)
    street = lit("#c9d7e6" if number == 2 else mix(far, near, 0.8), 0, 0.4)
    canvas.polygon(box(320, 320, WIDTH, 90), street)
    for n, cloth in enumerate(("#e4572e", "#2e86ab", "#f3a712", "#669f4c", "#b5179e")):
        _stall(canvas, random, 64 + 128 * n, cloth)
    for n in range(28):
        x, light = 24.0 * n, ("#ff9f45", "#ffd166", "#ff6b6b")[n % 3]
        y = 66 + 50 * (n % 2) + 30 * sin(pi * (x % 214) / 214)
        canvas.glow(x, y, 45, light, 0.7)
        canvas.polygon(box(x, y, 7, 24), "#2a1420")
        canvas.disc(x, y, 9, lit(light, 0.55, 0), flat=1.15)
    for _ in range(170 if number < 3 else 0):
        x, y, size = random.uniform(0, WIDTH), random.uniform(0, HEIGHT), random.uniform(1, 3)
        if number == 1:
            canvas.stroke([(x, y), (x - 4, y + 15)], 1, "#b9c7ff", 0.3)
        else:
            canvas.disc(x, y, size, WHITE, 0.3 * size)
    return canvas


def _stall(canvas: Canvas, random: Random, x: float, cloth: Color) -> None:
    canvas.polygon(box(x, 253, 96, 70), "#3a2430")
    canvas.glow(x, 251, 52, "#ffbf69", 0.9)
    for n in range(12):
        fruit = random.choice(("#e63946", "#f4a261", "#8ac926", "#ffca3a", "#b5179e"))
        canvas.disc(x - 40 + 7.3 * n, 260 - n % 2 * 5, 4.8, fruit)
    canvas.polygon(box(x, 277, 98, 25), ["#8a5a3c", "#4f2f22"])
    for n in range(8):
        a, stripe = 13 * (n - 4), (cloth, "#f7e8d0")[n % 2]
        canvas.disc(x + (a + 6.5) * 1.08, 224, 7, mix(stripe, INK, 0.25), flat=0.7)
        corners = ((a * 0.8, 204), ((a + 13) * 0.8, 204), ((a + 13) * 1.08, 224), (a * 1.08, 224))
        canvas.polygon([(x + b, c) for b, c in corners], lit(stripe, 0, 0.25))


def _duel(random: Random, number: int) -> Canvas:
    """Two players beside a clock."""
    pair = [("#12827c", "#d8482f"), ("#5b3a8c", "#3f8f4f"), ("#284b8f", "#e0952b")][number - 1]
    canvas = Canvas(WIDTH, HEIGHT, lit(pair[0], 0.15, 0.25))
    half = [(380, 0), (WIDTH, 0), (WIDTH, HEIGHT), (260, HEIGHT)]
    canvas.polygon(half, lit(pair[1], 0.15, 0.25))
    x, y = 320, 168
    gear(canvas, x, y, 145, 0, "#d9a441", 0, INK)
    canvas.disc(x, y, 106, ["#fdf6e3", "#e2d2ab"])
    ends = around(x, y, lambda _: 95, 12)
    for n, start in enumerate(around(x, y, lambda _: 80, 12)):
        canvas.stroke([start, ends[n]], 3 if n % 3 else 6, "#3b2c1a")
    turn = random.uniform(0, 2 * pi)
    for far, wide, way in ((50, 9, turn), (70, 5, 12 * turn)):
        canvas.stroke([(x, y), (x + far * cos(way), y + far * sin(way))], wide, "#3b2c1a")
    canvas.disc(x, y, 11, ["#f0cf7a", "#9c6a24"])
    for x, own in zip((104, 536), pair, strict=True):
        paint = lit(own, 0.62, 0.2)
        canvas.disc(x, 276, 52, INK, 0.3, flat=0.22)
        canvas.disc(x, 268, 46, paint, flat=0.3)
        canvas.polygon([(x - 31, 264), (x - 15, 190), (x + 15, 190), (x + 31, 264)], paint)
        canvas.disc(x, 184, 27, paint, flat=0.3)
        canvas.disc(x, 156, 29, paint)
        canvas.glow(x - 10, 146, 16, WHITE, 0.9)
    return canvas


def _fox(random: Random, number: int) -> Canvas:
    """Folded paper: one face, two, and three."""
    sheet = ("#f9d8b8", "#bfd2e4", "#d9c8e8")[number - 1]
    canvas = Canvas(WIDTH, HEIGHT, lit(sheet, 0.3, 0.1))
    for _ in range(12):
        corners = [(random.uniform(-80, 720), random.uniform(-80, 440)) for _ in range(3)]
        canvas.polygon(corners, WHITE, 0.15)
    faces = [[(320, 1.05, "#e8632b")], [(210, 0.85, "#e8632b"), (450, 0.6, "#8d99ae")],
             [(180, 0.6, "#3f7cac"), (460, 0.6, "#6a994e"), (320, 0.9, "#c8553d")]]  # fmt: skip
    for x, size, own in faces[number - 1]:
        face(canvas, x, 175, size, own)
    return canvas


def face(canvas: Canvas, x: float, y: float, size: float, own: Color) -> None:
    """The face of a fox, folded of paper."""
    canvas.disc(x, y + 128 * size, 96 * size, INK, 0.12, flat=0.12)
    facets: list[tuple[Color, float, list[Point]]] = [
        (INK, 0.05, [(34, -66), (112, -128), (122, -22)]),
        (INK, 0.5, [(58, -62), (102, -104), (108, -34)]),
        (WHITE, 0.1, [(0, -58), (34, -66), (122, -22), (0, 20)]),
        (WHITE, 0.9, [(122, -22), (140, 34), (56, 62), (0, 20)]),
        (WHITE, 0.75, [(0, 20), (56, 62), (18, 112), (0, 118)]),
        (WHITE, 0.28, [(0, -58), (34, -66), (0, 96)]),
        (WHITE, 0.02, [(0, -20), (18, 14), (22, 104), (0, 116)]),
        (INK, 0.82, [(44, 2), (78, -8), (62, 20)]),
        (INK, 0.86, [(0, 98), (19, 98), (10, 118), (0, 122)]),
    ]
    for light, share, points in facets:
        for side, dark in ((-size, 0.0), (size, 0.12)):
            shape = [(x + side * a, y + size * b) for a, b in points]
            canvas.polygon(shape, mix(mix(own, light, share), INK, dark))


def _coins(random: Random, number: int) -> Canvas:
    """Gold for nothing, on rays: in a heap, and as rain."""
    own, x, y = [("#6a1599", 320, 150), ("#b3184f", 480, 400), ("#10699a", 120, -30)][number - 1]
    canvas = Canvas(WIDTH, HEIGHT, own)
    rays = around(x, y, lambda _: 800, 32)
    for n in range(0, 32, 2):
        canvas.polygon([(x, y), rays[n], rays[n + 1]], WHITE, 0.12)
    canvas.glow(x, y, 300, "#ffe98a", 0.9)
    if number == 1:
        for row in range(1, 6):
            for n in range(row):
                coin(canvas, 320 + 62 * (n - (row - 1) / 2), 90 + 34 * row, 36, 1)
    else:
        for size in range(12, 46):
            place = random.uniform(20, 620), random.uniform(10, 350)
            coin(canvas, *place, size, random.uniform(0.35, 1))
    return canvas


def coin(canvas: Canvas, x: float, y: float, radius: float, flat: float) -> None:
    """A coin with a star, which lies as flat as this."""
    canvas.disc(x, y + radius * 0.16, radius, "#8a4b08", flat=flat)
    canvas.disc(x, y, radius, ["#ffe066", "#f0a202"], flat=flat)
    canvas.disc(x, y, radius * 0.78, ["#e09f10", "#ffd23f"], flat=flat)
    star = around(x, y, lambda t: radius * (0.22 if round(t * 10) % 2 else 0.5), 10)
    canvas.polygon([(a, y + (b - y) * flat) for a, b in star], "#fff3b0")


SCENES: dict[str, Callable[[Random, int], Canvas]] = {
    "pines": _pines,
    "marble": _marble,
    "gears": _gears,
    "tower": _tower,
    "market": _market,
    "duel": _duel,
    "fox": _fox,
    "coins": _coins,
}
"""What draws a view of an item, 1 to 3."""
