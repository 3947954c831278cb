"""Files: uploads, downloads, the storage and blocks (files#announcing, files#sending,
files#own-files, files#downloads, files#blocking)."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from contentsvc.wire.base import Count, Line, Record, Seconds, Wire, described
from contentsvc.wire.packages import Platform, ShownPlatform

FileUse = Literal["entity", "package", "screenshot", "avatar", "emblem"]
"""What a file is for. The first two are in the content bucket, the others in the media bucket."""
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
"""A path of the form that the service gives files: `ab/abcdef…` of the digest (files#files)."""
Bytes = Annotated[int, Meta(ge=1, le=2**53, description="a number of bytes")]
ByteCount = Annotated[int, described("a number of bytes")]
"""A number of bytes in an answer."""
Pixels = Annotated[int, described("a number of pixels", bits=32)]
FilesOption = Literal["local", "s3", "external"]


class AnnouncedFile(Wire):
    """A file that a client announces (files#announcing). `size` is in bytes. `mediaType` is
    required unless `use` is `entity` or `package`."""

    use: Annotated[FileUse, Meta(extra_json_schema={"examples": ["entity"]})]
    sha256: Sha256
    size: Bytes
    media_type: Annotated[str, Meta(max_length=256)] | None = None


class UploadsBody(Wire):
    """The files that a client is going to publish."""

    files: Annotated[list[AnnouncedFile], Meta(min_length=1, max_length=1000)]


class Upload(Record):
    """The request by which a client sends a file (files#sending). It needs exactly these headers,
    and no token. The URL is good until `expires`."""

    method: Literal["PUT"]
    url: str
    headers: dict[str, str]
    expires: Seconds


class UploadedFile(Record):
    """The path of an announced file, and the `upload` to send it with. `upload` is null if the
    service has the file."""

    sha256: Sha256
    path: FilePath
    upload: Upload | None


class UploadsAnswer(Record):
    """The announced files, in their order."""

    files: list[UploadedFile]


class FilesQuery(Wire):
    """Which files to list. With `platform`, the files of packages for other platforms are left
    out."""

    platform: (
        Annotated[Platform, Meta(description="a platform: leaves out packages' files for others")]
        | None
    ) = None


class ContentFile(Record):
    """A file of a content item (files#downloads). `size` is in bytes. `url` and `expires` are null
    if the file cannot be downloaded. `platform` is null unless the file is of a package. `name` is
    null if the author gave none, or it is hidden. A file of several parts is listed once for each
    of them."""

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
    """The most bytes of a file, of an image, and of all files of a user; 0: no limit. The most
    pixels of a side of an image, and of the whole image."""

    file_bytes: ByteCount
    image_bytes: ByteCount
    user_bytes: ByteCount
    image_side: Pixels = 0
    image_pixels: Pixels = 0


class StorageInfo(Record):
    """Where files are stored, and which files the service accepts."""

    files: FilesOption
    media_url: str
    media_types: list[str]
    image_widths: list[Annotated[int, described("a width in pixels", bits=32)]]
    """The widths of the smaller sizes of each image, at its path with `.320.webp` and so on
    (files#image-sizes)."""
    limits: StorageLimits


class UserStorage(Record):
    """The bytes that a user has announced, stored or published, the user's limit of bytes, and the
    number of announced files that have no bytes yet."""

    used: ByteCount
    limit: ByteCount
    pending: Count


class BlockBody(Wire):
    """Why a file is blocked (files#blocking). With `preserve`, its bytes are kept in a hold
    (moderation#holds)."""

    reason: Line
    preserve: bool = False
