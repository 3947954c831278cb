"""Numbers and times as a reader of a terminal wants them."""

from datetime import UTC, datetime


def span(seconds: int) -> str:
    """A time in the largest unit that fits, and the next."""
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [(days, "d"), (hours, "h"), (minutes, "min"), (rest, "s")]
    first = next((n for n, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2])


def size(count: int) -> str:
    """A number of bytes in the largest unit that fits."""
    scaled = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if scaled < 1024:
            return f"{scaled:.0f} {unit}" if unit == "B" else f"{scaled:.1f} {unit}"
        scaled /= 1024
    return f"{scaled:.1f} TiB"


def some(number: int, noun: str) -> str:
    """1 file, 2 files."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def moment(seconds: int) -> str:
    """A time in Unix seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
