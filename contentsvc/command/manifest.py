"""A folder of content: the manifest that a person writes, and the ids that the command keeps."""

import json
import tomllib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated, Any
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct

from contentsvc.client.files.local import write_whole
from contentsvc.command.terminal import CommandError
from contentsvc.framework.core.utf8 import without_mark
from contentsvc.wire.base import GUID_PATTERN, NOT_BLANK, Name, Text, file_name
from contentsvc.wire.content import (
    CONTENT_TYPES,
    TYPE_PATTERN,
    EntityDefinition,
    EntityReference,
    RevisionCreate,
    Tags,
)
from contentsvc.wire.packages import define, is_platform

MANIFEST = "content.toml"
IDS = "content.ids.json"
_ID = Annotated[str, Meta(pattern=GUID_PATTERN)]
_PATTERNS = {
    GUID_PATTERN: "a GUID with dashes",
    NOT_BLANK.pattern: "a name that is not blank",
    TYPE_PATTERN: "a type",
}
_File = Annotated[str, Meta(min_length=1)]


class Used(Struct, forbid_unknown_fields=True):
    """A part of other content."""

    entity: _ID
    revision: _ID


PackageFiles = dict[str, _File]
"""The files of a package, by platform."""


class Manifest(Struct, forbid_unknown_fields=True):
    """What content.toml says. Files are named as seen from its folder."""

    name: Name
    type: Annotated[str, Meta(pattern=TYPE_PATTERN)]
    entity: _File
    screenshots: Annotated[list[_File], Meta(min_length=1, max_length=64)]
    description: Text = ""
    tags: Tags = []
    version: str = "1"
    changes: Text = ""
    originating: list[_File] = []
    using: list[Used] = []
    packages: dict[str, PackageFiles] = {}
    packages_using: list[_ID] = []

    def parts(self) -> Iterator[tuple[str, str]]:
        """Each file that is named, with its use."""
        yield "entity", self.entity
        for file in self.originating:
            yield "entity", file
        for package in self.packages.values():
            for file in package.values():
                yield "package", file
        for file in self.screenshots:
            yield "screenshot", file


class KnownEntity(Struct):
    """The ids of a file that is an entity, and the digest of the bytes that they are for."""

    id: _ID
    revision: _ID
    sha256: str


class KnownPackage(Struct):
    """The id of a package, and the digests of its files."""

    id: _ID
    sha256: dict[str, str]


class Ids(Struct):
    """What the command remembers between two publications of `content`. The id of the core entity
    stays when its file gets another name. `fingerprint` is that of the revision with the id
    `revision`."""

    content: _ID
    entity: KnownEntity | None = None
    originating: dict[str, KnownEntity] = {}
    packages: dict[str, KnownPackage] = {}
    revision: str = ""
    fingerprint: str = ""


def read(folder: Path) -> Manifest:
    """The folder's manifest. Raises CommandError in words for its author, OSError."""
    path = folder / MANIFEST
    try:
        text = without_mark(path.read_bytes()).decode()
        found = msgspec.convert(tomllib.loads(text), Manifest)
    except FileNotFoundError:
        raise CommandError(f"{path} is not there; it says what to publish") from None
    except UnicodeDecodeError:
        raise CommandError(f"{path} must be UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise CommandError(f"{path}: {error}") from None
    except msgspec.ValidationError as error:
        raise CommandError(f"{path}: {_words(error)}") from None
    doubled = {file for file in found.originating if found.originating.count(file) > 1}
    if doubled or found.entity in found.originating:
        twice = ", ".join(sorted(doubled)) or found.entity
        raise CommandError(f"{path}: {twice} is named twice among entity and originating")
    for name, package in found.packages.items():
        if not package:
            raise CommandError(f"{path}: the package {name} has no file for any platform")
        for platform in package:
            if not is_platform(platform):
                raise CommandError(
                    f"{path}: the package {name} has {platform!r}, which is no platform: 1 to 32 "
                    "of a-z, 0-9 and _"
                )
    return found


def _words(error: Exception) -> str:
    """The error for an author, who has not seen our patterns and lists."""
    text = str(error).replace("$.", "").replace("`", "")
    for pattern, words in _PATTERNS.items():
        text = text.replace(f"Expected str matching regex {pattern!r}", f"Expected {words}")
    if text.endswith(" - at type"):
        text += f", which is one of {', '.join(CONTENT_TYPES)}, or another that the service takes"
    return text


def located(folder: Path, name: str) -> Path:
    """A file that the manifest names. It lies in the folder: a folder that somebody else has made
    must not publish other files of this machine. Raises CommandError."""
    path = folder.joinpath(*PurePosixPath(name).parts)
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (RuntimeError, ValueError):
        # A link that leads to itself, or a NUL.
        raise CommandError(f"{MANIFEST}: {name!r} is no name of a file") from None
    if not inside:
        raise CommandError(f"{MANIFEST}: {name} does not lie in the folder")
    if not path.is_file():
        raise CommandError(f"{MANIFEST}: {name} is not there, or is no file")
    return path


def load_ids(folder: Path) -> Ids:
    """The ids of an earlier publication, or where there is no file, new ones. Raises CommandError,
    OSError."""
    path = folder / IDS
    try:
        return msgspec.json.decode(without_mark(path.read_bytes()), type=Ids)
    except FileNotFoundError:
        return Ids(str(uuid4()))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise CommandError(
            f"{path} is damaged: {_words(error)}. It says which content this is. Put back a copy "
            'of it, or make it {"content": "ID"}, with the id in the address of the content'
        ) from None


def save(path: Path, value: Any) -> None:
    """Write JSON, whole or not at all. Raises OSError."""
    text = json.dumps(msgspec.to_builtins(value), indent=2, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def planned(
    manifest: Manifest, ids: Ids, paths: dict[str, str], digests: dict[str, str]
) -> tuple[Ids, RevisionCreate]:
    """The ids after this publication, and the revision that it publishes. `paths` and `digests`
    are those of the files by name. What has other bytes than before gets a new revision or, as
    packages have none, a new id. If nothing is new, the revision is the one of the time before."""
    core = _entity(ids.entity, digests[manifest.entity])
    others = {
        file: _entity(ids.originating.get(file), digests[file]) for file in manifest.originating
    }
    packages = {
        name: _package(ids.packages.get(name), package, digests)
        for name, package in manifest.packages.items()
    }
    revision = RevisionCreate(
        revision_id="",
        revision_description="",
        version=manifest.version,
        entity=_definition(core, paths[manifest.entity]),
        originating=[_definition(known, paths[file]) for file, known in others.items()],
        using=[
            EntityReference(entity_id=used.entity.lower(), revision_id=used.revision.lower())
            for used in manifest.using
        ],
        packages_originating=[
            define(packages[name].id, {on: paths[file] for on, file in package.items()})
            for name, package in manifest.packages.items()
        ],
        packages_using=[id.lower() for id in manifest.packages_using],
    )
    fingerprint = sha256(msgspec.json.encode(revision)).hexdigest()
    same = ids.revision and fingerprint == ids.fingerprint
    revision.revision_id = ids.revision if same else str(uuid4())
    revision.revision_description = manifest.changes
    # What only got another name is no other revision.
    for entity, file in zip(
        (revision.entity, *revision.originating), (manifest.entity, *others), strict=True
    ):
        entity.name = file_name(PurePosixPath(file).name)
    for definition, (name, package) in zip(
        revision.packages_originating, manifest.packages.items(), strict=True
    ):
        definition.name = name_of(name, package)
    known = Ids(ids.content, core, others, packages, revision.revision_id, fingerprint)
    return known, revision


def _entity(before: KnownEntity | None, digest: str) -> KnownEntity:
    if before is not None and before.sha256 == digest:
        return before
    return KnownEntity(str(uuid4()) if before is None else before.id, str(uuid4()), digest)


def _package(
    before: KnownPackage | None, package: PackageFiles, digests: dict[str, str]
) -> KnownPackage:
    now = {platform: digests[file] for platform, file in package.items()}
    if before is not None and before.sha256 == now:
        return before
    return KnownPackage(str(uuid4()), now)


def _definition(known: KnownEntity, path: str) -> EntityDefinition:
    return EntityDefinition(entity_id=known.id, revision_id=known.revision, path=path)


def name_of(package: str, files: PackageFiles) -> str:
    """What the files of a package are called: as each is here, or if they differ, as the package,
    with the ending that all have."""
    names = {PurePosixPath(file).name for file in files.values()}
    if len(names) == 1:
        return file_name(names.pop())
    endings = {PurePosixPath(name).suffix for name in names}
    return file_name(package, endings.pop() if len(endings) == 1 else "")
