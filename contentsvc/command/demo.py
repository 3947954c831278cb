"""The small world of `contentsvc demo`.

All ids except those that the database gives are made from names. So a second run recognises the
world.
"""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID, uuid5

from msgspec import json

from contentsvc.db.query import Db
from contentsvc.store import (
    accounts,
    challenges,
    comments,
    content,
    notifications,
    progress,
    ratings,
    social,
    users,
)
from contentsvc.store.floods import UNLIMITED
from contentsvc.wire.challenges import AchievementDefinition, EmblemDefinition, RewardDefinition
from contentsvc.wire.dependencies import PLATFORMS, Entity, Package
from contentsvc.wire.notifications import (
    ContentSuspended,
    Debug,
    FriendRequest,
    Notification,
    PartyInvite,
)


class DemoError(Exception):
    """The demo conflicts with existing data."""


def id_of(name: str) -> str:
    """The GUID of the demo's thing with this name."""
    return str(uuid5(UUID("f6f4ad6c-6b0a-4d0f-9f0e-6d0f3f0b7c11"), name))


class Person(NamedTuple):
    """A user. `full` is the private profile, if it differs from the public one."""

    name: str
    public: str | None
    full: str | None = None
    admin: bool = False


class Item(NamedTuple):
    """A content. `brings` are entities published with it. `uses` are core entities of other
    items."""

    name: str
    author: str
    type: str
    title: str
    description: str
    tags: list[str]
    brings: list[str] = []
    uses: list[str] = []
    package: str | None = None
    packages: list[str] = []


class Remark(NamedTuple):
    """A comment and its replies. Each is an author and a text."""

    item: str
    author: str
    text: str
    replies: list[tuple[str, str]] = []


PEOPLE = [
    Person("mira", "I build towers, and then I make them fall.", "Mira. Wakes up before noon."),
    Person("tomas", "Marble, brass and bad puns."),
    Person("juno", "Mostly here for the avatars."),
    Person("kestrel", None, "Trying things out."),
    Person("curator", "I look after this place.", admin=True),
]
ITEMS = [
    Item("pines", "mira", "asset", "Lowland Pines", "Twelve pines that sway in the wind.",
         ["nature", "trees"], ["bark", "needles"], package="foliage"),
    Item("marble", "tomas", "asset", "Marble Set", "Slabs, columns and one very round ball.",
         ["stone"], ["veins"]),
    Item("tower", "mira", "game", "Tilting Tower", "Stack it as high as it goes. It will go.",
         ["physics", "co-op"], ["crane", "scoreboard"], ["pines", "marble"],
         packages=["foliage"]),
    Item("market", "tomas", "scene_box", "Night Market", "Forty stalls, lanterns and rain.",
         ["city", "night"], ["lantern"], ["marble"]),
    Item("duel", "kestrel", "gameplay_box", "Clockwork Duel", "Two players, one spring.",
         ["versus"], ["spring"]),
    Item("fox", "juno", "avatar_box", "Paper Fox", "Folds up when you sit down.", ["animals"]),
    Item("coins", "kestrel", "game", "Free Coins Here", "Just enter your password.", []),
]  # fmt: skip
FEATURED = "tower"
SUSPENDED = "coins"
REASON = "It asks players for their passwords."
FOLLOWS = [("juno", "mira"), ("juno", "tomas"), ("kestrel", "mira"), ("tomas", "mira"),
           ("mira", "tomas"), ("curator", "juno")]  # fmt: skip
VOTES = {"tower": ("juno tomas kestrel curator", ""), "market": ("mira juno", "kestrel"),
         "fox": ("mira curator", ""), "duel": ("juno", "tomas mira"),
         "pines": ("tomas", "")}  # fmt: skip
REMARKS = [
    Remark("tower", "tomas", "Nineteen floors, then a gust.", [
        ("mira", "The gust is a feature."), ("tomas", "So is my lawyer.")]),
    Remark("tower", "juno", "More cranes, please."),
    Remark("market", "mira", "The rain on the lanterns is lovely.", [
        ("tomas", "It took a week. Thank you.")]),
    Remark("fox", "curator", "Featured next week, I think."),
]  # fmt: skip
WITHDRAWN = Remark("duel", "juno", "First.")
CHALLENGES = [
    ("Build it tall", "towers", "gold", "#d4a017"),
    ("One colour only", "colour", "prism", "#5b8def"),
]


async def build(db: Db, hashed: Callable[[], str]) -> bool:
    """Write the world. False if it exists already. `hashed` makes a password hash.

    Raises DemoError.
    """
    if await content.standing(db, id_of(ITEMS[0].name)):
        return False
    people = {}
    for person in PEOPLE:
        if await users.id_of(db, person.name):
            raise DemoError(f"a user {person.name} exists already, whose name the demo needs")
        people[person.name] = await _register(db, person, hashed())
    for item in ITEMS:
        await _publish(db, item, people[item.author])
    for follower, followed in FOLLOWS:
        await social.follow(db, people[follower], people[followed], *UNLIMITED)
    for name, (up, down) in VOTES.items():
        for voters, good in ((up, True), (down, False)):
            for voter in voters.split():
                await ratings.put(db, people[voter], id_of(name), False, good)
    await _discuss(db, people)
    await _moderate(db, people)
    for ordinal, (name, theme, emblem, color) in enumerate(CHALLENGES, 1):
        await _challenge(db, ordinal, name, theme, emblem, color)
    best, most = '{"floors":19,"seconds":412}', progress.NO_LIMIT
    await progress.put(db, people["juno"], "tower/best", best, None, most, most)
    return True


async def _register(db: Db, person: Person, hashed: str) -> str:
    email = f"{person.name}@demo.example"
    user = await accounts.register(db, person.name, email, hashed, person.admin)
    full = person.full or person.public
    await users.update(db, user, f"avatars/{person.name}.png", None, full, person.public)
    return user


async def _publish(db: Db, item: Item, author: str) -> None:
    name = item.name
    core, others = _entity(name), [_entity(f"{name}/{part}") for part in item.brings]
    packages = [] if item.package is None else [_package(item.package)]
    revision = id_of(f"{name}/1")
    await content.create(
        db,
        content=id_of(name),
        author=author,
        type=item.type,
        name=item.title,
        description=item.description,
        screenshots=[f"screenshots/{name}-{n}.jpg" for n in (1, 2)],
        tags=item.tags,
        revision=revision,
        version="1.0",
        revision_description="First published.",
        core=core.entity_id,
        core_revision=core.revision_id,
        entities=[core, *others],
        packages=packages,
    )
    most, span = UNLIMITED
    await content.depend(
        db,
        revision=revision,
        originating=others,
        using=[_entity(part) for part in item.uses],
        packages=[*(package.id for package in packages), *map(id_of, item.packages)],
        author=author,
        most=most,
        span=span,
    )


def _entity(name: str) -> Entity:
    return Entity(
        entity_id=id_of(f"entity {name}"),
        revision_id=id_of(f"entity {name}, revision 1"),
        path=f"entities/{name}.entity",
    )


def _package(name: str) -> Package:
    paths = {platform: f"packages/{name}.{platform}" for platform in PLATFORMS}
    return Package(id=id_of(name), **paths)


async def _discuss(db: Db, people: dict[str, str]) -> None:
    for remark in REMARKS:
        item = id_of(remark.item)
        first = await _comment(db, item, people[remark.author], None, remark.text)
        for author, text in remark.replies:
            await _comment(db, item, people[author], first, text)
    item = id_of(WITHDRAWN.item)
    last = await _comment(db, item, people[WITHDRAWN.author], None, WITHDRAWN.text)
    if last is not None:
        await comments.delete(db, item, last)


async def _comment(db: Db, item: str, author: str, parent: int | None, text: str) -> int | None:
    written = await comments.create(db, item, author, False, parent, text, *UNLIMITED)
    return written and written.id


async def _moderate(db: Db, people: dict[str, str]) -> None:
    await content.set_featured(db, id_of(FEATURED), True)
    await content.set_status(db, id_of(SUSPENDED), "suspended")
    suspended = ContentSuspended(content=id_of(SUSPENDED), reason=REASON)
    party = PartyInvite(sender=people["juno"], party=id_of("juno's party"))
    for recipient, notification in (
        ("kestrel", suspended),
        ("mira", FriendRequest(sender=people["tomas"])),
        ("mira", party),
        ("mira", Debug(text="Welcome to the demo.")),
    ):
        await _tell(db, people[recipient], notification)
    await social.invite(db, people["juno"], people["mira"], party.party, 0)


async def _tell(db: Db, recipient: str, notification: Notification) -> None:
    # Only stored: daemons with a socket of the recipient find it within seconds.
    kind = str(notification.__struct_config__.tag)
    await notifications.insert(db, recipient, kind, json.encode(notification).decode())


async def _challenge(
    db: Db, ordinal: int, name: str, theme: str, emblem: str, color: str
) -> None:
    def reward(what: str, title: str) -> str:
        definition = RewardDefinition(
            achievement=AchievementDefinition(
                key=f"{theme}_{what}", name=f"{name}: {title}", description=f"{title} of “{name}”."
            ),
            emblem=EmblemDefinition(
                name=f"{title}, {theme}",
                description=f"What a {title.lower()} wears.",
                image=f"emblems/{emblem}-{what}.png",
                color=color,
            ),
        )
        return json.encode(definition).decode()

    description = f"Publish something new on the theme “{theme}”."
    win, participate = reward("win", "Winner"), reward("participate", "Participant")
    await challenges.create(db, name, ordinal, description, theme, win, participate)
