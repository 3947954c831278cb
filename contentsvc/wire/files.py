"""Files: the bytes behind the service's own paths (files#files)."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from contentsvc.wire.base import Count, Line, Record, Seconds, Wire, described
from contentsvc.wire.packages import Platform, ShownPlatform

FileUse = Literal["entity", "package", "screenshot", "avatar", "emblem"]
"""What a file is for. The first two lie in the content bucket, the others in the media bucket."""
CONTENT_USES: Final = frozenset({"entity", "package"})
SHA256_PATTERN: Final = r"^[0-9a-f]{64}\Z"

_EXAMPLE = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
Sha256 = Annotated[
    str,
    Meta(
        pattern=SHA256_PATTERN,
        description="a SHA-256 digest of 64 lower-case hexadecimal digits",
        examples=[_EXAMPLE],
    ),
]
"""The SHA-256 digest of a file."""
FilePath = Annotated[str, Meta(examples=[f"9f/{_EXAMPLE}"])]
"""A path of the service's own form."""
Bytes = Annotated[int, Meta(ge=1, le=2**53, description="a number of bytes")]
ByteCount = Annotated[int, described("a number of bytes")]
"""In answers."""
Pixels = Annotated[int, described("a number of pixels", bits=32)]
FilesOption = Literal["local", "s3", "external"]


class AnnouncedFile(Wire):
    """A file that a client has."""

    use: Annotated[FileUse, Meta(extra_json_schema={"examples": ["entity"]})]
    sha256: Sha256
    size: Bytes
    media_type: Annotated[str, Meta(max_length=256)] | None = None
    """Required unless the file is an entity's or a package's."""


class UploadsBody(Wire):
    """The files that a client is going to publish."""

    files: Annotated[list[AnnouncedFile], Meta(min_length=1, max_length=1000)]


class Upload(Record):
    """The request by which a client sends a file. It needs exactly these headers, and no token."""

    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expires: Seconds


class UploadedFile(Record):
    """A file's path, and how to send it; null if it is there."""

    sha256: Sha256
    path: FilePath
    upload: Upload | None


class UploadsAnswer(Record):
    """The announced files, in their order."""

    files: list[UploadedFile]


class FilesQuery(Wire):
    """Which packages' files to list: those for one platform, or all."""

    platform: (
        Annotated[Platform, Meta(description="a platform: leaves out packages' files for others")]
        | None
    ) = None


class ContentFile(Record):
    """A file of a content item. `url` and `expires` are null if it cannot be had, `platform` if it
    is no package's, `name` if whoever published it gave none. A file that is several parts is there
    for each of them."""

    path: FilePath
    use: FileUse
    sha256: Sha256
    size: ByteCount
    media_type: str
    url: str | None
    expires: Seconds | None
    platform: ShownPlatform | None = None
    name: str | None = None


class StorageLimits(Record):
    """In bytes: of a file, of an image, and of all files of a user. 0 is no limit. In pixels: of a
    side of an image, and of the whole image."""

    file_bytes: ByteCount
    image_bytes: ByteCount
    user_bytes: ByteCount
    image_side: Pixels = 0
    image_pixels: Pixels = 0


class StorageInfo(Record):
    """Where files lie, and what is taken."""

    files: FilesOption
    media_url: str
    media_types: list[str]
    image_widths: list[Annotated[int, described("a width in pixels", bits=32)]]
    """The smaller images that there are of each image: at its path with `.320.webp` and so on."""
    limits: StorageLimits


class UserStorage(Record):
    """The bytes that a user has announced, stored or published, their limit, and the number of
    announced files that have no bytes yet."""

    used: ByteCount
    limit: ByteCount
    pending: Count


class BlockBody(Wire):
    """Why a file is blocked. With `preserve`, its bytes are kept for a hold (moderation#holds)."""

    reason: Line
    preserve: bool = False
