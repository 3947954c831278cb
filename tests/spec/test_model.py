"""Files in random order, compared with a model of files#own-files."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, draft, guid
from tests.spec.files.support import File, FilesCase, blob, made_of
from tests.spec.model import Model, Published
from tests.support import pictures
from tests.support.walks import Walk

USER_BYTES, PENDING = 1500, 3
STEPS = 300


class ModelTests(FilesCase):
    """Users of a small world do what they may and what they may not."""

    settings = {
        "USER_BYTES": str(USER_BYTES),
        "PENDING_FILES": str(PENDING),
        "PUBLICATIONS_PER_DAY": "0",
    }

    async def setUp(self) -> None:
        await super().setUp()
        shots = [pictures.png() for _ in range(2)]
        broken = File(secrets.token_bytes(80), "screenshot", pictures.PNG)
        self.all = [
            *(blob(size) for size in (60, 300, 700, 800)),
            *(File(data, "screenshot", pictures.PNG) for data in shots),
            File(shots[0], "entity"),
            broken,
        ]
        self.model = Model(USER_BYTES, PENDING, {broken.path})
        self.users = [await self.user() for _ in range(3)]
        self.by_id = {user.id: user for user in self.users}
        self.uploads: list[tuple[User, File, int, dict[str, Any]]] = []
        self.entities: dict[str, tuple[dict[str, Any], str]] = {}

    async def walk(self, seed: int) -> None:
        """Take so many random steps."""
        kinds = {
            **{self.announcing_some: 8, self.sending_one: 5, self.sending_all: 4},
            **{self.making: 4, self.changing: 3, self.revising: 4, self.giving_up: 2},
            **{self.hiding: 9, self.wearing: 2, self.blocking: 1, self.unblocking: 2},
            **{self.listing: 6, self.counting: 4},
        }
        with Walk(seed) as walk:
            self.random = walk.random
            for _ in range(STEPS):
                await walk.choose(kinds)()

    async def test_walk(self) -> None:
        """Each answer is what the page says, whoever has done what before."""
        await self.walk(1)

    async def test_other_walk(self) -> None:
        """So it is in another order."""
        await self.walk(2)

    # -- steps

    def someone_of(self) -> User:
        return self.random.choice(self.users)

    def some(self, *, image: bool, by: User) -> File:
        """Mostly a file that this user may use."""
        fit = [file for file in self.all if (file.media_type is not None) == image]
        good = [file for file in fit if self.model.is_there(by.id, file)]
        return self.random.choice(good if good and self.random.random() < 0.6 else fit)

    async def announce_with(self, by: User, *files: tuple[File, int]) -> None:
        sent = [file.announced | {"size": size} for file, size in files]
        response = await self.announcing(by, *sent)
        told = self.model.announce(by.id, files)
        if isinstance(told, tuple):
            self.problem(response, *told)
            return
        self.assertEqual(200, response.status, repr(response))
        found = [one["upload"] for one in response.json()["files"]]
        self.assertEqual(told, [upload is None for upload in found])
        for (file, size), upload in zip(files, found, strict=True):
            if upload is not None:
                self.uploads.append((by, file, size, upload))

    async def announcing_some(self) -> None:
        few = self.random.sample(self.all, self.random.randint(1, 4))
        sizes: dict[str, int] = {}
        for file in few:
            wrong = self.random.random() < 0.1
            sizes.setdefault(file.digest, self.random.randint(1, 700) if wrong else len(file.data))
        await self.announce_with(self.someone_of(), *[(file, sizes[file.digest]) for file in few])

    async def sending_one(self) -> None:
        if not self.uploads:
            return
        by, file, size, upload = self.random.choice(self.uploads[-12:])
        data = self.random.choice([file.data] * 4 + [secrets.token_bytes(size), file.data[:-1]])
        response = await self.sending(upload, data)
        told = self.model.send(by.id, file, size, data)
        self.assertEqual(told, response.status, repr(response))

    async def sending_all(self) -> None:
        by, few = self.someone_of(), self.random.sample(self.all, self.random.randint(1, 3))
        named = [(file, len(file.data)) for file in few]
        before = len(self.uploads)
        await self.announce_with(by, *named)
        for _, file, size, upload in self.uploads[before:]:
            response = await self.sending(upload, file.data)
            told = self.model.send(by.id, file, size, file.data)
            self.assertEqual(told, response.status, repr(response))
        await self.announce_with(by, *named)

    def parts(self, by: User) -> tuple[dict[str, Any], list[File], list[File]]:
        """The body of a revision, what it brings, and all that it has."""
        brought = [self.some(image=False, by=by) for _ in range(self.random.randint(1, 2))]
        body = draft(
            entity=made_of(brought[0]),
            originating=[made_of(file) for file in brought[1:]],
            packagesOriginating=[],
        )
        usable = [
            (reference, content)
            for reference, content in self.entities.values()
            if self.model.contents[content].active
        ]
        used: list[File] = []
        if usable and self.random.random() < 0.4:
            reference, content = self.random.choice(usable)
            first = next(iter(self.model.contents[content].revisions))
            # Only what the content still claims is claimed by others.
            if first not in self.model.contents[content].gone:
                used = self.model.contents[content].revisions[first][:1]
                body["using"] = [reference]
        return body, brought, brought + used

    async def making(self) -> None:
        by, content = self.someone_of(), guid()
        body, brought, parts = self.parts(by)
        shots = [self.some(image=True, by=by)]
        body["screenshotUris"] = [shot.path for shot in shots]
        response = await self.put(f"content/{content}", body, by=by)
        wanted = [(file, False) for file in brought] + [(file, True) for file in shots]
        if self.refused_use(response, self.model.refusal(by.id, wanted), 204):
            return
        made = Published(by.id, current=body["revisionId"], shots=shots)
        made.revisions[made.current] = parts
        self.model.contents[content] = made
        self.model.count(by.id, brought + shots)
        core = {name: body["entity"][name] for name in ("entityId", "revisionId")}
        self.entities[content] = core, content

    def refused_use(
        self, response: Response, told: tuple[str, set[str]] | None, status: int
    ) -> bool:
        if told is None:
            self.assertEqual(status, response.status, repr(response))
            return False
        self.at_paths(response, told[0], *told[1])
        return True

    def one(self) -> tuple[str, Published] | None:
        contents = list(self.model.contents.items())
        return self.random.choice(contents) if contents else None

    async def changing(self) -> None:
        if (found := self.one()) is None:
            return
        content, made = found
        by = self.by_id[made.author]
        shot = self.some(image=True, by=by)
        body = {"description": "new", "screenshotUris": [shot.path]}
        response = await self.put(f"content/{content}", body, by=by)
        if made.deleted:
            self.problem(response, 409, "content_deleted")
        elif not self.refused_use(
            response, self.model.refusal(by.id, [(shot, True)], made.claims()), 204
        ):
            made.shots = [shot]
            self.model.count(by.id, [shot])

    async def revising(self) -> None:
        if (found := self.one()) is None:
            return
        content, made = found
        by = self.by_id[made.author]
        body, brought, parts = self.parts(by)
        for name in ("name", "description", "type", "tags", "screenshotUris"):
            del body[name]
        response = await self.post(f"content/{content}/revisions", body, by=by)
        if made.deleted:
            self.problem(response, 409, "content_deleted")
            return
        wanted = [(file, False) for file in brought]
        if not self.refused_use(response, self.model.refusal(by.id, wanted, made.claims()), 201):
            made.current = body["revisionId"]
            made.revisions[made.current] = parts
            self.model.count(by.id, brought)

    async def giving_up(self) -> None:
        if (found := self.one()) is None:
            return
        content, made = found
        revision = self.random.choice(list(made.revisions))
        path = f"content/{content}/revisions/{revision}"
        response = await self.delete(path, by=self.by_id[made.author])
        if revision == made.current:
            self.problem(response, 409, "revision_current")
        else:
            self.assertEqual(204, response.status, repr(response))
            made.gone.add(revision)

    async def hiding(self) -> None:
        if (found := self.one()) is None:
            return
        content, made = found
        author, path = self.by_id[made.author], f"content/{content}"
        act = self.random.choice(["delete", "restore", "suspended", "active"])
        if act == "delete":
            made.deleted = True
            await self.delete(path, by=author, expect=204)
        elif act == "restore":
            made.deleted = False
            await self.post(f"{path}/restore", by=author, expect=204)
        else:
            made.suspended = act == "suspended"
            body = {"status": act, "reason": "rules"}
            await self.put(f"{path}/status", body, by=await self.admin(), expect=204)

    async def wearing(self) -> None:
        by = self.someone_of()
        file = self.some(image=True, by=by) if self.random.random() < 0.8 else None
        response = await self.dress(by, None if file is None else file.path)
        wanted = [] if file is None else [(file, True)]
        told = self.model.refusal(by.id, wanted, self.model.worn(by.id))
        if not self.refused_use(response, told, 204):
            self.model.wear(by.id, file)

    async def blocking(self) -> None:
        digest = self.random.choice(self.all).digest
        body = {"reason": "rules"}
        await self.put(f"files/{digest}/block", body, by=await self.admin(), expect=204)
        self.model.block(digest)

    async def unblocking(self) -> None:
        for digest in sorted(self.model.blocked):
            await self.delete(f"files/{digest}/block", by=await self.admin(), expect=204)
        self.model.blocked.clear()

    async def listing(self) -> None:
        if (found := self.one()) is None:
            return
        content, made = found
        by = self.someone_of()
        response = await self.get(f"content/{content}/files", by=by)
        if not made.active and by.id != made.author:
            self.problem(response, 404, "content_not_found")
            return
        self.assertEqual(200, response.status, repr(response))
        listed = {one["path"]: one["url"] for one in response.json()}
        files = {file.path: file for file in made.revisions[made.current]}
        self.assertEqual(set(files), set(listed))
        for path, url in listed.items():
            if not self.suspended_source(made, path):
                self.assertEqual(made.active and self.model.there(files[path]), url is not None)
            if url is not None:
                got = await self.bare("GET", url, headers={})
                self.assertEqual(path[3:], hashlib.sha256(got.body).hexdigest())

    def suspended_source(self, made: Published, path: str) -> bool:
        """Whether suspended content may have brought this file to a content."""
        return any(
            each is not made and each.suspended and path in each.claims()
            for each in self.model.contents.values()
        )

    async def counting(self) -> None:
        by = self.someone_of()
        found = await self.storage(by)
        self.assertEqual(self.model.storage(by.id), (found["used"], found["pending"]))
