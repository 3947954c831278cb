"""Tags that a studio names, and the list of all (content#tags)."""

import tempfile
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.data import Content, User, draft, entity, guid, name, reference, word
from tests.spec.harness import SpecCase
from tests.spec.shapes import TAG_COUNT
from tests.support import daemon

GROUPS = """
[[groups]]
key = "genre"
label = "Genre"
most = 2
tags = [{name = "Puzzle"}, {name = "Race", label = {en = "Race", de = "Rennen"}}, {name = "Quiz"}]

[[groups]]
key = "mode"
label = {de = "Modus"}
types = ["game"]
tags = [{name = "Co-op"}]

[[groups]]
key = "studio"
label = "Studio"
staff = true
most = 2
tags = [{name = "Pick"}, {name = "Event"}, {name = "Classic"}]

[[groups]]
key = "levels"
label = "Levels"
staff = true
types = ["scene_box"]
tags = [{name = "Level of the week"}]
"""


def with_tags(text: str, **environ: str) -> daemon.Daemon:
    """A daemon with this file, and these variables of the environment."""
    file = Path(tempfile.mkdtemp()) / "tags.toml"
    file.write_text(text)
    return daemon.Daemon(
        "--tags", str(file), environ={name.upper(): value for name, value in environ.items()}
    )


class TagsCase(SpecCase):
    """A service with groups of tags, where others are allowed too."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("tags", lambda: with_tags(GROUPS)))

    async def tags(self, made: Content, by: User | None = None) -> list[str]:
        """The tags that a content has."""
        found = (await self.get(made.path, by=by or made.author, expect=200)).json()["tags"]
        return [str(tag) for tag in found]

    async def update(self, made: Content, *tags: str, by: User | None = None, **more: Any) -> Any:
        """The response to new tags."""
        body = {"description": "d", "screenshotUris": ["a.png"], "tags": [*tags]}
        return await self.put(made.path, body, by=by or made.author, **more)

    async def give(self, made: Content, *tags: str, **more: Any) -> Any:
        """The response to these tags of staff."""
        body = {"tags": [*tags]}
        return await self.put(f"{made.path}/staff-tags", body, by=await self.admin(), **more)

    def refused(self, response: Any, code: str, **members: Any) -> None:
        """Assert that it is this refusal."""
        self.problem(response, 422, code)
        found = response.json()
        self.assertEqual(members, {key: found[key] for key in members})

    async def problems(self, by: User, **body: Any) -> list[dict[str, Any]]:
        """What a pre-check says of tags."""
        sent = {"contentId": guid(), "operation": "create", "dependencies": [], "packages": []}
        found = await self.post("content/upload-precheck", sent | body, by=by, expect=200)
        return [
            {key: value for key, value in each.items() if key != "detail"}
            for each in found.json()["problems"]
        ]


class GroupTests(TagsCase):
    async def test_service(self):
        """conventions#the-service: it has the groups and their labels, and says that others are
        allowed."""
        found = (await self.get("service", expect=200)).json()
        self.assertIs(True, found["freeTags"])
        self.assertEqual(
            ["genre", "mode", "studio", "levels"], [g["key"] for g in found["tagGroups"]]
        )
        genre, mode, studio, _ = found["tagGroups"]
        self.assertEqual({"en": "Modus", "de": "Modus"}, mode["label"])
        self.assertEqual(
            {"name": "Race", "label": {"en": "Race", "de": "Rennen"}}, genre["tags"][1]
        )
        self.assertEqual((None, 2, False), (genre["types"], genre["most"], genre["staff"]))
        self.assertEqual((["game"], None, False), (mode["types"], mode["most"], mode["staff"]))
        self.assertIs(True, studio["staff"])

    async def test_spelling(self):
        """content#tags: a tag that equals a group's is kept once, as it is spelt there, and others
        as they are sent; the search finds both, however they are spelt."""
        free = word()
        sent = ["puzzle", f" {free}", " PUZZLE", "\uff43\uff4f-op", free.upper(), "Puzzle"]
        expected = ["Puzzle", f" {free}", "Co-op", free.upper()]
        made = await self.content(await self.user(), tags=sent)
        self.assertEqual(expected, await self.tags(made))
        await self.update(made, *sent, expect=204)
        self.assertEqual(expected, await self.tags(made))
        for tags in ("puzzle", "CO-OP", f"{free},Puzzle"):
            query = {"tags": tags, "author": made.author.id}
            found = (await self.get("content", query=query, expect=200)).json()
            self.assertEqual([made.id], [each["id"] for each in found], tags)

    async def test_types(self):
        """content#tags: tags of a group for other types are unknown, in the create and in the
        update."""
        asset = draft(type="asset", tags=["co-op", "Puzzle"])
        author = await self.user()
        refused = await self.put(f"content/{guid()}", asset, by=author)
        self.refused(refused, "unknown_tags", tags=["Co-op"])
        made = await self.content(author, type="asset", tags=[])
        self.refused(await self.update(made, "Co-op"), "unknown_tags", tags=["Co-op"])

    async def test_most(self):
        """content#tags: of a group there are so many tags, each counted once."""
        author = await self.user()
        await self.content(author, tags=["Puzzle", "puzzle", "Race"])
        many = ["Puzzle", "Race", "Quiz"]
        refused = await self.put(f"content/{guid()}", draft(tags=many), by=author)
        self.refused(refused, "too_many_tags", group="genre", most=2)

    async def test_order(self):
        """content#tags: refused are what is unknown, then what is of staff, then what is too many;
        before that the parts, and after that nothing has been written."""
        author, one = await self.user(), guid()
        many = ["Puzzle", "Race", "Quiz"]
        sent = draft(type="asset", tags=["Co-op", "pick", *many])
        self.refused(
            await self.put(f"content/{one}", sent, by=author), "unknown_tags", tags=["Co-op"]
        )
        sent["tags"] = ["pick", *many]
        self.refused(await self.put(f"content/{one}", sent, by=author), "staff_tag", tags=["Pick"])
        unknown = sent | {"using": [reference(entity())]}
        self.problem(await self.put(f"content/{one}", unknown, by=author), 422, "unknown_reference")
        sent["tags"] = many
        self.refused(await self.put(f"content/{one}", sent, by=author), "too_many_tags")
        await self.get(f"content/{one}", by=author, expect=404)

    async def test_order_of_update(self):
        """content#tags: of an update the tags are judged after who may do it, and a refused one
        changes nothing."""
        made = await self.content(await self.user(), tags=["Puzzle"])
        self.problem(await self.update(made, "Pick", by=await self.user()), 403, "forbidden")
        self.refused(await self.update(made, "Pick"), "staff_tag", tags=["Pick"])
        self.assertEqual(["Puzzle"], await self.tags(made))
        await self.delete(made.path, by=made.author, expect=204)
        self.problem(await self.update(made, "Pick"), 409, "content_deleted")

    async def test_precheck(self):
        """content#pre-check: it has all problems of tags; without a type those of types are
        none."""
        author = await self.user()
        tags = ["co-op", "pick", "Puzzle", "Race", "Quiz", word()]
        expected = [
            {"code": "staff_tag", "tags": ["Pick"]},
            {"code": "too_many_tags", "group": "genre", "most": 2},
        ]
        self.assertEqual(expected, await self.problems(author, tags=tags))
        self.assertEqual(expected, await self.problems(author, tags=tags, type="game"))
        self.assertEqual(
            [{"code": "unknown_tags", "tags": ["Co-op"]}, *expected],
            await self.problems(author, tags=tags, type="asset"),
        )
        self.assertEqual([], await self.problems(author))

    async def test_precheck_of_update(self):
        """content#pre-check: of an update it knows the type, and the tags that there are."""
        made = await self.content(await self.user(), type="asset", tags=["Race"])
        await self.give(made, "Pick", expect=204)
        about = {"contentId": made.id, "operation": "update", "type": "game"}
        tags = ["race", "pick", "Event", "Co-op"]
        self.assertEqual(
            [{"code": "unknown_tags", "tags": ["Co-op"]}, {"code": "staff_tag", "tags": ["Event"]}],
            await self.problems(made.author, tags=tags, **about),
        )


class StaffTests(TagsCase):
    async def test_given(self):
        """content#tags: a curator replaces the tags of staff; the others stay, and the same again
        changes nothing."""
        free = word()
        made = await self.content(await self.user(), tags=[free, "Puzzle"])
        await self.give(made, "pick", " EVENT", expect=204)
        self.assertEqual([free, "Puzzle", "Pick", "Event"], await self.tags(made))
        acts = await self.acts(made)
        self.assertEqual(["staff_tags_changed"], acts)
        await self.give(made, "Event", "Pick", expect=204)
        self.assertEqual(acts, await self.acts(made))
        await self.give(made, "Classic", expect=204)
        self.assertEqual([free, "Puzzle", "Classic"], await self.tags(made))
        await self.give(made, expect=204)
        self.assertEqual([free, "Puzzle"], await self.tags(made))
        found = (await self.get("content", query={"tags": "classic,puzzle"}, expect=200)).json()
        self.assertNotIn(made.id, [each["id"] for each in found])

    async def acts(self, made: Content) -> list[str]:
        """What was done with a content."""
        query = {"subject": made.id}
        found = await self.get("moderation/actions", query=query, by=await self.admin(), expect=200)
        return [each["action"] for each in found.json()]

    async def test_found(self):
        """content#tags: they are found as all other tags."""
        author = await self.user()
        made = await self.content(author, tags=[])
        await self.give(made, "Classic", expect=204)
        query = {"tags": "classic", "author": author.id}
        found = (await self.get("content", query=query, expect=200)).json()
        self.assertEqual([made.id], [each["id"] for each in found])

    async def test_refused(self):
        """content#tags: all other tags are unknown, those of groups for other types too, and of a
        group there are so many."""
        made = await self.content(await self.user(), tags=["Puzzle"])
        for tag in ("Puzzle", word(), "Level of the week"):
            self.refused(await self.give(made, "Pick", tag), "unknown_tags", tags=[tag])
        many = await self.give(made, "Pick", "Event", "Classic")
        self.refused(many, "too_many_tags", group="studio", most=2)
        self.assertEqual(["Puzzle"], await self.tags(made))

    async def test_by_others(self):
        """content#tags: the author may not give them, nor may strangers."""
        made = await self.content(await self.user())
        for by in (made.author, await self.user()):
            refused = await self.put(f"{made.path}/staff-tags", {"tags": ["Pick"]}, by=by)
            self.problem(refused, 403, "forbidden")

    async def test_deleted(self):
        """content#tags: withdrawn content gets none."""
        made = await self.content(await self.user())
        await self.delete(made.path, by=made.author, expect=204)
        self.problem(await self.give(made, "Pick"), 409, "content_deleted")

    async def test_update(self):
        """content#tags: an update neither adds nor removes them, whoever sends it, and may name
        those that are there."""
        made = await self.content(await self.user(), tags=["Race"])
        await self.give(made, "Pick", "Event", expect=204)
        for by in (made.author, await self.admin()):
            await self.update(made, "Quiz", by=by, expect=204)
            self.assertEqual(["Quiz", "Pick", "Event"], await self.tags(made))
            await self.update(made, "event", "Race", by=by, expect=204)
            self.assertEqual(["Event", "Race", "Pick"], await self.tags(made))
            self.refused(await self.update(made, "classic", by=by), "staff_tag", tags=["Classic"])
            await self.update(made, "Race", "Pick", "Event", by=by, expect=204)
        await self.update(made, expect=204)
        self.assertEqual(["Pick", "Event"], await self.tags(made))

    async def test_most_tags(self):
        """content#tags: they are beyond the 64 of an author, who may send them along."""
        own = [f"t{n}" for n in range(64)]
        made = await self.content(await self.user(), tags=own)
        await self.give(made, "Pick", "Event", expect=204)
        whole = [*own, "Pick", "Event"]
        self.assertEqual(whole, await self.tags(made))
        await self.update(made, *whole, expect=204)
        self.assertEqual(whole, await self.tags(made))
        other = await self.content(made.author, tags=[])
        self.invalid(await self.update(other, *own, "more"), "/tags")
        self.invalid(await self.update(made, *whole, "more"), "/tags")
        self.invalid(await self.update(made, *own[1:], "more", "and", "Pick", "Event"), "/tags")

    async def test_most_spellings(self):
        """content#tags: another spelling of a tag that is there counts too."""
        spelt = [f"{blank}{letter}" for blank in ("", " ", "  ") for letter in ("a", "A")]
        spelt += ["\uff41", *(f"a{' ' * n}" for n in range(1, 60))]
        made = await self.content(await self.user(), tags=["a"])
        self.invalid(await self.update(made, *spelt), "/tags")
        own = [f"t{n}" for n in range(64)]
        made = await self.content(made.author, tags=own)
        await self.give(made, "Pick", "Event", expect=204)
        self.invalid(await self.update(made, *own, "T0", "T1"), "/tags")

    async def test_precondition(self):
        """content#tags: If-Match is heeded."""
        made = await self.content(await self.user(), tags=[])
        path, admin = f"{made.path}/staff-tags", await self.admin()
        seen = (await self.get(made.path, by=admin, expect=200)).header("ETag")
        await self.update(made, "Race", expect=204)
        headers = {"If-Match": seen}
        refused = await self.put(path, {"tags": ["Pick"]}, by=admin, headers=headers)
        self.problem(refused, 412, "precondition_failed")


class ListTests(TagsCase):
    async def counted(self, expected: dict[str, int], **query: str) -> list[dict[str, Any]]:
        """The list of tags once it has these counts."""
        for _ in range(300):
            found = await self.read("tags", [TAG_COUNT], query=query)
            if {each["tag"]: each["count"] for each in found} == expected:
                return [*found]
            await deferLater(reactor, 0.1)
        self.fail(f"the tags are {found}")

    async def test_free(self):
        """content#tags: free tags are listed by how much public active content has them, as most
        spell them."""
        one = word()
        author = await self.user()
        made = [
            await self.content(author, tags=[tag, f"{one}{n}"])
            for n, tag in enumerate((one, one.upper(), f" {one.upper()} "))
        ]
        await self.content(author, tags=[one.upper()], visibility="private")
        numbered = {f"{one}0": 1, f"{one}1": 1, f"{one}2": 1}
        for _ in range(2):
            await self.content(author, tags=[one.upper()])
        found = await self.counted({one.upper(): 5} | numbered, q=one)
        self.assertEqual([one.upper(), f"{one}0", f"{one}1", f"{one}2"], [t["tag"] for t in found])
        self.assertEqual({None}, {each["group"] for each in found})
        await self.delete(made[0].path, by=author, expect=204)
        await self.moderate(made[1], "suspended")
        await self.counted({one.upper(): 3, f"{one}2": 1}, q=one.upper()[:13])
        await self.post(f"{made[0].path}/restore", by=author, expect=204)
        await self.counted({one.upper(): 4, f"{one}0": 1, f"{one}2": 1}, q=f" {one}")

    async def test_groups(self):
        """content#tags: tags of groups are listed as they are spelt there, with 0 too, and by their
        group."""
        found = (await self.get("tags", query={"group": "levels"}, expect=200)).json()
        self.assertEqual([{"tag": "Level of the week", "group": "levels", "count": 0}], found)
        found = (await self.get("tags", query={"q": "LEVEL OF"}, expect=200)).json()
        self.assertEqual([{"tag": "Level of the week", "group": "levels", "count": 0}], found)
        self.assertEqual([], (await self.get("tags", query={"group": "no"}, expect=200)).json())
        query = {"group": "genre", "limit": "200"}
        found = (await self.get("tags", query=query, expect=200)).json()
        self.assertEqual({"Puzzle", "Race", "Quiz"}, {each["tag"] for each in found})

    async def test_account(self):
        """content#tags: with an account its tags go."""
        one, user = word(), await self.user()
        await self.content(user, tags=[one])
        await self.counted({one: 1}, q=one)
        body = {"password": user.password}
        await self.request("DELETE", f"user/{user.id}", body, by=user, expect=204)
        await self.counted({}, q=one)

    async def test_cursor(self):
        """content#tags: what is no cursor of this list, or is that of another query, is refused."""
        one, author = word(), await self.user()
        await self.content(author, tags=[one, f"{one}2"])
        await self.counted({one: 1, f"{one}2": 1}, q=one)
        first = await self.get("tags", query={"q": one, "limit": "1"}, expect=200)
        link = first.header("Link") or ""
        after = link.partition("after=")[2].partition("&")[0].partition(">")[0]
        for query in ({"after": after}, {"q": one, "after": after[:10]}, {"after": "x" * 512}):
            self.invalid_query(await self.get("tags", query=query), "after")


class ClosedTests(TagsCase):
    """A service where tags of no group are refused."""

    async def connect(self) -> None:
        self.own_daemon()
        self.use(await daemon.shared("closed tags", lambda: with_tags(f"free = false\n{GROUPS}")))

    async def test_refused(self):
        """content#tags: what is in no group is unknown."""
        self.assertIs(False, (await self.get("service", expect=200)).json()["freeTags"])
        free, author = word(), await self.user()
        made = await self.content(author, tags=["puzzle"])
        sent = draft(tags=[free, "Race", free.upper()])
        refused = await self.put(f"content/{guid()}", sent, by=author)
        self.refused(refused, "unknown_tags", tags=[free, free.upper()])
        self.refused(await self.update(made, free), "unknown_tags", tags=[free])
        self.assertEqual(
            [{"code": "unknown_tags", "tags": [free]}], await self.problems(author, tags=[free])
        )


class ChangedTests(TagsCase):
    """A service whose file changes."""

    async def connect(self) -> None:
        self.own_daemon()
        self.file = Path(tempfile.mkdtemp()) / "tags.toml"
        self.file.write_text("")
        service = daemon.Daemon("--tags", str(self.file))
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)

    async def test_there_already(self):
        """content#tags: what content has already passes, and what has left the file is a free tag
        from then on."""
        author = await self.user(name())
        old = ["old", "Quiz", "puzzle", "RACE"]
        made = await self.content(author, type="asset", tags=[*old, "Pick", "co-op"])
        await self.restarted(f"free = false\n{GROUPS}")
        whole = ["old", "Quiz", "Puzzle", "Race", "Pick", "Co-op"]
        await self.update(made, *old, "CO-OP", expect=204)
        self.assertEqual(["old", "Quiz", "Puzzle", "Race", "Co-op", "Pick"], await self.tags(made))
        await self.update(made, *whole, expect=204)
        self.assertEqual(whole, await self.tags(made))
        self.refused(await self.update(made, *whole, "new"), "unknown_tags", tags=["new"])
        await self.update(made, "old", expect=204)
        self.assertEqual(["old", "Pick"], await self.tags(made))
        await self.restarted("")
        await self.update(made, "new", expect=204)
        self.assertEqual(["new"], await self.tags(made))

    async def restarted(self, text: str) -> None:
        """Restart the service with another file."""
        assert self.daemon is not None
        self.file.write_text(text)
        await self.daemon.stop()
        await self.daemon.start()
        self.use(self.daemon)
