"""What the screenshots of `contentsvc demo` show. Each item has three views."""

from collections.abc import Callable
from math import cos, pi, sin
from random import Random

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

WIDTH, HEIGHT = 640, 360
"""Of a screenshot."""

_WHITE, _INK = color("#ffffff"), color("#14131f")


# Games.


def _tower(canvas: Canvas, random: Random, number: int) -> Color:
    """A leaning stack: at dusk, by night from near, and as it falls in the morning."""
    skies = {
        1: ("#2b2350", "#a4496b", "#f58e5f", "#ffd08a"),
        2: ("#0c1230", "#1c2c5e", "#38508a"),
        3: ("#5fa8d3", "#a9d6e5", "#fdf1d3"),
    }
    canvas.backdrop(*map(color, skies[number]))
    if number == 1:
        canvas.glow(455, 236, 190, color("#ffe9b0"), 0.7)
        canvas.disc(455, 236, 44, color("#fff1c9"))
    elif number == 2:
        _stars(canvas, random, 90, 250)
        canvas.glow(120, 80, 90, color("#cfe0ff"), 0.5)
        canvas.disc(120, 80, 26, color("#eef3ff"))
        canvas.disc(131, 74, 23, color("#17234d"))
    else:
        for a, b, size in ((110, 70, 1.0), (500, 110, 0.8), (330, 48, 0.6)):
            _cloud(canvas, a, b, size)
    far, near = {
        1: ("#8b3f6b", "#2a1c40"),
        2: ("#22346b", "#080c20"),
        3: ("#8fb996", "#3f6b4f"),
    }[number]
    for n in range(3):
        tone = mix(color(far), color(near), n / 2)
        _ridge(canvas, random, 262 + 26 * n, 26 - 5 * n, tone)
    colors = [color(text) for text in ("#ef6f6c", "#f7b267", "#4f9da6", "#f4e3b2", "#7d5ba6")]
    if number == 2:
        colors = [mix(each, color("#101a40"), 0.35) for each in colors]
    width, tall, count, x, y = {
        1: (78, 25, 9, 300.0, 320.0),
        2: (120, 42, 8, 340.0, 372.0),
        3: (84, 27, 9, 220.0, 322.0),
    }[number]
    lean = 0.0
    for n in range(count):
        lean += random.uniform(0.006, 0.02)
        spin = lean
        if number == 3 and n > 4:
            spin = lean + (n - 4) * random.uniform(0.25, 0.45)
            x, y = x + 24 + 7 * n, y - 4 + 3 * (n - 4)
        x, y = x + tall * sin(lean * 2.2), y - tall * (0.98 if number != 3 or n < 5 else 0.7)
        block(canvas, (x, y), width - n * 2, tall, spin, colors[n % 5], lit=number == 2)
    if number != 3:
        _crane(canvas, x, y - tall / 2, 1.0 if number == 1 else 1.5, color(near))
    return color("#1d1230")


def block(
    canvas: Canvas, at: Point, width: float, tall: float, by: float, own: Color, *, lit: bool
) -> None:
    """One floor of a tower, around a point."""
    x, y = at
    canvas.polygon(box(x, y, width, tall, by), (mix(own, _WHITE, 0.12), mix(own, _INK, 0.18)))
    top = turned(box(x, y - tall * 0.39, width, tall * 0.2), by, at)
    canvas.polygon(top, mix(own, _WHITE, 0.4))
    side = turned(box(x + width * 0.42, y, width * 0.16, tall), by, at)
    canvas.polygon(side, _INK, 0.18)
    glass = color("#ffe49c") if lit else mix(own, _INK, 0.45)
    for n in (-1, 0, 1):
        pane = turned(box(x + n * width * 0.25, y + tall * 0.08, width * 0.11, tall * 0.42), by, at)
        canvas.polygon(pane, glass)


def _crane(canvas: Canvas, x: float, y: float, size: float, own: Color) -> None:
    top = y - 62 * size
    canvas.strokes([[(x, y), (x, top)], [(x - 34 * size, top + 14 * size),
                    (x + 78 * size, top + 14 * size)]], 4 * size, own)  # fmt: skip
    canvas.strokes([[(x, top), (x + 74 * size, top + 13 * size)],
                    [(x, top), (x - 32 * size, top + 13 * size)],
                    [(x + 60 * size, top + 14 * size), (x + 60 * size, top + 40 * size)]],
                   1.6 * size, own)  # fmt: skip
    canvas.polygon(box(x + 60 * size, top + 46 * size, 22 * size, 13 * size, 0.08), own)
    canvas.polygon(box(x - 28 * size, top + 19 * size, 13 * size, 13 * size), own)


def _coins(canvas: Canvas, random: Random, number: int) -> Color:
    """Gold for nothing, on rays that turn."""
    one, other = {1: ("#5f0f8f", "#7d1fb5"), 2: ("#a3124f", "#c92166"), 3: ("#0d5f8a", "#1480b3")}[
        number
    ]
    canvas.backdrop(color(one))
    x, y = (320, 150) if number == 1 else (480, 400) if number == 2 else (120, -30)
    for n in range(16):
        a, b = (n + 0.2) * pi / 8, (n + 0.7) * pi / 8
        canvas.polygon(
            [(x, y), (x + 800 * cos(a), y + 800 * sin(a)), (x + 800 * cos(b), y + 800 * sin(b))],
            color(other),
        )
    canvas.glow(x, y, 230, color("#ffe98a"), 0.55)
    places: list[tuple[float, float, float]]
    if number == 1:
        places = [
            (320 + 62 * (n - (row - 1) / 2), 90 + 34 * row, 36.0)
            for row in range(1, 6)
            for n in range(row)
        ]
    else:
        places = [
            (random.uniform(20, 620), random.uniform(10, 350), random.uniform(12, 46))
            for _ in range(26)
        ]
        places.sort(key=lambda place: place[2])
    for a, b, radius in places:
        _coin(canvas, a, b, radius, 1.0 if number == 1 else random.uniform(0.35, 1.0))
    return color("#2d0548")


def _coin(canvas: Canvas, x: float, y: float, radius: float, flat: float) -> None:
    canvas.disc(x, y + radius * 0.16, radius, color("#8a4b08"), flat=flat)
    canvas.disc(x, y, radius, (color("#ffe066"), color("#f0a202")), flat=flat)
    canvas.disc(x, y, radius * 0.78, (color("#e09f10"), color("#ffd23f")), flat=flat)
    star = around(x, y, lambda t: radius * (0.5 if round(t * 10) % 2 == 0 else 0.22), 10)
    canvas.polygon([(a, y + (b - y) * flat) for a, b in star], color("#fff3b0"))


# Assets: on a stand, in their place, and in another light.


def _pines(canvas: Canvas, random: Random, number: int) -> Color:
    if number == 1:
        canvas.backdrop(color("#d9efe4"), color("#f4faf3"))
        canvas.glow(320, 150, 300, _WHITE, 0.9)
        canvas.disc(320, 262, 214, color("#b4d3bd"), flat=0.16)
        canvas.disc(320, 254, 200, (color("#8fc39b"), color("#6ca57e")), flat=0.16)
        for x, y, tall in ((236, 244, 128), (404, 246, 150), (318, 262, 206)):
            _pine(canvas, x, y, tall, color("#1f6b52"), color("#7a4b2a"))
        for x, y, tall in ((276, 274, 56), (366, 276, 70), (452, 262, 44)):
            _pine(canvas, x, y, tall, color("#2f8f63"), color("#7a4b2a"))
        return color("#0d3a2c")
    sky, fog, wood = {
        2: (("#f7c59f", "#fbe6c8", "#fdf3e1"), "#f4d9b8", "#3d4f3a"),
        3: (("#0b1d33", "#16405b", "#3d7f86"), "#3d7f86", "#06161f"),
    }[number]
    canvas.backdrop(*map(color, sky))
    if number == 2:
        canvas.glow(180, 120, 210, color("#fffbe8"), 0.9)
        canvas.disc(180, 120, 34, color("#fffdf2"))
    else:
        _stars(canvas, random, 70, 160)
        for n in range(4):
            line = [(x, 60 + 16 * n + 22 * sin(x / 90 + n)) for x in range(-20, 680, 20)]
            canvas.stroke(rounded(line, 2), 26 - 4 * n, color("#58e0b0"), 0.10)
    for n in range(5):
        tone = mix(color(fog), color(wood), (n + 1) / 5)
        ground = 205 + 34 * n
        _ridge(canvas, random, ground, 12, tone)
        along = random.uniform(-20, 10)
        while along < WIDTH + 20:
            high = (46 + 26 * n) * random.uniform(0.75, 1.2)
            _pine(canvas, along, ground + 22, high, tone, tone)
            along += high * random.uniform(0.3, 0.62)
    return _INK


def _pine(canvas: Canvas, x: float, y: float, tall: float, own: Color, trunk: Color) -> None:
    canvas.polygon(box(x, y - tall * 0.06, tall * 0.07, tall * 0.16), trunk)
    for n in range(4):
        bottom = y - tall * (0.1 + 0.2 * n)
        half, top = tall * (0.25 - 0.048 * n), bottom - tall * 0.33
        tone = own if own == trunk else mix(own, _WHITE, 0.06 + 0.07 * n)
        canvas.polygon([(x - half, bottom), (x, top), (x + half, bottom)], tone)
        if own != trunk:
            canvas.polygon([(x, bottom + 2), (x, top), (x + half, bottom)], _INK, 0.13)


def _marble(canvas: Canvas, random: Random, number: int) -> Color:
    wall, floor, stone, vein = {
        1: (("#f2e6da", "#e3cfbd"), "#c9ad96", "#f6f3ee", "#a9a3a0"),
        2: (("#233142", "#455d7a"), "#1a2430", "#e9edf2", "#8ea0b5"),
        3: (("#f6d2c6", "#e8a598"), "#b9635a", "#3a3538", "#c9a25c"),
    }[number]
    own, dark = color(stone), color(vein)
    canvas.backdrop(*map(color, wall))
    canvas.glow(320, 130, 280, _WHITE, 0.5)
    canvas.polygon(box(320, 330, 640, 90), (color(floor), mix(color(floor), _INK, 0.25)))
    shade = (mix(own, _WHITE, 0.4), mix(own, _INK, 0.12))

    def slab(x: float, y: float, width: float, tall: float) -> None:
        canvas.polygon(box(x, y, width, tall), shade)
        canvas.polygon(box(x, y + tall / 2 - 2, width, 4), _INK, 0.12)

    def crack(x: float, y: float, width: float, tall: float) -> None:
        a, line = x + random.uniform(-0.3, 0.3) * width, []
        for n in range(7):
            within = min(max(a, x - width / 2 + 2), x + width / 2 - 2)
            line.append((within, y - tall / 2 + n * tall / 6))
            a += random.uniform(-0.22, 0.22) * width
        canvas.stroke(rounded(line, 2), 1.3, dark, 0.55)

    for x, tall in ((130, 190), (196, 130), (500, 160)) if number != 2 else (
        (110, 210), (230, 210), (410, 210), (530, 210)):  # fmt: skip
        base = 288.0
        slab(x, base - 7, 66, 14)
        slab(x, base - tall + 6, 62, 12)
        middle = base - tall / 2 - 2
        canvas.polygon(box(x, middle, 40, tall - 24), shade)
        for n in range(5):
            canvas.polygon(box(x - 16 + 8 * n, middle, 3, tall - 24), _INK, 0.10)
        canvas.polygon(box(x + 15, middle, 10, tall - 24), _INK, 0.12)
        crack(x, middle, 34, tall - 26)
        if number == 2:
            slab(320, base - 216, 500, 22)
            canvas.polygon([(64, 62), (320, 8), (576, 62)], shade)
    for n in range(3):
        slab(340, 282 - 16 * n, 150 - 34 * n, 16)
        crack(340, 282 - 16 * n, 140 - 34 * n, 14)
    ball(canvas, 340, 204, 44, own, dark, random)
    return color("#3a2a20")


def ball(
    canvas: Canvas, x: float, y: float, radius: float, own: Color, vein: Color, random: Random
) -> None:
    """A ball of marble."""
    canvas.disc(x, y + radius * 0.95, radius * 0.7, _INK, 0.2, flat=0.14)
    canvas.disc(x, y, radius, (mix(own, _WHITE, 0.4), mix(own, _INK, 0.3)))
    for _ in range(5):
        turn, line = random.uniform(0, 2 * pi), []
        for n in range(6):
            far = radius * (0.94 - 0.3 * n)
            line.append((x + far * cos(turn), y + far * sin(turn)))
            turn += random.uniform(-0.35, 0.35)
        canvas.stroke(rounded(line, 2), 1.4, vein, 0.6)
    canvas.glow(x - radius * 0.35, y - radius * 0.4, radius * 0.5, _WHITE, 0.8)


def _gears(canvas: Canvas, random: Random, number: int) -> Color:
    paper, line = {1: ("#16324f", "#2f5d8a"), 2: ("#2b2118", "#4a392a"), 3: ("#e9dfc7", "#cfc2a2")}[
        number
    ]
    canvas.backdrop(mix(color(paper), _WHITE, 0.06), color(paper))
    for n in range(0, WIDTH, 32):
        canvas.polygon(box(n, HEIGHT / 2, 1, HEIGHT), color(line), 0.6)
    for n in range(4, HEIGHT, 32):
        canvas.polygon(box(WIDTH / 2, n, WIDTH, 1), color(line), 0.6)
    brass = [color(text) for text in ("#d9a441", "#b8772f", "#e8c468", "#a45f2a")]
    shapes = [
        (118, 110, 62, 2), (228, 172, 56, 3), (330, 96, 66, 2), (430, 178, 60, 4),
        (540, 104, 64, 3), (96, 232, 40, 3), (318, 226, 42, 4), (548, 236, 50, 2),
        (206, 62, 30, 4),
    ]  # fmt: skip
    if number == 2:
        shapes = [(220, 190, 168, 3), (474, 118, 112, 2), (530, 318, 104, 4)]
    for n, (x, y, radius, sides) in enumerate(shapes):
        gear(canvas, x, y, radius, sides, brass[n % 4], random.uniform(0, 2 * pi), color(paper))
    return color("#081625")


def gear(
    canvas: Canvas,
    x: float,
    y: float,
    radius: float,
    sides: int,
    own: Color,
    turn: float,
    hole: Color,
) -> None:
    """A gear that is not round: it has this many bulges."""
    teeth = max(10, int(radius / 4.4))

    def rim(share: float, depth: float) -> Callable[[float], float]:
        def at(t: float) -> float:
            tooth = depth if (t * teeth) % 1 < 0.5 else 0.0
            return radius * (share + 0.13 * sin(2 * pi * t * sides) + tooth)

        return at

    canvas.polygon([(a + radius * 0.05, b + radius * 0.09) for a, b in
                    around(x, y, rim(0.78, 0.12), teeth * 8, turn)], _INK, 0.35)  # fmt: skip
    shape = around(x, y, rim(0.78, 0.12), teeth * 8, turn)
    canvas.polygon(shape, (mix(own, _WHITE, 0.35), mix(own, _INK, 0.3)))
    inner = around(x, y, rim(0.62, 0.0), 72, turn)
    canvas.polygon(inner, (mix(own, _INK, 0.28), mix(own, _WHITE, 0.12)))
    for n in range(sides + 2):
        angle = turn + 2 * pi * n / (sides + 2)
        far = radius * 0.4
        canvas.disc(x + far * cos(angle), y + far * sin(angle), radius * 0.12, hole)
    canvas.disc(x, y, radius * 0.2, (mix(own, _WHITE, 0.5), own))
    canvas.disc(x, y, radius * 0.09, hole)


# Boxes.


def _market(canvas: Canvas, random: Random, number: int) -> Color:
    """Stalls and lanterns: in the rain, in the snow, and from near."""
    sky = {
        1: ("#120d2b", "#2b1b52", "#5b2a6e"),
        2: ("#0d1a33", "#1f3a5f", "#4a6d8c"),
        3: ("#1a0f24", "#3d1d3f", "#6d2f45"),
    }[number]
    canvas.backdrop(*map(color, sky))
    ground = 262 if number != 3 else 320
    if number != 3:
        _houses(canvas, random, ground, color(sky[2]))
    wet = color("#1b1430") if number != 2 else color("#c9d7e6")
    street = box(320, (ground + HEIGHT) / 2, 660, HEIGHT - ground)
    canvas.polygon(street, (wet, mix(wet, _INK, 0.35)))
    cloths = [("#e4572e", "#f7e8d0"), ("#2e86ab", "#f7e8d0"), ("#f3a712", "#6b2d1a"),
              ("#669f4c", "#f7e8d0")]  # fmt: skip
    size = 1.0 if number != 3 else 2.1
    places = [(64.0, 0), (190.0, 1), (318.0, 2), (446.0, 3), (574.0, 0)]
    if number == 3:
        places = [(170.0, 0), (478.0, 1)]
    for x, n in places:
        one, other = (color(cloths[n][0]), color(cloths[n][1]))
        _stall(canvas, random, x, ground + 26 * size / 2, size, one, other)
    ropes = 2 if number != 3 else 1
    for rope in range(ropes):
        top = 46 + 56 * rope
        line = [(x, top + 34 * sin(pi * (x % 214) / 214)) for x in range(-4, 652, 12)]
        canvas.stroke(line, 1.4, color("#0a0716"))
        for n in range(14 - 4 * rope):
            a = 26 + n * (46 + 18 * rope) + 14 * rope
            b = top + 34 * sin(pi * (a % 214) / 214) + 9
            _lantern(canvas, a, b, 8.5 + 2.5 * rope + (5 if number == 3 else 0),
                     color(("#ff9f45", "#ffd166", "#ff6b6b")[n % 3]))  # fmt: skip
    _weather(canvas, random, number, ground)
    return color("#0a0716")


def _houses(canvas: Canvas, random: Random, ground: float, sky: Color) -> None:
    x = -20.0
    while x < WIDTH:
        wide, tall = random.uniform(46, 90), random.uniform(70, 170)
        house = mix(sky, _INK, random.uniform(0.35, 0.55))
        canvas.polygon(box(x + wide / 2, ground - tall / 2, wide, tall), house)
        for row in range(int(tall / 24)):
            for n in range(int(wide / 20)):
                if random.random() < 0.42:
                    pane = box(x + 13 + 20 * n, ground - tall + 16 + 24 * row, 8, 11)
                    canvas.polygon(pane, color("#ffcf73"), random.uniform(0.25, 0.85))
        x += wide + 3


def _weather(canvas: Canvas, random: Random, number: int, ground: float) -> None:
    """Rain and its reflections, snow, or neither."""
    for _ in range({1: 170, 2: 120, 3: 0}[number]):
        x, y = random.uniform(0, WIDTH), random.uniform(0, HEIGHT)
        if number == 1:
            canvas.stroke([(x, y), (x - 4, y + 15)], 1.0, color("#b9c7ff"), 0.28)
        else:
            canvas.disc(x, y, random.uniform(0.9, 3.0), _WHITE, random.uniform(0.5, 0.95))
    for _ in range(46 if number == 1 else 0):
        x, y = random.uniform(0, WIDTH), random.uniform(ground + 34, HEIGHT)
        warm = color(random.choice(("#ff9f45", "#ffd166", "#ff6b6b")))
        canvas.disc(x, y, random.uniform(8, 34), warm, 0.16, flat=0.1)


def _stall(
    canvas: Canvas, random: Random, x: float, y: float, size: float, one: Color, other: Color
) -> None:
    wide, tall = 104 * size, 84 * size
    canvas.polygon(box(x, y - tall * 0.42, wide * 0.88, tall * 0.6), color("#3a2430"))
    canvas.glow(x, y - tall * 0.44, wide * 0.42, color("#ffbf69"), 0.75)
    for n in range(5):
        a = x + (n - 2) * wide * 0.16
        fruit = color(random.choice(("#e63946", "#f4a261", "#8ac926", "#ffca3a", "#b5179e")))
        for m in range(3):
            b = y - tall * 0.33 - (m == 1) * 5 * size
            canvas.disc(a + (m - 1) * 5 * size, b, 4.6 * size, fruit)
    canvas.polygon(box(x, y - tall * 0.13, wide * 0.94, tall * 0.3),
                   (color("#8a5a3c"), color("#4f2f22")))  # fmt: skip
    for n in range(2):
        post = box(x + (n * 2 - 1) * wide * 0.46, y - tall * 0.42, 3.4 * size, tall * 0.86)
        canvas.polygon(post, color("#2a1a1f"))
    stripes, top = 8, y - tall
    for n in range(stripes):
        a, b = (wide * (m / stripes - 0.5) for m in (n, n + 1))
        tone = one if n % 2 == 0 else other
        dim, edge = mix(tone, _INK, 0.25), top + tall * 0.24
        cloth = [(x + a * 0.8, top), (x + b * 0.8, top), (x + b * 1.08, edge), (x + a * 1.08, edge)]
        canvas.polygon(cloth, (tone, dim))
        canvas.disc(x + (a + b) * 0.54, edge, wide / stripes * 0.54, dim, flat=0.7)


def _lantern(canvas: Canvas, x: float, y: float, size: float, own: Color) -> None:
    canvas.glow(x, y, size * 3.6, own, 0.42)
    canvas.disc(x, y, size, (mix(own, _WHITE, 0.55), own), flat=1.15)
    for n in (-0.5, 0.5):
        canvas.disc(x, y, size * 0.5, mix(own, _INK, 0.25), 0.16, flat=2.2)
        canvas.polygon(box(x, y + n * size * 2.3, size * 0.8, size * 0.26), color("#2a1420"))


def _duel(canvas: Canvas, random: Random, number: int) -> Color:
    """Two players on two halves: across the clock, on the board, and around the spring."""
    cold, warm = (color("#12827c"), color("#d8482f"))
    if number == 3:
        cold, warm = color("#284b8f"), color("#e0952b")
    canvas.backdrop(mix(cold, _WHITE, 0.15), mix(cold, _INK, 0.25))
    canvas.polygon([(380, 0), (WIDTH, 0), (WIDTH, HEIGHT), (260, HEIGHT)],
                   (mix(warm, _WHITE, 0.15), mix(warm, _INK, 0.25)))  # fmt: skip
    for n in range(1, 12):
        for side, tone in ((-1, cold), (1, warm)):
            at = 320 + side * (30 + 34 * n)
            shape = [(at + 30, 0), (at + 36, 0), (at - 84, HEIGHT), (at - 90, HEIGHT)]
            canvas.polygon(shape, mix(tone, _WHITE, 0.5), 0.13)
    x, y = 320.0, 168.0
    if number == 2:
        for n in range(6):
            radius = 168 - 26 * n
            tone = mix(color("#f7ead2"), color("#c9a36b"), (n % 2) * 0.8)
            canvas.disc(x, y + 22, radius * 1.5, tone, flat=0.5)
        for n in range(12):
            angle = 2 * pi * n / 12
            a, b = x + 226 * cos(angle), y + 22 + 113 * sin(angle)
            canvas.disc(a, b + 5, 15, _INK, 0.3, flat=0.55)
            canvas.disc(a, b, 15, mix(cold if n in range(4, 10) else warm, _WHITE, 0.1), flat=0.6)
        _spring(canvas, (x - 70, y + 22), (x + 70, y + 22), 9, 16)
    else:
        canvas.disc(x, y + 5, 130, _INK, 0.25)
        rim = around(x, y, lambda t: 132 if (t * 24) % 1 < 0.5 else 118, 24 * 6)
        canvas.polygon(rim, (color("#f0cf7a"), color("#9c6a24")))
        canvas.disc(x, y, 108, (color("#fdf6e3"), color("#e2d2ab")))
        for n in range(12):
            angle = 2 * pi * n / 12
            a, b = cos(angle), sin(angle)
            inner = 84 if n % 3 else 76
            canvas.stroke([(x + inner * a, y + inner * b), (x + 96 * a, y + 96 * b)],
                          3.4 if n % 3 else 6, color("#3b2c1a"))  # fmt: skip
        if number == 1:
            hands = [(x, y), (x - 44, y - 30)], [(x, y), (x + 34, y - 62)]
            canvas.stroke(hands[0], 8, color("#3b2c1a"))
            canvas.stroke(hands[1], 5, color("#3b2c1a"))
        else:
            coil = [(x + (8 + 62 * n / 90) * cos(n / 5), y + (8 + 62 * n / 90) * sin(n / 5))
                    for n in range(91)]  # fmt: skip
            canvas.stroke(coil, 5, color("#3f5a80"))
        canvas.disc(x, y, 11, (color("#f0cf7a"), color("#9c6a24")))
    size = 1.0 if number != 2 else 0.62
    for side, tone in ((-1, cold), (1, warm)):
        far, bottom = (216, 276) if number != 2 else (128, 236)
        _pawn(canvas, x + side * far, bottom, size, tone)
    return _INK


def _pawn(canvas: Canvas, x: float, y: float, size: float, own: Color) -> None:
    light, dark = mix(own, _WHITE, 0.62), mix(own, _INK, 0.2)
    canvas.disc(x, y, 52 * size, _INK, 0.3, flat=0.22)
    canvas.disc(x, y - 8 * size, 46 * size, (light, dark), flat=0.3)
    outline: list[Point] = [(24, 12), (20, 40), (11, 74), (13, 92)]
    left = [(x - a * size * 1.3, y - b * size) for a, b in outline]
    right = [(x + a * size * 1.3, y - b * size) for a, b in reversed(outline)]
    canvas.polygon([*left, *right], (light, dark))
    canvas.disc(x, y - 92 * size, 27 * size, (light, dark), flat=0.3)
    canvas.disc(x, y - 120 * size, 29 * size, (mix(light, _WHITE, 0.4), own))
    canvas.glow(x - 10 * size, y - 130 * size, 13 * size, _WHITE, 0.8)


def _spring(canvas: Canvas, a: Point, b: Point, coils: int, half: float) -> None:
    (ax, ay), (bx, by) = a, b
    line = [
        (ax + (bx - ax) * n / 200, ay + (by - ay) * n / 200 + half * sin(2 * pi * coils * n / 200))
        for n in range(201)
    ]
    canvas.stroke(line, 6, color("#2f3e57"))
    canvas.stroke([(p, q - 1.4) for p, q in line], 2.2, color("#b8c7de"))


def _fox(canvas: Canvas, random: Random, number: int) -> Color:
    """Folded paper: the face, the whole animal, and three papers."""
    sheet = {
        1: ("#fde8d3", "#f6c9a4"),
        2: ("#d9e6f2", "#a9c4dd"),
        3: ("#ece4f4", "#cbb7e0"),
    }[number]
    canvas.backdrop(*map(color, sheet))
    for _ in range(9):
        corners = [(random.uniform(-80, 720), random.uniform(-80, 440)) for _ in range(3)]
        canvas.polygon(corners, _WHITE, 0.12)
    if number == 1:
        face(canvas, 320, 160, 1.0, color("#e8632b"))
        return color("#5e1f0a")
    if number == 2:
        own = color("#e8632b")
        canvas.disc(320, 322, 190, color("#6f93b5"), 0.5, flat=0.1)
        for points, share in (
            ([(420, 318), (470, 196), (560, 150), (556, 262), (490, 320)], -0.1),
            ([(560, 150), (556, 262), (516, 206)], 0.9),
            ([(250, 318), (262, 214), (340, 190), (380, 318)], 0.06),
            ([(340, 190), (440, 232), (446, 318), (380, 318)], -0.22),
            ([(250, 318), (262, 214), (300, 262), (290, 318)], 0.24),
            ([(282, 318), (300, 236), (326, 318)], 0.88),
        ):
            canvas.polygon(points, mix(own, _WHITE if share > 0 else _INK, abs(share)))
        face(canvas, 262, 150, 0.74, own)
        return _INK
    for x, tint in ((132, "#3f7cac"), (508, "#6a994e"), (320, "#c8553d")):
        face(canvas, x, 178, 0.86 if x == 320 else 0.62, color(tint))
    return _INK


def face(canvas: Canvas, x: float, y: float, size: float, own: Color) -> None:
    """The face of a fox, folded of paper."""

    def facet(points: list[Point], share: float) -> None:
        tone = mix(own, _WHITE if share > 0 else _INK, abs(share))
        for side in (-1, 1):
            shape = [(x + side * a * size, y + b * size) for a, b in points]
            canvas.polygon(shape, mix(tone, _INK, 0.12) if side > 0 else tone)

    canvas.disc(x, y + 128 * size, 96 * size, _INK, 0.12, flat=0.12)
    facet([(34, -66), (112, -128), (122, -22)], -0.05)
    facet([(58, -62), (102, -104), (108, -34)], -0.5)
    facet([(0, -58), (34, -66), (122, -22), (0, 20)], 0.1)
    facet([(122, -22), (140, 34), (56, 62), (0, 20)], 0.9)
    facet([(0, 20), (56, 62), (18, 112), (0, 118)], 0.75)
    facet([(0, -58), (34, -66), (0, 96)], 0.28)
    facet([(0, -20), (18, 14), (22, 104), (0, 116)], 0.02)
    facet([(44, 2), (78, -8), (62, 20)], -0.82)
    facet([(0, 98), (19, 98), (10, 118), (0, 122)], -0.86)


SCENES: dict[str, Callable[[Canvas, Random, int], Color]] = {
    "pines": _pines,
    "marble": _marble,
    "gears": _gears,
    "tower": _tower,
    "market": _market,
    "duel": _duel,
    "fox": _fox,
    "coins": _coins,
}
"""What draws a screenshot, and gives the color of the shade under its title."""


# What several scenes have.


def _stars(canvas: Canvas, random: Random, count: int, bottom: float) -> None:
    for _ in range(count):
        x, y = random.uniform(0, WIDTH), random.uniform(0, bottom)
        canvas.disc(x, y, random.uniform(0.5, 1.5), _WHITE, random.uniform(0.3, 0.95))


def _cloud(canvas: Canvas, x: float, y: float, size: float) -> None:
    for a, b, radius in ((-44, 6, 22), (-14, -8, 32), (24, -2, 27), (52, 8, 18)):
        canvas.disc(x + a * size, y + b * size, radius * size, _WHITE, 0.75, flat=0.75)


def _ridge(canvas: Canvas, random: Random, y: float, tall: float, own: Color) -> None:
    one, other = random.uniform(0, 6), random.uniform(0, 6)
    line: list[Point] = [
        (x, y - tall * (sin(x / 97 + one) + 0.45 * sin(x / 41 + other)))
        for x in range(-10, WIDTH + 20, 10)
    ]
    canvas.polygon([*line, (WIDTH + 10, HEIGHT + 10), (-10, HEIGHT + 10)], own)
