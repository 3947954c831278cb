"""The types and platforms that a service takes, and those that there are."""

from collections.abc import Collection, Sequence
from typing import Final

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from contentsvc.api.paging import choice
from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_parameter, at_pointer
from contentsvc.store.content import types_and_platforms as store

_FRESH: Final = 60.0
"""Seconds for which the types of all content, and the platforms of all packages, are remembered."""


@define(eq=False)
class _Taken:
    """Names that the service takes, and those that are there: what has another one, which the
    service took once, is read as before."""

    _clock: IReactorTime
    _db: Db
    taken: Sequence[str]
    _known: Cached[list[str]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._known = Cached(self._clock, _FRESH, self._read, [*self.taken])

    def check(self, pointer: str, name: str) -> None:
        """Raises InvalidBody unless this, which stands at the pointer, is taken."""
        if name not in self.taken:
            raise at_pointer(pointer, f"This must be one of {', '.join(self.taken)}.")

    def check_all(self, pointer: str, names: Sequence[str]) -> None:
        """Raises InvalidBody unless all of these, which stand at this pointer, are taken."""
        for index, name in enumerate(names):
            self.check(f"{pointer}/{index}", name)

    async def _read(self) -> list[str]:
        return [*self.taken, *sorted(set(await self._used()) - set(self.taken))]

    async def _used(self) -> Collection[str]:
        """Those that are there; without those that are taken, if that is less to read."""
        raise NotImplementedError


class Chosen(list[str]):
    """Some types. `every` says that they are all there are."""

    every: bool = False


@define(eq=False)
class ContentTypes(_Taken):
    """The types of content (content#types)."""

    async def choice(self, text: str) -> Chosen:
        """The types of a category. Raises InvalidQuery."""
        known = await self._known.get()
        chosen = Chosen(choice("category", text, known))
        chosen.every = len(chosen) == len(known)
        return chosen

    async def _used(self) -> Collection[str]:
        return await store.types(self._db)


@define(eq=False)
class Platforms(_Taken):
    """The platforms of packages (content#platforms)."""

    async def asked(self, name: str | None) -> str | None:
        """The platform of a query. Raises InvalidQuery unless it is taken, or a package has it."""
        if name is None or name in self.taken:
            return name
        known = await self._known.get()
        if name not in known:
            raise at_parameter("platform", f"This must be one of {', '.join(known)}.")
        return name

    async def _used(self) -> Collection[str]:
        return await store.platforms(self._db, [*self.taken])
