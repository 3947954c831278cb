"""What the people of `contentsvc demo` keep, gather, play and let each other see."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from uuid import UUID

from msgspec import json

from contentsvc.command.demo import world
from contentsvc.command.demo.society import People, notify
from contentsvc.command.demo.world import Needs, id_of
from contentsvc.framework.db.query import Db, none
from contentsvc.store.content import access_list, collections, content_counts, plays, subscriptions
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
    today = datetime.fromtimestamp(now, UTC).date()
    for order, (name, items) in enumerate(world.KEPT.items()):
        for place, item in enumerate(items.split()):
            await subscriptions.put(db, people[name], id_of(item), None, False, 0)
            day = today - timedelta(days=(7 * order + 5 * place) % world.MONTH)
            await _subscribed(db, id_of(item), str(today), str(day))
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
    await _play(db, people, today)
    # Where a daemon adds up already, it does this too.
    if held := await content_counts.hold(db, str(UUID(int=0))):
        await content_counts.add_up(db, held)


async def _gather(db: Db, collection: str, items: list[str]) -> None:
    for place, item in enumerate(items):
        await collections.put(db, collection, id_of(item), collections.GAP * place, True)


async def _let_in(db: Db, people: People, guest: world.Guest) -> None:
    (author,) = (people[item.author] for item in world.ITEMS if item.name == guest.item)
    user, content = people[guest.name], id_of(guest.item)
    kind = TesterInvited if guest.role == "tester" else MemberInvited
    await pairs.hold(db, author, user)
    await access_list.invite(db, content, author, user, guest.role, tag_of(kind), _MANY, 0)
    await notify(db, user, kind(content=content, sender=author))
    if guest.accepted:
        await access_list.accept(db, content, user)


@none("""
    update content_tallies set day = :day::date, created = :day::date + time '12:00'
    where user_id = :user and play = any(:plays::uuid[])
""")
async def _date(db: Db, user: str, day: str, plays: list[str]) -> None:
    """Say on which day these plays of a user were, which have just been counted."""


@none("""
    update content_tallies set day = :day::date
    where content_id = :content and not added and subscribers > 0 and day = :today::date
""")
async def _subscribed(db: Db, content: str, today: str, day: str) -> None:
    """Say on which day somebody has subscribed who just has."""


async def _play(db: Db, people: People, today: date) -> None:
    random = Random("plays")  # noqa: S311
    players = [name for name in people if name not in {"odile", "warden"}]
    played: dict[tuple[str, str], list[str]] = {}
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
                played.setdefault((people[name], str(day)), []).append(play)
                if random.random() < 0.35:
                    fetched.append((people[name], id_of(item), str(day)))
    for (user, on), those in played.items():
        await _date(db, user, on, those)
    users, contents, days = zip(*fetched, strict=True)
    await content_counts.add_downloads(db, [*users], [*contents], [*days])
