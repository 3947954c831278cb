"""The types that a service takes, and those that its content has (content#types)."""

from collections.abc import Sequence
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from contentsvc.api.paging import choice
from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_pointer
from contentsvc.store.content import types

_FRESH: Final = 60.0
"""Seconds for which the types of all content are remembered."""


class Chosen(list[str]):
    """Some types. `every` says that they are all there are."""

    every: bool = False


@define(eq=False)
class ContentTypes:
    """The types that new content may have. What has another one, which the service took once, is
    read as before."""

    _clock: IReactorTime
    _db: Db
    taken: Sequence[str]
    _known: Cached[list[str]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._known = Cached(self._clock, _FRESH, self._read, [*self.taken])

    def check(self, pointer: str, type: str) -> None:
        """Raises InvalidBody unless new content may have this type."""
        if type not in self.taken:
            raise at_pointer(pointer, f"This must be one of {', '.join(self.taken)}.")

    async def choice(self, text: str) -> Chosen:
        """The types of a category. Raises InvalidQuery."""
        known = await self._known.get()
        chosen = Chosen(choice("category", text, known))
        chosen.every = len(chosen) == len(known)
        return chosen

    async def _read(self) -> list[str]:
        """The types that there are."""
        others = set(await types.used(self._db)) - set(self.taken)
        return [*self.taken, *sorted(others)]
