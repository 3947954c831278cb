"""Builds the small world of `contentsvc demo`."""

from collections.abc import Callable

from msgspec import Raw, json

from contentsvc.command.demo import society, world
from contentsvc.command.demo.files import REWARDS, DemoFiles
from contentsvc.command.demo.world import Change, Contest, Item, Person, id_of
from contentsvc.command.errors import CommandError
from contentsvc.db.query import Db
from contentsvc.store import tasks
from contentsvc.store.accounts import accounts, users
from contentsvc.store.challenges import challenges, closing, entries, rewards
from contentsvc.store.content import (
    content,
    publication_audience,
    ratings,
    revisions,
    search_index,
    withdrawal,
)
from contentsvc.store.progress import progress
from contentsvc.store.rate_limits import DAY
from contentsvc.store.task_queue import TaskQueue
from contentsvc.wire.challenges import AchievementDefinition, EmblemDefinition, RewardDefinition
from contentsvc.wire.content import Entity, Package


async def is_there(db: Db) -> bool:
    """Whether the world exists already. Raises CommandError if it cannot be made."""
    if await content.standing(db, id_of(world.ITEMS[0].name)):
        return True
    for person in world.PEOPLE:
        if await users.id_of(db, person.name):
            raise CommandError(f"a user {person.name} exists already, whose name the demo needs")
    return False


async def build(db: Db, hashed: Callable[[], str], now: int, files: DemoFiles) -> bool:
    """Write the world. False if it exists already. `hashed` makes a password hash; `now` is in Unix
    seconds; the bytes of the `files` are there.

    Raises CommandError.
    """
    if await is_there(db):
        return False
    people = {}
    for person in world.PEOPLE:
        people[person.name] = await _register(db, person, hashed(), files)
    await society.meet(db, people)
    # Daemons look into it every few seconds.
    queue = TaskQueue(lambda: None)
    for item in world.ITEMS:
        await _publish(db, queue, item, people[item.author], files)
    await revisions.make_current(db, id_of(world.ROLLED_BACK), _revision(world.ROLLED_BACK, 1))
    for name, (up, down) in world.VOTES.items():
        for voters, good in ((up, True), (down, False)):
            for voter in voters.split():
                await ratings.put(db, people[voter], id_of(name), False, good)
    await society.discuss(db, people)
    for ordinal, contest in enumerate(world.CHALLENGES, 1):
        await _challenge(db, queue, ordinal, contest, now, people, files)
    await _wear(db, people[world.PROUD])
    await _withdraw(db, queue, people)
    await society.moderate(db, queue, people)
    best, most = '{"floors":19,"seconds":412}', progress.NO_LIMIT
    await progress.put(db, people["juno"], "tower/best", best, None, most, most)
    return True


async def _register(db: Db, person: Person, hashed: str, files: DemoFiles) -> str:
    email = f"{person.name}@demo.example"
    user = await accounts.register(db, person.name, email, hashed, person.admin)
    full, avatar = person.full or person.public, files.avatar(person)
    await users.update(db, user, avatar, None, full, person.public)
    mine = {avatar}
    for item in world.ITEMS:
        if item.author == person.name:
            mine |= files.of_item(item)
    if person.admin:
        mine |= {files.emblem(each, what) for each in world.CHALLENGES for what in REWARDS}
    await files.give(db, user, mine)
    await files.claim_avatar(db, user, avatar)
    return user


async def _wear(db: Db, user: str) -> None:
    """Let a user wear the emblem that they have earned last."""
    stored, (last,) = await users.full(db, user), await rewards.emblems(db, user, None, 1)
    if stored is not None:
        emblem, profiles = last.item.id, (stored.full_profile, stored.public_profile)
        await users.update_earned(db, user, stored.avatar, emblem, *profiles)


async def _publish(db: Db, queue: TaskQueue, item: Item, author: str, files: DemoFiles) -> None:
    name = item.name
    core = _entity(files, name)
    others = [_entity(files, f"{name}/{part}") for part in item.brings]
    packages = [] if item.package is None else [_package(files, item.package)]
    await content.create(
        db,
        content=id_of(name),
        author=author,
        type=item.type,
        name=item.title,
        description=item.description,
        screenshots=files.screenshots(item),
        tags=item.tags,
        revision=_revision(name, 1),
        version="1.0",
        revision_description="First published.",
        core=core.entity_id,
        core_revision=core.revision_id,
        entities=[core, *others],
        packages=packages,
    )
    await search_index.renew(db, id_of(name))
    await _depend(db, item, 1, item.uses, author, files)
    await publication_audience.notify_followers(db, queue, author, id_of(name))
    for number, change in enumerate(item.changes, 2):
        await _revise(db, queue, item, number, change, author, files)


async def _revise(
    db: Db,
    queue: TaskQueue,
    item: Item,
    number: int,
    change: Change,
    author: str,
    files: DemoFiles,
) -> None:
    id, revision = id_of(item.name), _revision(item.name, number)
    core = _entity(files, item.name, number)
    await revisions.create(
        db,
        content=id,
        publisher=author,
        revision=revision,
        version=change.version,
        description=change.notes,
        core=core.entity_id,
        core_revision=core.revision_id,
        entities=[core],
        packages=[],
    )
    await _depend(db, item, number, change.uses, author, files)
    await revisions.make_current(db, id, revision)
    await publication_audience.notify_followers(db, queue, author, id, revision)


async def _depend(
    db: Db, item: Item, number: int, uses: list[str], author: str, files: DemoFiles
) -> None:
    own = [] if item.package is None else [item.package]
    revision = _revision(item.name, number)
    brings = [_entity(files, f"{item.name}/{part}") for part in item.brings]
    using = [_entity(files, part) for part in uses]
    await revisions.depend(
        db,
        revision=revision,
        originating=brings,
        using=using,
        packages=[id_of(package) for package in (*own, *item.packages)],
        publisher=author,
        most=0,
    )
    parts = [files.entity(item.name, number), *(entity.path for entity in brings)]
    for package in own:
        parts += files.package(package).values()
    if number == 1:
        parts += files.screenshots(item)
    used = [entity.path for entity in using]
    for package in item.packages:
        used += files.package(package).values()
    await files.claim_revision(db, author, id_of(item.name), revision, parts, used)


def _revision(item: str, number: int) -> str:
    return id_of(f"{item}/{number}")


def _entity(files: DemoFiles, name: str, number: int = 1) -> Entity:
    return Entity(
        entity_id=id_of(f"entity {name}"),
        revision_id=id_of(f"entity {name}, revision {number}"),
        path=files.entity(name, number),
    )


def _package(files: DemoFiles, name: str) -> Package:
    return Package(id=id_of(name), **files.package(name))


async def _withdraw(db: Db, queue: TaskQueue, people: dict[str, str]) -> None:
    gone = id_of(world.WITHDRAWN)
    author = next(people[item.author] for item in world.ITEMS if item.name == world.WITHDRAWN)
    await withdrawal.set_deleted(db, gone, author, False, True, 0)
    await queue.put(
        db,
        tasks.DependencyChanged(dependency=gone, status="deleted", actor=author, by_author=True),
    )


async def _challenge(
    db: Db,
    queue: TaskQueue,
    ordinal: int,
    contest: Contest,
    now: int,
    people: dict[str, str],
    files: DemoFiles,
) -> None:
    name, theme = contest.name, contest.theme

    def reward(what: str, title: str) -> Raw:
        definition = RewardDefinition(
            achievement=AchievementDefinition(
                key=f"{theme}_{what}", name=f"{name}: {title}", description=f"{title} of “{name}”."
            ),
            emblem=EmblemDefinition(
                name=f"{title}, {theme}",
                description=f"What a {title.lower()} wears.",
                image=files.emblem(contest, what),
                color=contest.color,
            ),
        )
        return Raw(json.encode(definition))

    definition = challenges.Definition(
        name=name,
        ordinal=ordinal,
        description=f"Publish something new on the theme “{theme}”.",
        theme=theme,
        win=reward("win", "Winner"),
        participate=reward("participate", "Participant"),
        opens=now + contest.opens * DAY,
        closes=now + contest.closes * DAY,
        types=contest.types,
        judging=contest.judging,
    )
    challenge = await challenges.create(db, definition)
    emblems = [files.emblem(contest, what) for what in REWARDS]
    await files.claim_emblems(db, people[world.CURATOR], challenge, emblems)
    authors = {item.name: people[item.author] for item in world.ITEMS}
    for name in contest.entries:
        await entries.enter(db, challenge, id_of(name), authors[name])
    if contest.winners is not None:
        await closing.close(db, challenge, [id_of(name) for name in contest.winners])
        await queue.put(db, tasks.ChallengeClosed(challenge=challenge))
