"""Revisions of content (extensions §1)."""

from contentsvc.client.calls import Calls, quoted
from contentsvc.client.reading import Page, Seen
from contentsvc.wire.base import Part
from contentsvc.wire.content import CurrentRevision, RequiresChange, RevisionCreate, RevisionInfo


class Revisions:
    """Publishing new revisions, and choosing which of them a content shows. `content.get_revision`
    reads one."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def publish(self, content: str, body: RevisionCreate) -> str:
        """Publish a new revision, which becomes the current one. Returns its id. The client
        repeats this if it gets no answer: a second time changes nothing."""
        return await self._calls.create(_path(content), body, operation="publishRevision")

    async def list(self, content: str, query: Part | None = None) -> Page[RevisionInfo]:
        """List the revisions of a content, newest first."""
        return await self._calls.page(_path(content), RevisionInfo, query)

    async def set_current(
        self, content: str, body: CurrentRevision, *, seen: Seen | None = None
    ) -> None:
        """Go back to an older revision, or forward to a newer one."""
        await self._calls.send("PUT", f"{_path(content)}/current", body, seen=seen)

    async def delete(self, content: str, revision: str) -> None:
        """Delete an older revision of the user's own content: it gives up its files, and stays in
        the list."""
        await self._calls.send("DELETE", f"{_path(content)}/{quoted(revision)}")

    async def put_requires(
        self, content: str, revision: str, body: RequiresChange, *, seen: Seen | None = None
    ) -> None:
        """Say what a revision requires of a client, from now on."""
        await self._calls.send(
            "PUT", f"{_path(content)}/{quoted(revision)}/requires", body, seen=seen
        )


def _path(content: str) -> str:
    return f"/content/{quoted(content)}/revisions"
