"""Letters as lines, for the pictures of `contentsvc demo`."""

from contentsvc.command.demo.canvas import Canvas, Paint, Point, rounded

_LETTERS = {
    "A": "062046 1434",
    "B": "0006 ~00404303 ~03434606",
    "C": "~414000064645",
    "D": "0006 ~00404606",
    "E": "40000646 0333",
    "F": "400006 0333",
    "G": "~414000064643 4323",
    "H": "0006 4046 0343",
    "I": "0006",
    "J": "~30360605",
    "K": "0006 400346",
    "L": "000646",
    "M": "0600254046",
    "N": "06004640",
    "O": "~204046060020",
    "P": "0006 ~00404303",
    "Q": "~204046060020 3446",
    "R": "0006 ~00404303 2346",
    "S": "~4140000343460605",
    "T": "0040 2026",
    "U": "~00064640",
    "V": "002640",
    "W": "0016233640",
    "X": "0046 4006",
    "Y": "002340 2326",
    "Z": "00400646",
}
"""The lines of each letter, as pairs of x (0 to 4) and y (0 to 6, down). Those that begin with ~
have round corners."""
_GAP = 2.2
_SPACE = 3.2


def width(text: str, size: float) -> float:
    """How wide a text is whose letters are `size` tall."""
    letters = [_wide(letter) for letter in text.upper()]
    return (sum(letters) + _GAP * (len(letters) - 1)) * size / 6


def write(
    canvas: Canvas, text: str, x: float, y: float, size: float, paint: Paint, bold: float = 0.17
) -> None:
    """Write a text of letters and spaces. Its upper left corner is at x, y; its letters are `size`
    tall, and their lines `bold` times that wide."""
    unit = size / 6
    lines: list[list[Point]] = []
    for letter in text.upper():
        for line in _LETTERS.get(letter, "").split():
            digits = line.removeprefix("~")
            places = zip(digits[::2], digits[1::2], strict=True)
            points = [(x + int(a) * unit, y + int(b) * unit) for a, b in places]
            lines.append(rounded(points) if line.startswith("~") else points)
        x += (_wide(letter) + _GAP) * unit
    if lines:
        canvas.strokes(lines, size * bold, paint)


def _wide(letter: str) -> float:
    lines = _LETTERS.get(letter)
    if lines is None:
        return _SPACE
    return max(int(x) for line in lines.split() for x in line.removeprefix("~")[::2])
