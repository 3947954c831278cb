"""Builds the small world of `contentsvc demo`: its users, their content, and the challenges."""

from collections.abc import Callable
from typing import Any

from msgspec import json

from contentsvc.command.demo import society
from contentsvc.command.demo.files import (
    REWARDS,
    DemoFiles,
    avatar,
    called,
    emblem,
    entity,
    package,
    screenshots,
)
from contentsvc.command.demo.world import WORLD, brought, id_of, revision_of
from contentsvc.command.terminal import CommandError
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.roles import PLAYER
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
from contentsvc.store.content.requirements import Requirements
from contentsvc.store.progress import progress
from contentsvc.store.rate_limits import DAY
from contentsvc.tokens import secret_hash
from contentsvc.wire.challenges import (
    AchievementDefinition,
    ChallengeCreate,
    EmblemDefinition,
    RewardDefinition,
)
from contentsvc.wire.content import EntityDefinition, PackageDefinition


async def is_there(db: Db) -> bool:
    """Whether the world exists already. Raises CommandError if it cannot be made."""
    if await items.state_of(db, id_of(next(iter(WORLD["contents"]))), None, False):
        return True
    for name in WORLD["people"]:
        if await users.id_of(db, name):
            raise CommandError(f"a user {name} exists already, whose name the demo needs")
    return False


async def build(
    db: Db, hashed: Callable[[], str], secret: str, guest: str, now: int, files: DemoFiles
) -> bool:
    """Write the world. False if it exists already. `hashed` makes a password hash; `secret` is that
    of the service account, `guest` that of the first guest; `now` is in Unix seconds; the bytes of
    the `files` are there.

    Raises CommandError.
    """
    if await is_there(db):
        return False
    people = {name: await _register(db, name, hashed(), files) for name in WORLD["people"]}
    account = WORLD["service"]
    await service_accounts.insert(db, id_of(account), account, account, WORLD["scopes"], None)
    await service_accounts.add_secret(db, id_of(account), secret_hash(secret))
    await society.meet(db, people)
    # Daemons read it every few seconds.
    queue = TaskQueue(lambda: None)
    studio = _Studio(db, queue, people, files)
    for name in WORLD["contents"]:
        await studio.publish(name)
    rolled_back = WORLD["rolled_back"]
    await revisions.make_current(db, id_of(rolled_back), revision_of(rolled_back, 1))
    for name, content in WORLD["contents"].items():
        for voters, good in (("up", True), ("down", False)):
            for voter in content.get(voters, ()):
                await ratings.put(db, people[voter], id_of(name), False, good)
    await society.discuss(db, people)
    for ordinal, contest in enumerate(WORLD["challenges"], 1):
        await studio.challenge(ordinal, contest, now)
    await _wear(db, people[WORLD["winner"]])
    await society.enjoy(db, people, now)
    await studio.withdraw(WORLD["withdrawn"])
    await society.moderate(db, queue, people)
    await society.play(db, guest)
    await society.grow_old(db)
    user, key, value = WORLD["progress"]
    most = progress.NO_LIMIT
    await progress.put(db, people[user], key, json.encode(value).decode(), None, most, most)
    return True


async def _register(db: Db, name: str, hashed: str, files: DemoFiles) -> str:
    person = WORLD["people"][name]
    email, public = f"{name}@demo.example", person.get("public")
    user = await credentials.register(db, name, email, hashed, person.get("role", PLAYER))
    full, picture = person.get("full", public), files.path(avatar(name))
    await users.update(db, user, picture, None, full, public, 0)
    await files.give(db, name, user)
    await files.claim(db, user, "user", user, [avatar(name)])
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
        self._files = files
        self._curator = people[WORLD["curator"]]
        self._authors = {name: people[each["author"]] for name, each in WORLD["contents"].items()}

    async def publish(self, name: str) -> None:
        """Publish a content, and its later revisions. The followers of its author are notified."""
        db, queue, id, author = self._db, self._queue, id_of(name), self._authors[name]
        content = WORLD["contents"][name]
        first = {"version": "1.0", "notes": "First published.", **content}
        for number, change in enumerate((first, *content.get("changes", ())), 1):
            revision = revision_of(name, number)
            await self._insert(name, number, change)
            await self._depend(name, number, change.get("uses", content.get("uses", [])))
            await requirements.note(db, revision, _requirements(change.get("requires", {})))
            if number > 1:
                await revisions.make_current(db, id, revision)
                await publication_audience.notify_of_revision(db, queue, author, id, revision)
            elif content.get("visibility", "public") == "public":
                await publication_audience.notify_of_content(db, queue, author, id)

    async def _insert(self, name: str, number: int, change: dict[str, Any]) -> None:
        core, author, path = self._entity(name, number), self._authors[name], self._files.path
        both: dict[str, Any] = {"content": id_of(name), "author": author}
        both |= {"revision": revision_of(name, number), "version": change["version"]}
        both |= {"core": core.entity_id, "core_revision": core.revision_id}
        if number > 1:
            notes = change["notes"]
            both |= {"publisher": author, "description": notes, "entities": [core], "packages": []}
            await revisions.create(self._db, **both)
            return
        await items.create(
            self._db,
            **both,
            type=change["type"],
            name=change["title"],
            description=change["description"],
            screenshots=[*map(path, screenshots(name))],
            tags=change["tags"],
            visibility=change.get("visibility", "public"),
            attributes=json.encode(change.get("attributes", {}), order="sorted").decode(),
            revision_description=change["notes"],
            entities=[core, *map(self._entity, brought(name))],
            packages=[
                PackageDefinition(
                    id=id_of(each),
                    name=called(each),
                    **{on: path(file) for on, file in package(each).items()},
                )
                for each in change.get("bundles", ())
            ],
        )
        await search_index.renew(self._db, id_of(name))

    async def _depend(self, name: str, number: int, uses: list[str]) -> None:
        """Register what a revision is made of, and claim its files."""
        author, revision = self._authors[name], revision_of(name, number)
        bundles, packages = (
            WORLD["contents"][name].get(key, []) for key in ("bundles", "packages")
        )
        await revisions.depend(
            self._db,
            revision=revision,
            originating=[*map(self._entity, brought(name))],
            using=[*map(self._entity, uses)],
            packages=[*map(id_of, bundles + packages)],
            publisher=author,
            most=0,
        )
        own = [entity(name, number), *map(entity, brought(name))]
        own += [file for each in bundles for file in package(each).values()]
        own += screenshots(name) if number == 1 else []
        used = [*map(entity, uses), *(file for each in packages for file in package(each).values())]
        claim = self._files.claim
        await claim(self._db, author, "content", id_of(name), own, used, revision=revision)

    def _entity(self, name: str, number: int = 1) -> EntityDefinition:
        return EntityDefinition(
            # The core of a content has its id, as one that the portal or a client has published.
            entity_id=id_of(name if name in WORLD["contents"] else f"entity {name}"),
            revision_id=id_of(f"entity {name}, revision {number}"),
            path=self._files.path(entity(name, number)),
            name=called(name, number),
        )

    async def withdraw(self, name: str) -> None:
        """Let an author withdraw what others use."""
        id, author = id_of(name), self._authors[name]
        await withdrawal.set_deleted(self._db, id, author, False, True, 0)
        change = tasks.DependencyChanged(
            dependency=id, status="deleted", actor=author, by_author=True
        )
        await self._queue.put(self._db, change)

    async def challenge(self, ordinal: int, contest: dict[str, Any], now: int) -> None:
        """Hold a challenge: its entries, and its end if somebody has won."""
        db, theme = self._db, contest["theme"]
        definition = ChallengeCreate(
            name=contest["name"],
            ordinal=ordinal,
            description=f"Publish something new on the theme “{theme}”.",
            theme=theme,
            win=self._reward(contest, "win", "Winner"),
            participate=self._reward(contest, "participate", "Participant"),
            opens=now + contest["opens"] * DAY,
            closes=now + contest["closes"] * DAY,
            types=contest.get("types"),
            judging=contest.get("judging", "admins"),
        )
        challenge = await definitions.create(db, definition)
        emblems = [emblem(contest["emblem"], what) for what in REWARDS]
        await self._files.claim(db, self._curator, "challenge", challenge, (), emblems)
        for name in contest.get("entries", ()):
            await entries.enter(db, challenge, id_of(name), self._authors[name])
        if winners := contest.get("winners"):
            await closing.close(db, self._curator, challenge, [*map(id_of, winners)])
            await self._queue.put(db, tasks.ChallengeClosed(challenge=challenge))

    def _reward(self, contest: dict[str, Any], what: str, title: str) -> RewardDefinition:
        name, theme = contest["name"], contest["theme"]
        return RewardDefinition(
            achievement=AchievementDefinition(
                key=f"{theme}_{what}", name=f"{name}: {title}", description=f"{title} of “{name}”."
            ),
            emblem=EmblemDefinition(
                name=f"{title}, {theme}",
                description=f"What a {title.lower()} wears.",
                image=self._files.path(emblem(contest["emblem"], what)),
                color=contest["color"],
            ),
        )


def _requirements(requires: dict[str, Any]) -> Requirements:
    """What is stored of what a revision requires."""
    if not requires:
        return Requirements()
    ends = {end: [*map(int, on.split("."))] for end, on in requires.get("game", {}).items()}
    low = (ends["min"] + [0] * 4)[:4] if "min" in ends else None
    shown = json.encode(requires).decode()
    return Requirements(
        shown, low, ends.get("max"), requires.get("platforms"), requires.get("features")
    )
