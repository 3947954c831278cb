"""`contentsvc publish`: a folder becomes content, or a new revision of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import cast
from uuid import uuid4

from contentsvc.client import ApiError, Client, FilesRefused
from contentsvc.client.files.local import LocalFile, Measured, Progress
from contentsvc.command import content_commands, manifest
from contentsvc.command.content_commands import Bar
from contentsvc.command.errors import CommandError
from contentsvc.command.formatting import size, some
from contentsvc.command.manifest import IDS, Ids, Manifest
from contentsvc.command.terminal import say
from contentsvc.command.watch import SignIn
from contentsvc.wire.content import (
    ContentCreate,
    ContentDetail,
    ContentUpdate,
    EntityReference,
    Precheck,
    PrecheckDependency,
    RevisionCreate,
    RevisionDetail,
)
from contentsvc.wire.files import FileUse


def read(folder: Path) -> Manifest:
    """What the folder's manifest says, whose files are all there. Raises CommandError, OSError."""
    wanted = manifest.read(folder)
    for _, name in wanted.parts():
        manifest.located(folder, name)
    return wanted


def publish(folder: Path, wanted: Manifest, url: str, sign_in: SignIn) -> int:
    """Publish what the folder's manifest says. The exit status."""
    return content_commands.run(url, sign_in, _Publishing(folder, wanted).run)


class _Publishing:
    """One publication of a folder."""

    def __init__(self, folder: Path, wanted: Manifest) -> None:
        self._folder = folder
        self._wanted = wanted
        self._sent: dict[Path, int] = {}

    async def run(self, client: Client) -> int:
        wanted, folder = self._wanted, self._folder
        uses = dict.fromkeys(wanted.parts())
        local = [
            LocalFile(cast(FileUse, use), manifest.located(folder, name)) for use, name in uses
        ]
        measured = await client.transfers.measure(local)
        files = dict(zip(uses, measured, strict=True))
        binary = {name: file for (use, name), file in files.items() if use != "screenshot"}
        shots = [files["screenshot", name].path for name in wanted.screenshots]
        ids, revision = manifest.planned(
            wanted,
            manifest.load_ids(folder),
            {name: file.path for name, file in binary.items()},
            {name: file.sha256 for name, file in binary.items()},
        )
        manifest.save(folder / IDS, ids)
        try:
            await self._publish(client, ids, revision, shots, measured)
        except ApiError as error:
            raise _named(error, folder, measured) from None
        return 0

    async def _publish(
        self,
        client: Client,
        ids: Ids,
        revision: RevisionCreate,
        shots: list[str],
        measured: Sequence[Measured],
    ) -> None:
        there = await _detail(client, ids.content)
        made = None if there is None else await _revision(client, ids)
        if made is not None and made.gone:
            # Its files have been released. Published again, it is another revision.
            ids.revision = revision.revision_id = str(uuid4())
            manifest.save(self._folder / IDS, ids)
        if there is None:
            await self._create(client, ids, revision, shots, measured)
        elif made is None or made.gone:
            await self._revise(client, there, ids, revision, shots, measured)
        else:
            await self._describe(client, there, ids, shots, measured)

    async def _create(
        self,
        client: Client,
        ids: Ids,
        revision: RevisionCreate,
        shots: list[str],
        files: Sequence[Measured],
    ) -> None:
        wanted = self._wanted
        await self._check(client, "create", ids, revision)
        await self._send(client, files)
        create = ContentCreate(
            name=wanted.name,
            description=wanted.description,
            screenshot_uris=shots,
            type=wanted.type,
            tags=wanted.tags,
            revision_id=revision.revision_id,
            revision_description=revision.revision_description,
            version=revision.version,
            entity=revision.entity,
            originating=revision.originating,
            using=revision.using,
            packages_originating=revision.packages_originating,
            packages_using=revision.packages_using,
        )
        await client.content.put(ids.content, create)
        self._done("Published", ids)

    async def _revise(
        self,
        client: Client,
        there: ContentDetail,
        ids: Ids,
        revision: RevisionCreate,
        shots: list[str],
        files: Sequence[Measured],
    ) -> None:
        await self._check(client, "update", ids, revision)
        await self._send(client, files)
        await client.revisions.publish(ids.content, revision)
        await self._update(client, there, ids, shots)
        self._done("Published a new revision of", ids)

    async def _describe(
        self,
        client: Client,
        there: ContentDetail,
        ids: Ids,
        shots: list[str],
        files: Sequence[Measured],
    ) -> None:
        # What the service has lost meanwhile is sent again. An update needs the screenshots, and
        # must not fail for another file, which may be blocked.
        await self._upload(client, [file for file in files if file.use == "screenshot"])
        changed = await self._update(client, there, ids, shots)
        await self._send(client, files)
        if changed:
            self._done("The files are unchanged. Updated the description of", ids)
        else:
            self._done("Nothing has changed since the last publication of", ids)
        if there.revision_id != ids.revision:
            say(f"The content shows another revision now: {there.revision_id}.")

    async def _check(
        self, client: Client, operation: str, ids: Ids, revision: RevisionCreate
    ) -> None:
        """The pre-check, in words. Raises CommandError if publishing would fail."""
        ours = [revision.entity, *revision.originating]
        answer = await client.precheck.check(
            Precheck(
                content_id=ids.content,
                operation="create" if operation == "create" else "update",
                dependencies=[
                    *(
                        PrecheckDependency(
                            entity_id=part.entity_id, revision_id=part.revision_id, path=part.path
                        )
                        for part in ours
                    ),
                    *(
                        PrecheckDependency(entity_id=part.entity_id, revision_id=part.revision_id)
                        for part in revision.using
                    ),
                ],
                packages=[
                    *(package.id for package in revision.packages_originating),
                    *revision.packages_using,
                ],
                entity=EntityReference(
                    entity_id=revision.entity.entity_id, revision_id=revision.entity.revision_id
                ),
            )
        )
        needed = {(part.entity_id, part.revision_id) for part in answer.needed}
        problems = [f"{problem.code}: {problem.detail}" for problem in answer.problems]
        problems += [
            f"the service does not have the part {part.entity_id}, revision {part.revision_id}, "
            "which `using` names"
            for part in revision.using
            if (part.entity_id, part.revision_id) in needed
        ]
        problems += [
            f"the service does not have the package {package}, which `packages_using` names"
            for package in revision.packages_using
            if package in answer.needed_packages
        ]
        if problems:
            raise CommandError(f"the pre-check found: {'; '.join(problems)}")
        new = [
            *(part for part in ours if (part.entity_id, part.revision_id) in needed),
            *(p for p in revision.packages_originating if p.id in answer.needed_packages),
        ]
        total = len(ours) + len(revision.packages_originating)
        say(f"Pre-check: nothing stands in the way. {len(new)} of {some(total, 'part')} new.")

    async def _upload(self, client: Client, files: Sequence[Measured]) -> None:
        unique = {file.path: file for file in files}
        with Bar() as step:

            def seen(progress: Progress) -> None:
                if progress.done < progress.total:
                    self._sent[progress.file] = progress.total
                if progress.file in self._sent:
                    step(progress)

            await client.transfers.upload(list(unique.values()), progress=seen)

    async def _send(self, client: Client, files: Sequence[Measured]) -> None:
        await self._upload(client, files)
        say(
            f"Uploaded {some(len(self._sent), 'file')}, {size(sum(self._sent.values()))}. "
            f"Verified {some(len({file.path for file in files}), 'file')}."
        )

    async def _update(
        self, client: Client, there: ContentDetail, ids: Ids, shots: list[str]
    ) -> bool:
        """Whether description, screenshots or tags were other than the manifest says."""
        wanted = self._wanted
        if (there.name, there.type) != (wanted.name, wanted.type):
            say(f"The name and the type cannot be changed: it stays {there.name}, {there.type}.")
        before = (there.description, there.screenshot_uris, there.tags)
        if before == (wanted.description, shots, wanted.tags):
            return False
        update = ContentUpdate(
            description=wanted.description, screenshot_uris=shots, tags=wanted.tags
        )
        await client.content.put(ids.content, update)
        return True

    def _done(self, what: str, ids: Ids) -> None:
        wanted = self._wanted
        say(f"{what} {wanted.name} {wanted.version}.")
        say(f"content  {ids.content}", f"revision {ids.revision}")


async def _detail(client: Client, content: str) -> ContentDetail | None:
    try:
        return await client.content.get(content)
    except ApiError as error:
        if error.status == 404:
            return None
        raise


async def _revision(client: Client, ids: Ids) -> RevisionDetail | None:
    try:
        return await client.content.get_revision(ids.content, ids.revision)
    except ApiError as error:
        if error.status == 404:
            return None
        raise


def _named(error: ApiError, folder: Path, files: Sequence[Measured]) -> ApiError:
    """The error with what its reader can act upon: the names of the files that it is about, or the
    file with the ids."""
    if error.code == "forbidden":
        hint = (
            f"{folder / IDS} has the ids of somebody else's content. "
            "Without this file the folder becomes content of your own"
        )
        return ApiError(error.status, error.code, f"{error.detail} {hint}", error.problem)
    paths = error.problem.get("paths")
    concerned = [file.file for file in files if isinstance(paths, list) and file.path in paths]
    return FilesRefused(error, list(dict.fromkeys(concerned))) if concerned else error
