"""What a revision requires of a game, and which one fits a client (content#requirements)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none
from contentsvc.store.rate_limits import CHANGES, taken


class Requirements(NamedTuple):
    """What a revision requires: the JSON that is shown, and of it what is compared. Versions are
    lists of numbers; that of `game_min` has four. None is anything."""

    requires: str | None = None
    game_min: list[int] | None = None
    game_max: list[int] | None = None
    platforms: list[str] | None = None
    features: list[str] | None = None


class Has(NamedTuple):
    """What a client says of itself: the four numbers of its version, its platform, and the features
    that it has. What it does not say is None, and is not compared."""

    game: list[int] | None
    platform: str | None
    features: list[str] | None

    @property
    def asked(self) -> bool:
        """Whether it says anything."""
        return self != (None, None, None)


class Fitting(NamedTuple):
    """The current revision of a content, and the one that fits; None if none does."""

    revision: str
    fitting: str | None


def fitting(content: str, current: str) -> str:
    """The revision of a content that fits the parameters `game`, `platform` and `features`: the
    current one, or else the newest that was published before it and is not gone; null if there is
    none. `content` and `current` are SQL, for the ids of both."""
    return f"""(
        select fit.id from revisions fit
        where fit.content_id = {content}
          and fit.ordinal <= (select shown.ordinal from revisions shown where shown.id = {current})
          and (fit.id = {current} or not fit.gone)
          and fits(fit.game_min, fit.game_max, fit.platforms, fit.features,
                   :game::integer[], :platform::text, :features::text[])
        order by fit.ordinal desc limit 1
    )"""


_OF_CURRENT: Final = fitting("c.content_id", "c.id")


@many(f"""
    select c.id as revision, {_OF_CURRENT} as fitting
    from revisions c where c.id = any((select :revisions::uuid[])::uuid[])
""")
async def fitting_of(
    db: Db,
    revisions: list[str],
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> list[Fitting]:
    """The fitting revisions of contents of which these are the current ones."""


_SET: Final = """
    requires = :requires, game_min = :game_min, game_max = :game_max, platforms = :platforms,
    features = :features
"""


@none(f"update revisions set {_SET} where id = :revision")
async def _set(
    tx: Db,
    revision: str,
    requires: str | None,
    game_min: list[int] | None,
    game_max: list[int] | None,
    platforms: list[str] | None,
    features: list[str] | None,
) -> None:
    """Set what a revision requires."""


async def note(tx: Db, revision: str, requirements: Requirements) -> None:
    """Note what a revision requires that this transaction has made."""
    if requirements.requires is not None:
        await _set(tx, revision, *requirements)


class Put(NamedTuple):
    """What came of a change: the seconds until the caller may change one more, then nothing has
    changed; None if nothing differs."""

    wait: int | None


@maybe(f"""
    with held as materialized (
        select id, requires is distinct from :requires as differs from revisions
        where id = :revision and content_id = :content
        for no key update
    ), allowed as materialized (
        select id, {taken(CHANGES, ":caller::uuid")} as wait from held where differs
    ), changed as (
        update revisions r set {_SET} from allowed a where r.id = a.id and a.wait = 0
    )
    select a.wait from held h left join allowed a on true
""")
async def put(
    tx: Db,
    content: str,
    revision: str,
    caller: str,
    most: int,
    requires: str | None,
    game_min: list[int] | None,
    game_max: list[int] | None,
    platforms: list[str] | None,
    features: list[str] | None,
) -> Put | None:
    """Change what a revision of a content requires, whose row the transaction has locked. What
    differs counts for the caller's limit of `most` CHANGES, 0 for any number. None if the content
    has no such revision."""
