"""What the scaling process runs: it makes smaller images of images that nobody has checked.

Any image may be made to break its reader. So this process has nothing that is worth breaking in
for: no environment, no files, no sockets, no system calls but for its pipes and its memory, little
memory and time. It imports nothing of ours but what closes it in, and Python runs it as a file.

Its arguments are the widths, the most pixels of an image, the bytes of memory that it may have, and
1 if the system's calls are to be filtered, or else 0. Standard input has images: for each its
length in 4 bytes, its kind in 4 (JPEG, PNG and a space, or WEBP), the milliseconds of processor
time that it may take in 4, and its bytes. Standard output gets a word for each, and the word's
parts, each with its length in 4 bytes before it: ``made`` and the smaller images in the order of
the widths, or ``none`` and why not. The word ``ready`` comes first.
"""

import contextlib
import io
import os
import signal
import struct
import sys
from collections.abc import Callable, Sequence
from typing import Final

QUALITY: Final = 80
_ORIENTATION: Final = 0x0112
"""The tag of EXIF."""
_TURNED: Final = frozenset({5, 6, 7, 8})
"""The orientations in which width and height change places."""
_PROFILE: Final = 1024 * 1024
"""Bytes of a colour profile that is read. Those in use have some hundred to some thousand."""


def step_back() -> None:
    """Run only when nobody else needs the processor."""
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        os.nice(19)


if __name__ == "__main__":
    # The imports too are work.
    step_back()

from PIL import (  # noqa: E402
    Image,
    ImageCms,
    ImageFile,
    JpegImagePlugin,
    PngImagePlugin,
    WebPImagePlugin,
)

from contentsvc.framework.images import sandbox  # noqa: E402


class _WebP(WebPImagePlugin.WebPImageFile):
    """Gives up its decoder, which has two whole images, before Pillow copies the pixels: else one
    of 33 million would need too much memory."""

    def _get_next(self) -> tuple[bytes, int, int]:
        frame = super()._get_next()
        self._decoder = None
        return frame


KINDS: Final[dict[str, Callable[[io.BytesIO], ImageFile.ImageFile]]] = {
    "JPEG": JpegImagePlugin.JpegImageFile,
    "PNG": PngImagePlugin.PngImageFile,
    "WEBP": _WebP,
}
"""What reads each kind. Nothing else is ever tried."""
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


class Unreadable(Exception):
    """There is nothing to make of this image, for this reason."""


def scaled(data: bytes, kind: str, widths: Sequence[int], most_pixels: int) -> list[bytes]:
    """Smaller images as WebP, at most so wide, never enlarged, turned as EXIF says, with sRGB
    colours and without metadata. Raises Unreadable."""
    try:
        with KINDS[kind](io.BytesIO(data)) as image:
            return _scaled(image, widths, most_pixels)
    except Unreadable:
        raise
    except MemoryError:
        raise Unreadable("it needs too much memory") from None
    except Exception as error:
        # A reader may raise anything, and most of it is meant for programmers.
        raise Unreadable(f"{type(error).__name__}: {error}") from None


def _scaled(image: ImageFile.ImageFile, widths: Sequence[int], most_pixels: int) -> list[bytes]:
    if image.width * image.height > most_pixels:
        raise Unreadable(f"it has {image.width} x {image.height} pixels")
    widest = max(widths)
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        # Decoded in a half, a quarter or an eighth of its size, if that is enough.
        turned = _orientation(image) in _TURNED
        full = image.size[::-1] if turned else image.size
        size = _fitting(full, widest)
        image.draft("", size[::-1] if turned else size)
    image.load()
    orientation = _orientation(image)
    profile = image.info.get("icc_profile")
    smaller: Image.Image = _plain(image)
    found: dict[int, bytes] = {}
    for width in sorted(widths, reverse=True):
        turned = orientation in _TURNED
        size = _fitting(smaller.size[::-1] if turned else smaller.size, width)
        smaller = _resized(smaller, size[::-1] if turned else size)
        if width == widest:
            # Only now: that is less to turn and to convert.
            smaller = _in_srgb(smaller, profile)
            if orientation in _TURNS:
                smaller = smaller.transpose(_TURNS[orientation])
                orientation = 1
        found[width] = _written(smaller)
    return [found[width] for width in widths]


def _fitting(size: tuple[int, int], width: int) -> tuple[int, int]:
    """The size that an image gets which is at most so wide."""
    if size[0] <= width:
        return size
    return width, max(1, round(size[1] * width / size[0]))


def _orientation(image: Image.Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except Exception:
        # What the camera has said is broken. The pixels need not be.
        return 1
    return value if isinstance(value, int) else 1


def _plain(image: Image.Image) -> Image.Image:
    """The pixels as 8 bits of each of their colours, without a palette."""
    if image.mode.startswith("I"):
        # Grey with 16 bits. To convert them would cut off all that is brighter than 255.
        return image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        return image if image.mode in {"RGBA", "LA"} else image.convert("RGBA")
    return image if image.mode in {"RGB", "L", "CMYK"} else image.convert("RGB")


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    if image.size == size:
        return image
    return image.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)


def _in_srgb(image: Image.Image, profile: object) -> Image.Image:
    """With the colours that its profile means. Without a profile they are sRGB already, as all who
    show images take it."""
    mode = "RGBA" if image.mode in {"RGBA", "LA"} else "RGB"
    if isinstance(profile, bytes) and len(profile) <= _PROFILE:
        # One that is damaged, or for another mode, says nothing.
        with contextlib.suppress(ImageCms.PyCMSError, OSError, ValueError):
            meant = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            alpha = image.getchannel("A") if mode == "RGBA" else None
            colours = image.convert("RGB") if image.mode == "RGBA" else image
            if alpha is not None and image.mode == "LA":
                colours = image.convert("L")
            made = ImageCms.profileToProfile(colours, meant, _SRGB, outputMode="RGB")
            if made is not None:
                if alpha is not None:
                    made.putalpha(alpha)
                return made
    return image if image.mode == mode else image.convert(mode)


_SRGB: Final = ImageCms.createProfile("sRGB")


def _written(image: Image.Image) -> bytes:
    out = io.BytesIO()
    # Pillow would write what it has read beside the pixels.
    image.info.clear()
    image.save(out, "WEBP", quality=QUALITY, method=4, exif=b"", icc_profile=b"", xmp=b"")
    return out.getvalue()


def warm_up(widths: Sequence[int]) -> None:
    """Do everything once: Pillow imports parts of itself only when it needs them."""
    picture = Image.new("RGB", (2, 1))
    exif = Image.Exif()
    exif[_ORIENTATION] = 6
    profile = ImageCms.ImageCmsProfile(_SRGB).tobytes()
    for kind in KINDS:
        out = io.BytesIO()
        picture.save(out, kind, exif=exif, icc_profile=profile)
        scaled(out.getvalue(), kind, widths, 2)


def allow_time(milliseconds: int) -> None:
    """Let the next image cost so much processor time. After that the system ends the process."""
    signal.setitimer(signal.ITIMER_PROF, milliseconds / 1000)


def _read(length: int) -> bytes:
    """So many bytes. Raises EOFError if nobody sends any more."""
    parts = sys.stdin.buffer.read(length)
    if len(parts) < length:
        raise EOFError
    return parts


def _write(word: str, parts: Sequence[bytes] = ()) -> None:
    out = sys.stdout.buffer
    for part in (word.encode(), *parts):
        out.write(struct.pack(">I", len(part)))
        out.write(part)
    out.flush()


def main(widths: Sequence[int], most_pixels: int, memory: int, filtered: int) -> None:
    """Work until nobody sends any more. Raises what `sandbox.close` raises: then nothing is
    read."""
    # What ends the daemon from a terminal is for the daemon alone.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    # Of broken images Pillow warns whoever has a terminal.
    sys.warnoptions[:] = ["ignore"]
    warm_up(widths)
    sandbox.close(memory, filtered=bool(filtered))
    _write("ready")
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            length, kind, milliseconds = struct.unpack(">I4sI", _read(12))
            allow_time(milliseconds)
            try:
                made = scaled(_read(length), kind.decode().strip(), widths, most_pixels)
            except Unreadable as error:
                _write("none", [str(error)[:200].encode()])
            else:
                _write("made", made)


if __name__ == "__main__":
    *_widths, _most_pixels, _memory, _filtered = map(int, sys.argv[1:])
    main(_widths, _most_pixels, _memory, _filtered)
    # What Python does at its end is not allowed any more.
    os._exit(0)
