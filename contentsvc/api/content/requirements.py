"""What revisions require, and what clients have (content#requirements)."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, json

from contentsvc.api.content.types_and_platforms import Platforms
from contentsvc.api.paging import words
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_parameter, at_pointer
from contentsvc.store.content.requirements import Has, Requirements, fitting_of
from contentsvc.wire.content import FEATURE, ContentInfo, Requires, ShownRequires
from contentsvc.wire.library import SubscriptionsQuery
from contentsvc.wire.searches import MOST_FEATURES, ClientQuery, ContentQuery, ContentSearch

NUMBERS: Final = 4
"""The most of a version. Missing ones are 0."""
_feature = re.compile(FEATURE)


def _version(text: str) -> list[int]:
    return [int(number) for number in text.split(".")]


def _whole(version: list[int]) -> list[int]:
    return version + [0] * (NUMBERS - len(version))


def requirements(requires: Requires | None, platforms: Platforms) -> Requirements:
    """What is stored of it. Raises InvalidBody if `min` is above `max`, or a platform is not
    taken."""
    if requires is None:
        return Requirements()
    low = high = None
    if requires.game is not UNSET:
        low = None if requires.game.min is UNSET else _whole(_version(requires.game.min))
        high = None if requires.game.max is UNSET else _version(requires.game.max)
    if low is not None and high is not None and low[: len(high)] > high:
        raise at_pointer("/requires/game/min", "This must not be above max.")
    if requires.platforms is not UNSET:
        platforms.check_all("/requires/platforms", requires.platforms)
    return Requirements(
        json.encode(requires).decode(),
        low,
        high,
        None if requires.platforms is UNSET else [*requires.platforms],
        None if requires.features is UNSET else [*requires.features],
    )


def shown(requires: str | None) -> ShownRequires | None:
    """What was stored."""
    return None if requires is None else json.decode(requires, type=ShownRequires)


async def client(
    query: ClientQuery | ContentQuery | ContentSearch | SubscriptionsQuery, platforms: Platforms
) -> Has:
    """What a client says of itself. Raises InvalidQuery."""
    features = None
    if query.features is not None:
        features = words(query.features) if query.features else []
        if len(features) > MOST_FEATURES or not all(map(_feature.fullmatch, features)):
            raise at_parameter(
                "features",
                f"This must be a comma-separated list of up to {MOST_FEATURES} features, each 1 to "
                "32 of a-z, 0-9, `.`, `_` and `-`.",
            )
    game = None if query.game is None else _whole(_version(query.game))
    return Has(game, await platforms.asked(query.platform), features)


async def put_fitting(db: Db, infos: Sequence[ContentInfo], has: Has) -> None:
    """Put into these what fits."""
    rows = await fitting_of(db, [info.revision_id for info in infos], *has)
    fitting = dict(rows)
    for info in infos:
        info.fitting = fitting.get(info.revision_id)
