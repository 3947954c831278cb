"""What may be published: kept uses, withdrawn parts, cores of others (content#publishing)."""

from typing import Any

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import Content, User, entity, guid, package, reference
from tests.spec.notifications.support import TellingCase, bare, revision
from tests.spec.shapes import CONTENT, PRECHECK
from tests.support.deferreds import together


class PublishingCase(TellingCase):
    """A create, a revision and the pre-check of both."""

    def extra(self, part: Content) -> dict[str, str]:
        """A reference to what `part` brought beside its core."""
        return reference(part.sent["originating"][0])

    async def using(self, author: User, part: Content) -> Content:
        """Content whose current revision uses what `part` brought beside its core."""
        return await self.content(author, **bare(using=[self.extra(part)]))

    async def problems(self, by: User, of: Content | None = None, **asked: Any) -> list[str]:
        """The codes of the problems that the pre-check of a create, or an update `of`, finds."""
        body = {"operation": "update" if of else "create", "contentId": of.id if of else guid()}
        body |= {"dependencies": [], "packages": [], **asked}
        found = (await self.post("content/upload-precheck", body, by=by, expect=200)).json()
        self.shape(found, PRECHECK)
        return [problem["code"] for problem in found["problems"]]

    async def refused(self, by: User, status: int, code: str, of: Content | None = None, **sent):
        """Assert that a create, or a revision `of` the content, is refused; the problem."""
        if of is None:
            response = await self.put(f"content/{guid()}", bare(**sent), by=by)
        else:
            response = await self.post(f"{of.path}/revisions", revision(**sent), by=by)
        return self.problem(response, status, code)


class DependencyTests(PublishingCase):
    """Parts of content that has been withdrawn or suspended."""

    async def test_deleted_dependency(self):
        """content#publishing: new uses of deleted content's parts are 422 deleted_dependency, the
        same in pre-check, create and revision, however they are brought."""
        part = await self.content(await self.user())
        other = await self.content(await self.user())
        await self.withdraw(part)
        core, bundle = part.sent["entity"], part.sent["packagesOriginating"][0]
        extra, new = part.sent["originating"][0], reference(entity())
        for asked, sent in (
            ({"dependencies": [new, reference(core)]}, {"using": [reference(core)]}),
            ({"dependencies": [reference(extra)]}, {"using": [reference(extra)]}),
            ({"dependencies": [extra]}, {"originating": [extra]}),
            ({"dependencies": [extra]}, {"entity": extra}),
            ({"packages": [bundle["id"]]}, {"packagesUsing": [bundle["id"]]}),
            ({"packages": [bundle["id"]]}, {"packagesOriginating": [bundle]}),
        ):
            for of in (None, other):
                found = await self.problems(other.author, of, **asked)
                self.assertEqual(["deleted_dependency"], found)
                await self.refused(other.author, 422, "deleted_dependency", of, **sent)

    async def test_lists_them(self):
        """content#publishing: as with suspended ones, entities and packages list which they are."""
        part, fine = [await self.content(await self.user()) for _ in range(2)]
        await self.withdraw(part)
        core, bundle = reference(part.sent["entity"]), part.sent["packagesOriginating"][0]["id"]
        found = await self.refused(
            fine.author,
            422,
            "deleted_dependency",
            using=[reference(fine.sent["entity"]), core],
            packagesUsing=[bundle],
        )
        self.assertEqual(([core], [bundle]), (found["entities"], found["packages"]))

    async def test_own_deleted(self):
        """content#publishing: those who withdrew it are refused as others are, admins too."""
        part = await self.content(await self.user())
        await self.withdraw(part)
        sent = {"using": [self.extra(part)]}
        for user in (part.author, await self.admin()):
            await self.refused(user, 422, "deleted_dependency", **sent)

    async def test_suspended_and_deleted(self):
        """content#publishing: what is both is deleted_dependency, in pre-check and create alike."""
        part = await self.content(await self.user())
        await self.withdraw(part)
        await self.moderate(part, "suspended")
        extra, other = self.extra(part), await self.someone()
        mine = await self.content(other, **bare())
        for code in ("deleted_dependency", "suspended_dependency"):
            for of in (None, mine):
                self.assertEqual([code], await self.problems(other, of, dependencies=[extra]))
                await self.refused(other, 422, code, of, using=[extra])
            if code == "deleted_dependency":
                await self.restore(part)

    async def test_restored(self):
        """content#publishing: the parts of content that is back may be used again."""
        part = await self.content(await self.user())
        await self.withdraw(part)
        await self.restore(part)
        made = await self.using(await self.someone(), part)
        self.assertEqual(part.sent["originating"], (await self.read(made.path, CONTENT))["using"])

    async def test_existing_uses_stay(self):
        """content#publishing: uses that exist stay, as they were."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        before = await self.read(made.path, CONTENT)
        await self.withdraw(part)
        self.assertEqual(before, await self.read(made.path, CONTENT))
        body = {"description": "x", "screenshotUris": ["x.png"]}
        await self.put(made.path, body, by=made.author, expect=204)

    async def test_kept_use(self):
        """content#publishing: what the current revision uses may be kept by a new one although its
        author has withdrawn it; other content may not begin to."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        other = await self.content(made.author, **bare())
        await self.withdraw(part)
        extra = self.extra(part)
        self.assertEqual([], await self.problems(made.author, made, dependencies=[extra]))
        found = await self.problems(made.author, other, dependencies=[extra])
        self.assertEqual(["deleted_dependency"], found)
        await self.refused(made.author, 422, "deleted_dependency", other, using=[extra])
        bundle = part.sent["packagesOriginating"][0]["id"]
        sent = {"using": [extra], "packagesUsing": [bundle]}
        found = await self.refused(made.author, 422, "deleted_dependency", made, **sent)
        self.assertEqual(([], [bundle]), (found["entities"], found["packages"]))
        await self.publish(made, using=[extra])
        got = await self.read(made.path, CONTENT)
        self.assertEqual(part.sent["originating"], got["using"])

    async def test_kept_otherwise(self):
        """content#publishing: what is kept may be so in another place: as the core, as
        originating."""
        part = await self.content(await self.user())
        extra = part.sent["originating"][0]
        made = await self.content(await self.user(), **bare(entity=extra))
        await self.withdraw(part)
        for sent in ({"using": [reference(extra)]}, {"originating": [extra]}, {"entity": extra}):
            await self.publish(made, **sent)

    async def test_own_parts(self):
        """content#publishing: content may use what it has brought itself, also in an earlier
        revision, while it is suspended too."""
        made = await self.content(await self.user())
        await self.publish(made)
        await self.moderate(made, "suspended")
        bundle = made.sent["packagesOriginating"][0]["id"]
        await self.publish(made, using=[self.extra(made)], packagesUsing=[bundle])

    async def test_kept_package(self):
        """content#publishing: so may packages."""
        part = await self.content(await self.user())
        bundle = part.sent["packagesOriginating"][0]
        made = await self.content(await self.someone(), **bare(packagesUsing=[bundle["id"]]))
        await self.withdraw(part)
        self.assertEqual([], await self.problems(made.author, made, packages=[bundle["id"]]))
        await self.publish(made, packagesUsing=[bundle["id"]])
        self.assertEqual([bundle], (await self.read(made.path, CONTENT))["packages"])

    async def test_kept_only_from_the_current(self):
        """content#publishing: what only an earlier revision used is a new use."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        await self.publish(made)
        await self.withdraw(part)
        extra = self.extra(part)
        found = await self.problems(made.author, made, dependencies=[extra])
        self.assertEqual(["deleted_dependency"], found)
        await self.refused(made.author, 422, "deleted_dependency", made, using=[extra])

    async def test_not_kept_while_suspended(self):
        """content#publishing: a use is not kept while the part is suspended; of what is both the
        code is deleted_dependency."""
        part = await self.content(await self.user())
        made = await self.using(await self.someone(), part)
        extra = self.extra(part)
        await self.moderate(part, "suspended")
        for code in ("suspended_dependency", "deleted_dependency"):
            self.assertEqual([code], await self.problems(made.author, made, dependencies=[extra]))
            await self.refused(made.author, 422, code, made, using=[extra])
            if code == "suspended_dependency":
                await self.withdraw(part)
        await self.moderate(part, "active")
        await self.publish(made, using=[extra])

    async def test_used_while_it_is_withdrawn(self):
        """content#publishing: used while its author withdraws it: 204 and a use that stays, or 422
        deleted_dependency and nothing."""
        for _ in range(4):
            part = await self.content(await self.someone())
            path, user = f"content/{guid()}", await self.someone()
            answers = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.put(path, bare(using=[self.extra(part)]), by=user),
                    self.delete(part.path, by=part.author, expect=204),
                )
            )
            if answers[0].status == 204:
                got = await self.read(path, CONTENT)
                self.assertEqual(part.sent["originating"], got["using"])
            else:
                self.problem(answers[0], 422, "deleted_dependency")
                self.problem(await self.get(path), 404, "content_not_found")


class CoreTests(PublishingCase):
    """A core entity has one author."""

    async def test_core_of_another(self):
        """content#publishing: the core of another author's content as one's own is 403
        entity_owned_by_other, in a create and in a revision; nothing changes."""
        made = await self.content(await self.user())
        mine = await self.content(await self.user())
        before = await self.read(mine.path, CONTENT)
        for core in (made.sent["entity"], (await self.publish(made))["entity"]):
            for of in (None, mine):
                sent = {"entity": core}
                found = await self.refused(mine.author, 403, "entity_owned_by_other", of, **sent)
                self.assertEqual([reference(core)], found["entities"])
        core = made.sent["entity"]
        await self.refused(mine.author, 403, "entity_owned_by_other", mine, entity=core)
        self.assertEqual(before, await self.read(mine.path, CONTENT))

    async def test_other_roles(self):
        """content#publishing: using another's core, and a core of one's own again, are as before;
        so is another revision of the entity."""
        made = await self.content(await self.user())
        other = await self.user()
        core = made.sent["entity"]
        await self.content(made.author, **bare(entity=core))
        await self.content(other, **bare(using=[reference(core)]))
        await self.content(other, **bare(originating=[core]))
        await self.content(other, **bare(entity=core | {"revisionId": guid()}))
        await self.content(other, **bare(entity=made.sent["originating"][0]))

    async def test_any_case(self):
        """conventions#requests: GUIDs are taken in any case: an upper-case core is no other, in
        the pre-check neither."""
        made, other = await self.content(await self.user()), await self.someone()
        core = made.sent["entity"]
        upper = {member: core[member].upper() for member in reference(core)}
        await self.refused(other, 403, "entity_owned_by_other", entity=core | upper)
        found = await self.problems(other, dependencies=[upper, reference(entity())], entity=upper)
        self.assertEqual(["entity_owned_by_other"], found)

    async def test_admin_publishes(self):
        """content#publishing: it is the content's author who counts, whoever publishes."""
        author = await self.user()
        one, two = await self.content(author), await self.content(author)
        await self.publish(one, by=await self.admin(), entity=two.sent["entity"])

    async def test_precheck_sole(self):
        """content#publishing: in the pre-check it is a problem of that code; a sole dependency is
        the core."""
        made, other = await self.content(await self.user()), await self.user()
        mine = await self.content(other, **bare())
        core = reference(made.sent["entity"])
        for of in (None, mine):
            found = await self.problems(other, of, dependencies=[core])
            self.assertEqual(["entity_owned_by_other"], found)
        self.assertEqual([], await self.problems(made.author, dependencies=[core]))
        for user in (made.author, await self.admin()):
            self.assertEqual([], await self.problems(user, made, dependencies=[core]))
        found = await self.problems(await self.admin(), dependencies=[core])
        self.assertEqual(["entity_owned_by_other"], found)

    async def test_precheck_entity(self):
        """content#publishing: of several dependencies the optional member `entity` names the
        core."""
        made, other = await self.content(await self.user()), await self.someone()
        core, new = reference(made.sent["entity"]), reference(entity())
        both = [new, core]
        self.assertEqual([], await self.problems(other, dependencies=both))
        self.assertEqual([], await self.problems(other, dependencies=both, entity=new))
        for dependencies in (both, []):
            found = await self.problems(other, dependencies=dependencies, entity=core)
            self.assertEqual(["entity_owned_by_other"], found)
        self.assertEqual([], await self.problems(other, dependencies=[core], entity=new))

    async def test_order_of_judgement(self):
        """content#publishing: 400 comes before 403: a bad body with another's core is 400."""
        made, other = await self.content(await self.user()), await self.someone()
        core = made.sent["entity"]
        refused = await self.put(f"content/{guid()}", bare(entity=core, name=" "), by=other)
        self.invalid(refused, "/name")

    async def test_several_at_once(self):
        """content#publishing: of several authors who publish one core at once one succeeds."""
        users, core = [await self.user() for _ in range(5)], entity()
        sends = [self.put(f"content/{guid()}", bare(entity=core), by=user) for user in users]
        answers = await together(*sends)
        self.assertEqual([204, 403, 403, 403, 403], sorted(each.status for each in answers))
        for answer in answers:
            if answer.status != 204:
                self.problem(answer, 403, "entity_owned_by_other")

    async def test_revisions_at_once(self):
        """content#publishing: so with revisions: one author's stands, the other's changed
        nothing."""
        made = [await self.content(await self.user(), **bare()) for _ in range(3)]
        core = entity()
        sends = [
            self.post(f"{one.path}/revisions", revision(entity=core), by=one.author) for one in made
        ]
        answers = await together(*sends)
        self.assertEqual([201, 403, 403], sorted(each.status for each in answers))
        for one, answer in zip(made, answers, strict=True):
            got = (await self.read(one.path, CONTENT))["entity"]
            self.assertEqual(core if answer.status == 201 else one.sent["entity"], got)

    async def test_parts_of_two_at_once(self):
        """Two creates with the same parts in another order are both 204."""
        someone, parts = await self.someone(), [entity() for _ in range(6)]
        bundles = [package() for _ in range(4)]
        sends = [
            self.put(
                f"content/{guid()}",
                bare(originating=parts[::step], packagesOriginating=bundles[::step]),
                by=someone,
            )
            for step in (1, -1, 1, -1)
        ]
        answers = await together(*sends)
        self.assertEqual([204] * 4, [each.status for each in answers])
