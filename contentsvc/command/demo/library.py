"""What the people of `contentsvc demo` keep, gather, play and let each other see."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID

from msgspec import json

from contentsvc.command.demo import world
from contentsvc.command.demo.society import People, notify
from contentsvc.command.demo.world import Needs, id_of
from contentsvc.db.query import Db, none
from contentsvc.store.content import (
    collections,
    guests,
    plays,
    subscriptions,
    tallies,
)
from contentsvc.store.content.requirements import Requirements
from contentsvc.store.social import pairs
from contentsvc.wire.base import tag_of
from contentsvc.wire.content import GameVersions, Requires
from contentsvc.wire.notifications import MemberInvited, TesterInvited

_MANY = 1000
"""More than the demo has of anything that is limited."""
_WEEKEND = 5
"""The first day of one. Then more is played."""


def requirements_of(item: str, number: int) -> Requirements:
    """What a revision of an item requires."""
    low, high, platforms, features = world.NEEDS.get((item, number), Needs())
    requires = Requires()
    if low is not None or high is not None:
        versions = {"min": low, "max": high}
        given = {name: text for name, text in versions.items() if text is not None}
        requires.game = GameVersions(**given)
    if platforms is not None:
        requires.platforms = platforms
    if features is not None:
        requires.features = features
    if requires == Requires():
        return Requirements()
    return Requirements(
        json.encode(requires).decode(),
        None if low is None else (_numbers(low) + [0] * 4)[:4],
        None if high is None else _numbers(high),
        None if platforms is None else [*platforms],
        features,
    )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


async def fill(db: Db, people: People, now: int) -> None:
    """Let in testers and members, keep, gather and play. `now` is in Unix seconds."""
    for guest in world.GUESTS:
        await _let_in(db, people, guest)
    for name, items in world.KEPT.items():
        for item in items.split():
            await subscriptions.put(db, people[name], id_of(item), None, False, 0)
    for name, item, number in world.PINNED:
        revision = id_of(f"{item}/{number}")
        await subscriptions.put(db, people[name], id_of(item), revision, False, 0)
    for name, items in world.LIKED.items():
        user = people[name]
        await collections.write_favourites(db, user)
        await _gather(db, user, items.split())
    for shelf in world.SHELVES:
        user, id = people[shelf.owner], id_of(shelf.name)
        await collections.create(db, user, id, shelf.name, shelf.description, shelf.public)
        await _gather(db, id, shelf.items)
    await _play(db, people, datetime.fromtimestamp(now, UTC).date())
    # Where a daemon adds up already, it does this too.
    if held := await tallies.hold(db, str(UUID(int=0))):
        await tallies.add_up(db, held)


async def _gather(db: Db, collection: str, items: list[str]) -> None:
    for place, item in enumerate(items):
        await collections.put(db, collection, id_of(item), collections.GAP * place, True)


async def _let_in(db: Db, people: People, guest: world.Guest) -> None:
    (author,) = (people[item.author] for item in world.ITEMS if item.name == guest.item)
    user, content = people[guest.name], id_of(guest.item)
    kind = TesterInvited if guest.role == "tester" else MemberInvited
    await pairs.hold(db, author, user)
    await guests.invite(db, content, author, user, guest.role, tag_of(kind), _MANY, 0)
    await notify(db, user, kind(content=content, sender=author))
    if guest.accepted:
        await guests.accept(db, content, user)


@none("""
    update content_tallies t
    set day = p.day, created = p.day + time '12:00'
    from unnest(:users::uuid[], :plays::uuid[], :days::date[]) as p (user_id, play, day)
    where t.user_id = p.user_id and t.play = p.play
""")
async def _date(db: Db, users: list[str], plays: list[str], days: list[str]) -> None:
    """Say on which days these plays were, which have just been counted."""


@none("""
    update content_tallies t set day = :today::date - (c.place * 5 % :days::integer)::integer
    from (
        select ctid, row_number() over (order by content_id, ctid) as place from content_tallies
        where content_id = any(:contents::uuid[]) and not added and subscribers > 0
    ) c
    where t.ctid = c.ctid
""")
async def _spread(db: Db, contents: list[str], today: str, days: int) -> None:
    """Have people subscribed on several days."""


async def _play(db: Db, people: People, today: date) -> None:
    random = Random("plays")  # noqa: S311
    players = [name for name in people if name not in {"odile", "warden"}]
    played: list[tuple[str, str, str]] = []
    fetched: list[tuple[str, str, str]] = []
    for item, most in world.PLAYED.items():
        for ago in range(world.MONTH - 1, -1, -1):
            day = today - timedelta(days=ago)
            # It becomes known, and at weekends there is time.
            known = 0.35 + 0.65 * (world.MONTH - ago) / world.MONTH
            often = most * known * (1.3 if day.weekday() >= _WEEKEND else 0.8)
            for number in range(round(random.uniform(0.4, 1) * often)):
                name = random.choice(players)
                seconds, ended = random.randrange(120, 3000), random.random() < 0.4
                play = id_of(f"play {number} of {item}, {ago} days ago")
                given = None, play, seconds, ended, 0
                await plays.add(db, people[name], id_of(item), False, *given)
                played.append((people[name], play, str(day)))
                if random.random() < 0.35:
                    fetched.append((people[name], id_of(item), str(day)))
    await _date(db, *_columns(played))
    await tallies.add_downloads(db, *_columns(fetched))
    contents = [id_of(item.name) for item in world.ITEMS]
    await _spread(db, contents, str(today), world.MONTH)


def _columns(rows: list[tuple[str, str, str]]) -> tuple[list[str], list[str], list[str]]:
    one, two, three = zip(*rows, strict=True)
    return [*one], [*two], [*three]
