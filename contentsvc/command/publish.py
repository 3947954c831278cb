"""`contentsvc publish`: a folder becomes content, or a new revision of it."""

from collections.abc import Awaitable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, cast
from uuid import uuid4

from attrs import define, field
from msgspec import structs

from contentsvc.client import ApiError, Client, FilesRefused
from contentsvc.client.files.local import LocalFile, Measured, Progress
from contentsvc.command import content_commands, manifest
from contentsvc.command.content_commands import Bar
from contentsvc.command.manifest import IDS, Ids, Manifest
from contentsvc.command.terminal import CommandError, say, size, some
from contentsvc.command.watch import SignIn
from contentsvc.wire.content import (
    ContentCreate,
    ContentDetail,
    ContentNameChange,
    ContentUpdate,
    EntityReference,
    Precheck,
    PrecheckDependency,
    RevisionCreate,
)
from contentsvc.wire.files import FileUse
from contentsvc.wire.packages import PLATFORMS

T = TypeVar("T")


def read(folder: Path) -> Manifest:
    """What the folder's manifest says, whose files are all there. Raises CommandError, OSError."""
    wanted = manifest.read(folder)
    for _, name in wanted.parts():
        manifest.located(folder, name)
    return wanted


def publish(folder: Path, wanted: Manifest, url: str, sign_in: SignIn) -> int:
    """Publish what the folder's manifest says. The exit status."""

    async def run(client: Client, reactor: Any) -> int:
        uses = dict.fromkeys(wanted.parts())
        local = [
            LocalFile(cast(FileUse, use), manifest.located(folder, name)) for use, name in uses
        ]
        measured = await client.transfers.measure(local)
        files = dict(zip(uses, measured, strict=True))
        binary = {name: file for (use, name), file in files.items() if use != "screenshot"}
        ids, revision = manifest.planned(
            wanted,
            manifest.load_ids(folder),
            {name: file.path for name, file in binary.items()},
            {name: file.sha256 for name, file in binary.items()},
        )
        manifest.save(folder / IDS, ids)
        shots = [files["screenshot", name].path for name in wanted.screenshots]
        try:
            await _Publishing(client, folder, wanted, ids, revision, shots, measured).run()
        except ApiError as error:
            raise _named(error, folder, measured) from None
        return 0

    return content_commands.run(url, sign_in, run)


@define(eq=False)
class _Publishing:
    """One publication of a folder, whose files have been measured."""

    _client: Client
    _folder: Path
    _wanted: Manifest
    _ids: Ids
    _revision: RevisionCreate
    _shots: list[str]
    _files: Sequence[Measured]
    _sent: dict[Path, int] = field(factory=dict, init=False)

    async def run(self) -> None:
        """Publish new content or a new revision, or bring up to date what is published."""
        content, ids = self._client.content, self._ids
        there = await _found(content.get(ids.content))
        made = None
        if there is not None:
            made = await _found(content.get_revision(ids.content, ids.revision))
        if made is not None and made.gone:
            # Its files have been released. Published again, it is another revision.
            ids.revision = self._revision.revision_id = str(uuid4())
            manifest.save(self._folder / IDS, ids)
        if there is None:
            await self._create()
        elif made is None or made.gone:
            await self._revise(there)
        else:
            await self._describe(there)

    async def _create(self) -> None:
        wanted = self._wanted
        await self._check("create")
        await self._send()
        create = ContentCreate(
            name=wanted.name,
            description=wanted.description,
            screenshot_uris=self._shots,
            type=wanted.type,
            tags=wanted.tags,
            **structs.asdict(self._revision),
        )
        await self._client.content.put(self._ids.content, create)
        self._done("Published")

    async def _revise(self, there: ContentDetail) -> None:
        await self._check("update")
        await self._send()
        await self._client.revisions.publish(self._ids.content, self._revision)
        await self._update(there)
        self._done("Published a new revision of")

    async def _describe(self, there: ContentDetail) -> None:
        # What the service has lost meanwhile is sent again. An update needs the screenshots, and
        # must not fail for another file, which may be blocked.
        await self._upload([file for file in self._files if file.use == "screenshot"])
        changed = await self._update(there)
        await self._send()
        if changed:
            self._done("The files are unchanged. Updated the description of")
        else:
            self._done("Nothing has changed since the last publication of")
        if there.revision_id != self._ids.revision:
            say(f"The content shows another revision now: {there.revision_id}.")

    async def _check_platforms(self) -> None:
        """The service would leave out files for platforms that it does not have. Raises
        CommandError."""
        wanted = {one for package in self._wanted.packages.values() for one in package}
        if not wanted:
            return
        taken = list(PLATFORMS)
        if (service := await _found(self._client.service.get())) is not None:
            taken = [one.name for one in service.platforms]
        for platform in sorted(wanted.difference(taken)):
            raise CommandError(
                f"{manifest.MANIFEST} has the platform {platform}, and the service has "
                f"{', '.join(taken)}"
            )

    async def _check(self, operation: Literal["create", "update"]) -> None:
        """The pre-check, in words. Raises CommandError if publishing would fail."""
        await self._check_platforms()
        revision = self._revision
        ours = [revision.entity, *revision.originating]
        answer = await self._client.precheck.check(
            Precheck(
                content_id=self._ids.content,
                operation=operation,
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

    async def _upload(self, files: Sequence[Measured]) -> None:
        unique = {file.path: file for file in files}
        with Bar() as step:

            def seen(progress: Progress) -> None:
                if progress.done < progress.total:
                    self._sent[progress.file] = progress.total
                if progress.file in self._sent:
                    step(progress)

            await self._client.transfers.upload(list(unique.values()), progress=seen)

    async def _send(self) -> None:
        await self._upload(self._files)
        say(
            f"Uploaded {some(len(self._sent), 'file')}, {size(sum(self._sent.values()))}. "
            f"Verified {some(len({file.path for file in self._files}), 'file')}."
        )

    async def _update(self, there: ContentDetail) -> bool:
        """Whether name, description, screenshots or tags were other than the manifest says."""
        wanted = self._wanted
        if there.type != wanted.type:
            say(f"The type cannot be changed: it stays {there.type}.")
        before = (there.description, there.screenshot_uris, there.tags)
        changed = before != (wanted.description, self._shots, wanted.tags)
        if changed:
            update = ContentUpdate(
                description=wanted.description, screenshot_uris=self._shots, tags=wanted.tags
            )
            await self._client.content.put(self._ids.content, update)
        if there.name != wanted.name:
            change = ContentNameChange(name=wanted.name)
            await self._client.names.set(self._ids.content, change)
            say(f"Renamed {there.name} to {wanted.name}.")
        return changed or there.name != wanted.name

    def _done(self, what: str) -> None:
        say(f"{what} {self._wanted.name} {self._wanted.version}.")
        say(f"content  {self._ids.content}", f"revision {self._ids.revision}")


async def _found(asked: Awaitable[T]) -> T | None:
    """What was asked for; None if it is not there."""
    try:
        return await asked
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
