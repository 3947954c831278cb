"""`contentsvc fetch`: the files of a content come into a folder."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from contentsvc.client import Client
from contentsvc.client.files.downloading import Downloaded
from contentsvc.client.files.local import room_of, shares
from contentsvc.command import content_commands, manifest
from contentsvc.command.content_commands import Bar, agree, blocking
from contentsvc.command.terminal import CommandError, say, say_error, size, some
from contentsvc.command.watch import SignIn
from contentsvc.wire.base import GUID_PATTERN, file_name
from contentsvc.wire.content import ContentDetail, RevisionDetail
from contentsvc.wire.files import ContentFile, FilesQuery
from contentsvc.wire.packages import Platform, paths_of

RESULT = "content.json"
NAMES = ".names.json"
"""The file that says what the others are called, by where they are in the folder."""


def fetch(
    content: str,
    folder: Path,
    url: str,
    sign_in: SignIn | None,
    revision: str | None,
    platform: Platform | None,
    most: int | None = None,
) -> int:
    """Get the files of a content's current revision, or of another, if they need at most so many
    bytes. The exit status. Raises OSError if there can be no such folder."""
    folder.mkdir(parents=True, exist_ok=True)

    async def run(client: Client, reactor: Any) -> int:
        return await _fetch(client, reactor, content, folder, revision, platform, most)

    return content_commands.run(url, sign_in, run)


async def _fetch(
    client: Client,
    reactor: Any,
    content: str,
    folder: Path,
    revision: str | None,
    platform: Platform | None,
    most: int | None,
) -> int:
    detail = await client.content.get(content)
    made = await client.content.get_revision(content, revision or detail.revision_id)
    parts = list(parts_of(made, platform))
    names: dict[str, list[str]] = {}
    for part in parts:
        names.setdefault(part["path"], []).append(part["file"])
    listed = await client.downloads.list_revision_files(
        content, made.id, FilesQuery(platform=platform)
    )
    several = any(len(each) > 1 for each in names.values())
    shared = not several or await blocking(reactor, shares, folder)
    needed = room_of(
        {file.path: file.size for file in listed if file.path in names},
        [part["path"] for part in parts],
        shared=shared,
    )
    agree(detail.name, needed, most, asks=True)
    with Bar() as step:
        done = await client.transfers.download(
            content, folder, revision=made.id, platform=platform, names=names, progress=step
        )
    got = {each.file.path: each for each in done}
    there = [part for part in parts if part["path"] in got and got[part["path"]].names]
    manifest.save(folder / NAMES, names_of(there, listed))
    manifest.save(folder / RESULT, result_of(detail, made, platform, parts, got))
    return _report(folder, parts, got)


def parts_of(made: RevisionDetail, platform: Platform | None) -> Iterator[dict[str, Any]]:
    """What a revision needs, each with the name that its file gets."""
    for entity in (made.entity, *made.originating, *made.using):
        ids = _checked(entity.entity_id), _checked(entity.revision_id)
        name = f"entities/{ids[0]}/{ids[1]}"
        about = {"use": "entity", "entityId": ids[0], "revisionId": ids[1]}
        yield {**about, "path": entity.path, "file": name}
    for package in made.packages:
        for system, path in paths_of(package).items():
            if platform in {None, system}:
                name = f"packages/{_checked(package.id)}/{system}"
                about = {"use": "package", "packageId": package.id, "platform": system}
                yield {**about, "path": path, "file": name}


def names_of(parts: Iterable[dict[str, Any]], listed: Iterable[ContentFile]) -> dict[str, str]:
    """What the files of these parts are called, by where they are in the folder. Some have no
    name."""
    left: dict[tuple[Any, ...], list[str | None]] = {}
    for file in listed:
        left.setdefault((file.use, file.path, file.platform), []).append(file.name)
    names = {}
    for part in parts:
        # Where parts share a file, it is listed for each, in the same order.
        given = left.get((part["use"], part["path"], part.get("platform")))
        if given and (name := given.pop(0)):
            # Whoever reads it may make a path of it.
            names[part["file"]] = file_name(name)
    return names


def _checked(id: str) -> str:
    """An id that becomes a part of a path."""
    if not re.match(GUID_PATTERN, id):
        raise CommandError(f"the service has an id that is none: {id!r}")
    return id


def result_of(
    detail: ContentDetail,
    made: RevisionDetail,
    platform: Platform | None,
    parts: list[dict[str, Any]],
    got: dict[str, Downloaded],
) -> dict[str, Any]:
    """What the file beside the others says. A part without a file could not be had."""
    listed = []
    for part in parts:
        one = got.get(part["path"])
        if one is None:
            listed.append({**part, "file": None})
        else:
            about = {"sha256": one.file.sha256, "size": one.file.size}
            listed.append({**part, **about, "file": part["file"] if one.names else None})
    return {
        "content": detail.id,
        "name": detail.name,
        "type": detail.type,
        "author": detail.author_username,
        "revision": made.id,
        "version": made.version,
        "changes": made.description,
        "platform": platform,
        "files": listed,
    }


def _report(folder: Path, parts: list[dict[str, Any]], got: dict[str, Downloaded]) -> int:
    there = [each for each in got.values() if each.names]
    fresh = [each for each in there if each.fresh]
    if fresh:
        total = size(sum(each.file.size for each in fresh))
        say(f"Fetched and verified {some(len(fresh), 'file')}, {total}, into {folder}.")
    elif there:
        say(f"{some(len(there), 'file')} verified in {folder}: all were there already.")
    missing = [part for part in parts if part["path"] not in got or not got[part["path"]].names]
    for part in missing:
        why = "is not given out" if part["path"] in got else "is not among the service's files"
        say_error(f"{part['file']}: {part['path']} {why}")
    return 1 if missing else 0
