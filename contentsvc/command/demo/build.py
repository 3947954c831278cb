"""Builds the small world of `contentsvc demo`."""

from collections.abc import Callable

from msgspec import json

from contentsvc.command.demo import library, society, world
from contentsvc.command.demo.files import REWARDS, DemoFiles
from contentsvc.command.demo.world import Change, Contest, Item, Person, id_of
from contentsvc.command.terminal import CommandError
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.store import tasks
from contentsvc.store.accounts import credentials, service_accounts, users
from contentsvc.store.challenges import closing, definitions, entries, rewards
from contentsvc.store.content import (
    items,
    publication_audience,
    ratings,
    requirements,
    revisions,
    search_index,
    withdrawal,
)
from contentsvc.store.progress import progress
from contentsvc.store.rate_limits import DAY
from contentsvc.tokens import secret_hash
from contentsvc.wire.challenges import (
    AchievementDefinition,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from contentsvc.wire.content import Entity, Package


async def is_there(db: Db) -> bool:
    """Whether the world exists already. Raises CommandError if it cannot be made."""
    if await items.standing(db, id_of(world.ITEMS[0].name), None, False):
        return True
    for person in world.PEOPLE:
        if await users.id_of(db, person.name):
            raise CommandError(f"a user {person.name} exists already, whose name the demo needs")
    return False


async def build(db: Db, hashed: Callable[[], str], secret: str, now: int, files: DemoFiles) -> bool:
    """Write the world. False if it exists already. `hashed` makes a password hash; `secret` is that
    of the service account; `now` is in Unix seconds; the bytes of the `files` are there.

    Raises CommandError.
    """
    if await is_there(db):
        return False
    people = {}
    for person in world.PEOPLE:
        people[person.name] = await _register(db, person, hashed(), files)
    service, name = id_of(world.SERVICE), world.SERVICE
    await service_accounts.insert(db, service, name, name.casefold(), world.SCOPES, None)
    await service_accounts.add_secret(db, service, secret_hash(secret))
    await society.meet(db, people)
    # Daemons look into it every few seconds.
    queue = TaskQueue(lambda: None)
    studio = _Studio(db, queue, people, files)
    for item in world.ITEMS:
        await studio.publish(item)
    await revisions.make_current(db, id_of(world.ROLLED_BACK), _revision(world.ROLLED_BACK, 1))
    for name, (up, down) in world.VOTES.items():
        for voters, good in ((up, True), (down, False)):
            for voter in voters.split():
                await ratings.put(db, people[voter], id_of(name), False, good)
    await society.discuss(db, people)
    for ordinal, contest in enumerate(world.CHALLENGES, 1):
        await studio.challenge(ordinal, contest, now)
    await _wear(db, people[world.PROUD])
    await library.fill(db, people, now)
    await studio.withdraw()
    await society.moderate(db, queue, people)
    best, most = '{"floors":19,"seconds":412}', progress.NO_LIMIT
    await progress.put(db, people["juno"], "tower/best", best, None, most, most)
    return True


async def _register(db: Db, person: Person, hashed: str, files: DemoFiles) -> str:
    email = f"{person.name}@demo.example"
    user = await credentials.register(db, person.name, email, hashed, person.role)
    full, avatar = person.full or person.public, files.avatar(person)
    await users.update(db, user, avatar, None, full, person.public, 0)
    mine = {avatar}
    for item in world.ITEMS:
        if item.author == person.name:
            mine |= files.of_item(item)
    if person.name == world.HOST:
        mine |= {files.emblem(each, what) for each in world.CHALLENGES for what in REWARDS}
    await files.give(db, user, mine)
    await files.claim(db, user, "user", user, [avatar])
    return user


async def _wear(db: Db, user: str) -> None:
    """Let a user wear the emblem that they have earned last."""
    stored, (last,) = await users.full(db, user), await rewards.emblems(db, user, None, 1)
    if stored is not None:
        emblem, profiles = last.item.id, (stored.full_profile, stored.public_profile)
        await users.update_earned(db, user, stored.avatar, emblem, *profiles)


class _Studio:
    """Publishes what the people have made, and holds their challenges."""

    def __init__(self, db: Db, queue: TaskQueue, people: dict[str, str], files: DemoFiles) -> None:
        self._db = db
        self._queue = queue
        self._people = people
        self._files = files
        self._authors = {item.name: people[item.author] for item in world.ITEMS}

    async def publish(self, item: Item) -> None:
        """Publish an item, and its later revisions. The followers of its author are notified."""
        name, author = item.name, self._authors[item.name]
        core = self._entity(name)
        packages = []
        if item.package is not None:
            packages = [Package(id=id_of(item.package), **self._files.package(item.package))]
        await items.create(
            self._db,
            content=id_of(name),
            author=author,
            type=item.type,
            name=item.title,
            description=item.description,
            screenshots=self._files.screenshots(item),
            tags=item.tags,
            visibility=item.visibility,
            attributes=json.encode(item.attributes, order="sorted").decode(),
            revision=_revision(name, 1),
            version="1.0",
            revision_description="First published.",
            core=core.entity_id,
            core_revision=core.revision_id,
            entities=[core, *self._brings(item)],
            packages=packages,
        )
        await search_index.renew(self._db, id_of(name))
        await self._depend(item, 1, item.uses)
        await self._require(name, 1)
        if item.visibility == "public":
            await publication_audience.notify_of_content(self._db, self._queue, author, id_of(name))
        for number, change in enumerate(item.changes, 2):
            await self._revise(item, number, change)

    async def _revise(self, item: Item, number: int, change: Change) -> None:
        id, revision = id_of(item.name), _revision(item.name, number)
        author, core = self._authors[item.name], self._entity(item.name, number)
        await revisions.create(
            self._db,
            content=id,
            author=author,
            publisher=author,
            revision=revision,
            version=change.version,
            description=change.notes,
            core=core.entity_id,
            core_revision=core.revision_id,
            entities=[core],
            packages=[],
        )
        await self._depend(item, number, change.uses)
        await self._require(item.name, number)
        await revisions.make_current(self._db, id, revision)
        await publication_audience.notify_of_revision(self._db, self._queue, author, id, revision)

    async def _require(self, item: str, number: int) -> None:
        needs = library.requirements_of(item, number)
        await requirements.note(self._db, _revision(item, number), needs)

    async def _depend(self, item: Item, number: int, uses: list[str]) -> None:
        files, author = self._files, self._authors[item.name]
        own = [] if item.package is None else [item.package]
        revision, brings = _revision(item.name, number), self._brings(item)
        using = [self._entity(part) for part in uses]
        await revisions.depend(
            self._db,
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
        holder = id_of(item.name)
        await files.claim(self._db, author, "content", holder, parts, used, revision=revision)

    def _brings(self, item: Item) -> list[Entity]:
        return [self._entity(f"{item.name}/{part}") for part in item.brings]

    def _entity(self, name: str, number: int = 1) -> Entity:
        return Entity(
            entity_id=id_of(f"entity {name}"),
            revision_id=id_of(f"entity {name}, revision {number}"),
            path=self._files.entity(name, number),
        )

    async def withdraw(self) -> None:
        """Let an author withdraw what others use."""
        gone, author = id_of(world.WITHDRAWN), self._authors[world.WITHDRAWN]
        await withdrawal.set_deleted(self._db, gone, author, False, True, 0)
        changed = tasks.DependencyChanged(
            dependency=gone, status="deleted", actor=author, by_author=True
        )
        await self._queue.put(self._db, changed)

    async def challenge(self, ordinal: int, contest: Contest, now: int) -> None:
        """Hold a challenge: its entries, and its end if somebody has won."""
        db, theme = self._db, contest.theme
        definition = ChallengeCreate(
            name=contest.name,
            ordinal=ordinal,
            description=f"Publish something new on the theme “{theme}”.",
            theme=theme,
            win=self._reward(contest, "win", "Winner"),
            participate=self._reward(contest, "participate", "Participant"),
            opens=now + contest.opens * DAY,
            closes=now + contest.closes * DAY,
            types=contest.types,
            judging=contest.judging,
        )
        challenge = await definitions.create(db, definition)
        emblems = [self._files.emblem(contest, what) for what in REWARDS]
        curator = self._people[world.HOST]
        await self._files.claim(db, curator, "challenge", challenge, (), emblems)
        for name in contest.entries:
            await entries.enter(db, challenge, id_of(name), self._authors[name])
        if contest.winners is not None:
            await closing.close(db, curator, challenge, [id_of(name) for name in contest.winners])
            await self._queue.put(db, tasks.ChallengeClosed(challenge=challenge))

    def _reward(self, contest: Contest, what: str, title: str) -> RewardDefinition:
        name, theme = contest.name, contest.theme
        return RewardDefinition(
            achievement=AchievementDefinition(
                key=f"{theme}_{what}", name=f"{name}: {title}", description=f"{title} of “{name}”."
            ),
            emblem=EmblemDefinition(
                name=f"{title}, {theme}",
                description=f"What a {title.lower()} wears.",
                image=self._files.emblem(contest, what),
                color=contest.color,
            ),
        )


def _revision(item: str, number: int) -> str:
    return id_of(f"{item}/{number}")
