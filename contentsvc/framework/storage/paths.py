"""The paths of files, which are named by their digests, and of the smaller images that are made of
images (files#files)."""

import re
from collections.abc import Iterable
from typing import Final

BINARY: Final = "application/octet-stream"
"""The media type of all that lies in the content bucket."""
EXTENSIONS: Final = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
"""The media types of the media bucket, and how their paths end."""
TYPES: Final = {extension: media for media, extension in EXTENSIONS.items()}
_DIGEST = re.compile("[0-9a-f]{64}")
_OURS = re.compile(r"([0-9a-f]{2})/(\1[0-9a-f]{62})(\.(?:png|jpg|webp))?\Z")
WIDTHS: Final = (320, 1280)
"""The widths of the smaller images that the service makes of each image."""
_SMALLER = re.compile(rf"(.*)\.(?:{'|'.join(map(str, WIDTHS))})\.webp\Z")
_HELD = re.compile(r"held/([0-9a-f]{2})/\1[0-9a-f]{62}\Z")
_LENGTHS = {len("ab/") + 64 + len(extension) for extension in ("", ".png", ".webp")}


def is_digest(text: str) -> bool:
    """Whether a text has the form of a sha256 in lower case."""
    return _DIGEST.fullmatch(text) is not None


def path_of(sha256: str, media_type: str = BINARY) -> str:
    """The path of a file with this digest: in the media bucket for the types of EXTENSIONS, in the
    content bucket for BINARY. Raises KeyError for any other type."""
    return f"{sha256[:2]}/{sha256}{'' if media_type == BINARY else EXTENSIONS[media_type]}"


def paths_of(sha256: str) -> list[str]:
    """All paths that a file with this digest can have."""
    return [path_of(sha256, media_type) for media_type in (BINARY, *EXTENSIONS)]


def is_ours(path: str) -> bool:
    """Whether a path has the form of the service's own. All such paths are the service's."""
    return len(path) in _LENGTHS and _OURS.match(path) is not None


def smaller_of(path: str) -> list[str]:
    """The paths of the smaller images of one of the service's own paths, in the order of WIDTHS;
    none for what is no image."""
    return [f"{path}.{width}.webp" for width in WIDTHS] if is_media(path) else []


def with_smaller(paths: Iterable[str]) -> list[str]:
    """Some of the service's own paths, and those of their smaller images."""
    return [each for path in paths for each in (path, *smaller_of(path))]


def image_of(path: str) -> str | None:
    """The path of the image, if this is the path of a smaller one."""
    found = _SMALLER.match(path)
    return found[1] if found is not None and is_ours(found[1]) and is_media(found[1]) else None


def held_path_of(path: str) -> str:
    """Where the bytes of one of the service's own paths are kept apart: in the content bucket, once
    for each digest. No path that a user may name has this form."""
    return f"held/{path[:67]}"


def is_held(path: str) -> bool:
    """Whether bytes are kept apart at this path."""
    return _HELD.match(path) is not None


def is_kept(path: str) -> bool:
    """Whether the service stores bytes at this path: those of a file, a smaller image, or what is
    kept apart."""
    return is_ours(path) or image_of(path) is not None or is_held(path)


def is_media(path: str) -> bool:
    """Whether the bytes of a path are in the media bucket."""
    return "." in path


def digest_of(path: str) -> str:
    """The digest in one of the service's own paths; for a smaller image that of its image."""
    return path.removeprefix("held/")[3:67]


def media_type_of(path: str) -> str:
    """The media type of the bytes of a path."""
    _, dot, ending = path.rpartition(".")
    return TYPES.get(dot + ending, BINARY)
