"""What stands in the pictures of `contentsvc demo`: one thing for each item. It is drawn with its
foot in the middle of `x`, `y`, and some 200 times its `size` tall."""

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

Draw = Callable[[Canvas, float, float, float, Random], None]


def pine(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A pine."""
    own = mix("#1f6b52", "#4f9a6a", random.random())
    canvas.polygon(box(x, y - 12 * size, 14 * size, 24 * size), "#7a4b2a")
    for n in range(4):
        half, bottom = (50 - 9 * n) * size, y - (20 + 40 * n) * size
        left, top, right = (x - half, bottom), (x, bottom - 66 * size), (x + half, bottom)
        canvas.polygon([left, top, right], mix(own, WHITE, 0.06 * n))
        canvas.polygon([(x, bottom), top, right], INK, 0.16)


def marble(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A ball of marble on a column."""
    stones = ("#f6f3ee", "#8f8a88"), ("#3a3538", "#c9a25c"), ("#b9d8c8", "#3f7f6a")
    own, vein = random.choice(stones)
    for below, wide, tall in ((6, 80, 12), (60, 44, 96), (112, 66, 10)):
        canvas.polygon(box(x, y - below * size, wide * size, tall * size), lit(own, 0.4, 0.2))
    for n in range(5):
        fluting = box(x + (8 * n - 16) * size, y - 60 * size, 3 * size, 96 * size)
        canvas.polygon(fluting, INK, 0.05 + 0.04 * n)
    y, radius = y - 158 * size, 42 * size
    canvas.disc(x, y, radius, lit(own, 0.4, 0.4))
    for _ in range(6):
        turn, line = random.uniform(0, 2 * pi), []
        for n in range(6):
            far = radius * (0.96 - 0.3 * n)
            line.append((x + far * cos(turn), y + far * sin(turn)))
            turn += random.uniform(-0.35, 0.35)
        canvas.stroke(line, 1.6 * size, vein, 0.6)
    canvas.glow(x - radius * 0.35, y - radius * 0.4, radius * 0.6, WHITE, 0.9)


def gear(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A gear that is not round: it has two to four bulges."""
    own, bulges = random.choice(["#d9a441", "#b8772f", "#e8c468"]), random.randint(2, 4)
    wheel(canvas, x, y - 96 * size, 100 * size, own, bulges, random.uniform(0, 2 * pi))


def wheel(
    canvas: Canvas, x: float, y: float, radius: float, own: Color, bulges: int, turn: float
) -> None:
    """A wheel with teeth, around a point; round without bulges."""

    def rim(t: float, tooth: float = 0.12) -> float:
        return radius * (0.76 + 0.13 * sin(2 * pi * t * bulges) + tooth * (1 - t * 44 // 1 % 2))

    shape = around(x, y, rim, 352, turn)
    canvas.polygon([(a + radius * 0.05, b + radius * 0.09) for a, b in shape], INK, 0.35)
    canvas.polygon(shape, lit(own, 0.35, 0.3))
    inner = around(x, y, lambda t: rim(t, 0) - radius * 0.14, 72, turn)
    canvas.polygon(inner, lit(own, 0.12, 0.28)[::-1])
    for a, b in around(x, y, lambda _: radius * 0.4, bulges + 2, turn):
        canvas.disc(a, b, radius * 0.12, mix(own, INK, 0.7))
    canvas.disc(x, y, radius * 0.2, lit(own, 0.5, 0))


def tower(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A stack of floors that leans, and one that has left it."""
    lean, wide, tall = 0.0, 76 * size, 26 * size
    y += tall / 2
    for n in range(8):
        lean += random.uniform(0.01, 0.03)
        x, y = x + tall * sin(lean * 2) + (tall if n == 7 else 0), y - tall * (1.1 if n == 7 else 1)
        own = ("#ef6f6c", "#f7b267", "#4f9da6", "#f4e3b2", "#7d5ba6")[n % 5]
        floor = ((0, 0, 1, 1, own, 1), (0, -0.4, 1, 0.2, WHITE, 0.4), (0.42, 0, 0.16, 1, INK, 0.2),
                 *((0.25 * a, 0.08, 0.11, 0.42, "#3d2b3f", 0.8) for a in (-1, 0, 1)))  # fmt: skip
        for across, down, w, h, paint, alpha in floor:
            part = box(x + across * wide, y + down * tall, w * wide, h * tall)
            canvas.polygon(turned(part, lean + (0.5 if n == 7 else 0), (x, y)), paint, alpha)


def stall(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A stall with fruit, and a lantern above it."""
    cloth = random.choice(("#e4572e", "#2e86ab", "#f3a712", "#669f4c", "#b5179e"))

    def at(points: list[Point]) -> list[Point]:
        return [(x + a * 1.5 * size, y + b * 1.5 * size) for a, b in points]

    canvas.polygon(at(box(0, -38, 96, 76)), "#3a2430")
    canvas.glow(x, y - 57 * size, 78 * size, "#ffbf69", 0.9)
    for n in range(12):
        fruit = random.choice(("#e63946", "#f4a261", "#8ac926", "#ffca3a", "#b5179e"))
        canvas.disc(*at([(-40 + 7.3 * n, -28 - n % 2 * 5)])[0], 7 * size, fruit)
    canvas.polygon(at(box(0, -12, 98, 25)), ["#8a5a3c", "#4f2f22"])
    for n in range(8):
        a, b, stripe = 13 * (n - 4), 13 * (n - 3), (cloth, "#f7e8d0")[n % 2]
        dim = mix(stripe, INK, 0.25)
        canvas.disc(*at([((a + b) * 0.54, -65)])[0], 10.5 * size, dim, flat=0.7)
        corners = at([(a * 0.8, -85), (b * 0.8, -85), (b * 1.08, -65), (a * 1.08, -65)])
        canvas.polygon(corners, lit(stripe, 0, 0.25))
    light = random.choice(("#ff9f45", "#ffd166", "#ff6b6b"))
    canvas.glow(x, y - 160 * size, 90 * size, light, 0.8)
    canvas.polygon(box(x, y - 160 * size, 14 * size, 44 * size), "#2a1420")
    canvas.disc(x, y - 160 * size, 17 * size, lit(light, 0.55, 0), flat=1.15)


def duel(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """Two players before a clock."""
    middle, turn = y - 110 * size, random.uniform(0, 2 * pi)
    wheel(canvas, x, middle, 105 * size, "#d9a441", 0, 0)
    canvas.disc(x, middle, 76 * size, ["#fdf6e3", "#e2d2ab"])
    for a, b in around(x, middle, lambda _: 66 * size, 12):
        canvas.disc(a, b, 4 * size, "#3b2c1a")
    for far, wide, way in ((34, 8, turn), (52, 5, 12 * turn)):
        end = (x + far * size * cos(way), middle + far * size * sin(way))
        canvas.stroke([(x, middle), end], wide * size, "#3b2c1a")
    for side, own in ((-1, "#12827c"), (1, "#d8482f")):
        a, paint = x + side * 84 * size, lit(own, 0.6, 0.2)
        canvas.disc(a, y, 36 * size, paint, flat=0.3)
        body = [(-24, -4), (-12, -60), (12, -60), (24, -4)]
        canvas.polygon([(a + b * size, y + c * size) for b, c in body], paint)
        canvas.disc(a, y - 64 * size, 21 * size, paint, flat=0.3)
        canvas.disc(a, y - 86 * size, 23 * size, paint)
        canvas.glow(a - 8 * size, y - 94 * size, 13 * size, WHITE, 0.9)


def fox(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """The face of a fox, folded of paper."""
    own = random.choice(("#e8632b", "#8d99ae", "#3f7cac", "#c8553d"))
    canvas.disc(x, y, 76 * size, INK, 0.2, flat=0.12)
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
        for side, dark in ((-0.8 * size, 0.0), (0.8 * size, 0.12)):
            shape = [(x + side * a, y + 0.8 * size * (b - 128)) for a, b in points]
            canvas.polygon(shape, mix(mix(own, light, share), INK, dark))


def coins(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A pile of coins, and one above it."""
    for n in range(7):
        a, b, last = x + random.uniform(-9, 9) * size, y - (20 + 17 * n) * size, n == 6
        flat, radius = 0.9 if last else 0.4, (44 if last else 58) * size
        b -= 30 * size if last else 0
        canvas.disc(a, b + 11 * size, radius, "#8a4b08", flat=flat)
        canvas.disc(a, b, radius, ["#ffe066", "#f0a202"], flat=flat)
        canvas.disc(a, b, radius * 0.78, ["#e09f10", "#ffd23f"], flat=flat)
        star = around(0, 0, lambda t: 0.22 if round(t * 10) % 2 else 0.5, 10)
        canvas.polygon([(a + c * radius, b + d * radius * flat) for c, d in star], "#fff3b0")


def balloon(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A balloon with a basket, in stripes."""
    own, other = random.choice(
        (("#e4572e", "#fff1d6"), ("#2e86ab", "#ffd23f"), ("#7d5ba6", "#f7b267"))
    )
    middle, radius = y - 142 * size, 66 * size
    for share, paint in ((1.0, own), (0.7, other), (0.34, own)):
        canvas.disc(x, middle, radius * share, lit(paint, 0.3, 0.3), flat=1.08 / share)
    canvas.glow(x - 26 * size, middle - 26 * size, 34 * size, WHITE, 0.7)
    for a in (-1, 1):
        canvas.stroke(
            [(x + 34 * a * size, y - 84 * size), (x + 13 * a * size, y - 34 * size)],
            2.5 * size,
            "#4a3426",
        )
    canvas.polygon(box(x, y - 20 * size, 32 * size, 30 * size), ["#b07d4a", "#6b4526"])
    canvas.polygon(box(x, y - 34 * size, 38 * size, 6 * size), "#5a3a20")


def boat(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A boat, folded of paper, with a flag."""
    own = random.choice(("#f4f1ea", "#ffd9c0", "#d7ecf5"))
    flag = random.choice(("#e63946", "#2a9d8f", "#f4a261"))
    facets: list[tuple[float, list[Point]]] = [
        (0.06, [(0, -148), (62, -44), (0, -44)]),
        (0.2, [(0, -148), (0, -44), (-62, -44)]),
        (0.3, [(-100, -62), (0, -40), (-58, 4)]),
        (0.02, [(100, -62), (0, -40), (58, 4)]),
        (0.13, [(0, -40), (58, 4), (-58, 4)]),
    ]
    canvas.disc(x, y + 4 * size, 112 * size, "#3f7cac", 0.5, flat=0.12)
    canvas.stroke([(x, y - 148 * size), (x, y - 190 * size)], 3 * size, "#5a3a20")
    pennant: list[Point] = [(0, -190), (40, -178), (0, -166)]
    canvas.polygon([(x + a * size, y + b * size) for a, b in pennant], flag)
    for dark, points in facets:
        canvas.polygon([(x + a * size, y + b * size) for a, b in points], mix(own, INK, dark))


def robot(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A robot that has seen some rain."""
    own = random.choice(("#b5651d", "#6c8ea4", "#8a9a5b"))
    shade, eye = mix(own, INK, 0.45), random.choice(("#7ef9ff", "#ffe066"))

    def part(a: float, b: float, wide: float, tall: float, paint: list[Color]) -> None:
        canvas.polygon(box(x + a * size, y + b * size, wide * size, tall * size), paint)

    for side in (-1, 1):
        part(22 * side, -14, 22, 30, lit(shade, 0.1, 0.2))
        elbow = x + 66 * side * size, y - 66 * size
        hand = x + (52 + 16 * side) * side * size, y - (30 + 22 * side) * size
        canvas.stroke([(x + 42 * side * size, y - 92 * size), elbow, hand], 12 * size, shade)
        canvas.disc(*hand, 11 * size, lit(own, 0.3, 0.1))
    part(0, -66, 90, 82, lit(own, 0.35, 0.2))
    part(0, -66, 54, 40, lit(shade, 0, 0.3))
    for n in range(3):
        canvas.disc(x + (16 * n - 16) * size, y - 66 * size, 5 * size, (eye, "#ff6b6b", WHITE)[n])
    part(0, -114, 26, 16, lit(shade, 0.1, 0))
    part(0, -148, 80, 58, lit(own, 0.45, 0.1))
    for side in (-1, 1):
        canvas.glow(x + 19 * side * size, y - 150 * size, 28 * size, eye, 0.9)
        canvas.disc(x + 19 * side * size, y - 150 * size, 11 * size, eye)
    canvas.stroke([(x, y - 177 * size), (x, y - 196 * size)], 4 * size, shade)
    canvas.disc(x, y - 200 * size, 8 * size, "#ff6b6b")


def cactus(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A cactus in bloom."""
    own, bloom = random.choice(("#4f8a5b", "#5d9e6a")), random.choice(("#ff70a6", "#ffd670"))
    arms: list[list[Point]] = [
        [(-8, -70), (-54, -74), (-58, -112)],
        [(8, -52), (50, -58), (54, -132)],
        [(0, -6), (0, -172)],
    ]
    for n, line in enumerate(arms):
        wide = 42 if n == 2 else 26
        at = [(x + a * size, y + b * size) for a, b in line]
        canvas.stroke(at, wide * size, lit(own, 0.2, 0.3))
        edge = [(a - wide * 0.22 * size, b) for a, b in at]
        canvas.stroke(edge, wide * 0.16 * size, mix(own, WHITE, 0.35), 0.8)
        tip = at[-1]
        canvas.disc(tip[0], tip[1] - wide * 0.5 * size, wide * 0.3 * size, bloom)
    for _ in range(16):
        a, b = random.uniform(-16, 16), random.uniform(-165, -14)
        canvas.disc(x + a * size, y + b * size, 1.6 * size, "#f4f1de", 0.9)


def lighthouse(canvas: Canvas, x: float, y: float, size: float, random: Random) -> None:
    """A lighthouse that is not sure which way is up."""
    lean, own = random.uniform(-0.12, 0.12), random.choice(("#d1495b", "#00798c", "#edae49"))

    def at(points: list[Point]) -> list[Point]:
        return turned([(x + a * size, y + b * size) for a, b in points], lean, (x, y))

    for n in range(6):
        low, high = 34 - 3 * n, 31 - 3 * n
        ring: list[Point] = [
            (-low, -25 * n),
            (low, -25 * n),
            (high, -25 * n - 25),
            (-high, -25 * n - 25),
        ]
        canvas.polygon(at(ring), lit(own if n % 2 else "#f7f3e8", 0.3, 0.25))
    canvas.polygon(at(box(0, -156, 48, 8)), mix(own, INK, 0.6))
    top = at([(0, -172)])[0]
    canvas.glow(*top, 120 * size, "#ffe9a8", 0.95)
    canvas.polygon(at(box(0, -172, 24, 24)), "#fff4cf")
    canvas.polygon(at([(-22, -184), (22, -184), (0, -206)]), mix(own, INK, 0.3))
    canvas.polygon(at(box(0, -14, 18, 28)), mix(own, INK, 0.7))


PROPS: dict[str, tuple[Color, Draw]] = {
    "pines": ("#7fb59a", pine),
    "marble": ("#c98f7a", marble),
    "gears": ("#4a7fa8", gear),
    "tower": ("#e0805f", tower),
    "market": ("#6a4a8c", stall),
    "duel": ("#5fa39a", duel),
    "fox": ("#d8b06a", fox),
    "coins": ("#b3417f", coins),
    "balloons": ("#6fb1d6", balloon),
    "harbour": ("#4f8fa8", boat),
    "robot": ("#9a8f7a", robot),
    "desert": ("#e0a458", cactus),
    "lighthouse": ("#5c86b8", lighthouse),
}
"""The color of an item's world, and what stands in it."""
