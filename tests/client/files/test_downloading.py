"""Downloads, from a store that fails as the test wants."""

import errno
import os
from pathlib import Path
from typing import Any

from twisted.internet.defer import CancelledError, Deferred

from contentsvc.client.errors import ApiError, BadFile, FilesRefused, Unreachable, WrongBytes
from contentsvc.client.files import local
from contentsvc.client.files.downloading import PARTS, Downloaded
from contentsvc.client.files.sending import SILENCE
from tests.client.fakes import BOB
from tests.client.files import store
from tests.client.files.test_uploading import BIG, Case
from tests.support.disks import refuse_flush

HALF = len(BIG) // 2


class DownloadCase(Case):
    def setUp(self) -> None:
        super().setUp()
        self.place = self.folder / "got"
        self.place.mkdir()

    def offer(self, *data: bytes) -> list[str]:
        """Have these files be those of the content. Their paths."""
        self.service.listed = [self.store.keep(d) for d in data]
        return self.service.listed

    async def download(self, *names: str, **more: Any) -> list[Downloaded]:
        """Download the content; with names, its first file under these."""
        given = {self.service.listed[0]: names} if names else None
        options = {"progress": self.steps.append, **more}
        return await self.transfers.download(BOB, self.place, names=given, **options)

    def files(self) -> dict[str, bytes]:
        """What is in the folder."""
        found = (path for path in self.place.rglob("*") if path.is_file())
        return {str(path.relative_to(self.place)): path.read_bytes() for path in found}

    def ranges(self) -> list[str | None]:
        """The ranges that were asked for."""
        return [each.headers.get("range") for each in self.store.asked]


class DownloadTests(DownloadCase):
    async def test_all(self) -> None:
        """All files are got, under their paths, and nothing else is left."""
        one, two = self.offer(b"one", BIG)
        done = await self.download()
        self.assertEqual([each.file.path for each in done], [one, two])
        self.assertTrue(all(each.fresh for each in done))
        self.assertEqual(self.files(), {one: b"one", two: BIG})
        self.assertFalse((self.place / PARTS).exists())

    async def test_request(self) -> None:
        """A GET has no token, and asks for nothing that would change the bytes."""
        self.offer(b"one")
        await self.download()
        (get,) = self.store.asked
        self.assertEqual(get.headers.keys(), {"host", "accept-encoding"})
        self.assertEqual(get.headers["accept-encoding"], "identity")

    async def test_names(self) -> None:
        """A file gets all the names that it shall have, and comes once."""
        self.offer(b"one", b"two")
        (done,) = await self.download("a/b/core", "c")
        self.assertEqual(self.files(), {"a/b/core": b"one", "c": b"one"})
        self.assertEqual(done.names, (self.place / "a/b/core", self.place / "c"))
        self.assertEqual(len(self.store.asked), 1)

    async def test_once(self) -> None:
        """Under all of its names it lies on the disk once: as a copy on write where there is that,
        and else by links."""
        cloned: list[int] = []

        def clone(old: int, new: int) -> bool:
            cloned.append(os.write(new, os.read(old, 100)))
            return True

        for each, clones in ((lambda old, new: False, 0), (clone, 2)):
            self.patch(local, "_cloned", each)
            self.offer(os.urandom(50))
            await self.download("a", "b/c", "d")
            inodes = {(self.place / name).stat().st_ino for name in ("a", "b/c", "d")}
            self.assertEqual((len(inodes), len(cloned)), (1 + clones, clones))
            self.assertEqual(len(set(self.files().values())), 1)

    async def test_no_links(self) -> None:
        """Where there is neither, or no link more, each name has a copy."""

        def refuse(source: Path, target: Path) -> None:
            raise OSError(errno.EMLINK, "Too many links")

        self.patch(local, "_cloned", lambda old, new: False)
        self.patch(os, "link", refuse)
        self.offer(b"one")
        await self.download("a", "b")
        self.assertEqual(self.files(), {"a": b"one", "b": b"one"})
        self.assertEqual([(self.place / name).stat().st_nlink for name in "ab"], [1, 1])
        self.assertFalse(local.shares(self.place))

    def test_shares(self) -> None:
        """Whether a folder has links is tried, and leaves nothing there."""
        self.assertTrue(local.shares(self.place))
        self.assertEqual(self.files(), {})

    def test_room(self) -> None:
        """What files need is counted once, or for each of their names."""
        sizes, names = {"one": 10, "two": 5}, ["one", "two", "one", "one"]
        self.assertEqual(local.room_of(sizes, names, shared=True), 15)
        self.assertEqual(local.room_of(sizes, names, shared=False), 35)

    async def test_no_flush_of_folders(self) -> None:
        """Where the file system flushes no folder, files come all the same."""
        self.patch(os, "fsync", refuse_flush(errno.EINVAL))
        self.offer(b"one")
        await self.download("a/core", "b")
        self.assertEqual(self.files(), {"a/core": b"one", "b": b"one"})

    async def test_names_the_file(self) -> None:
        """An error of the disk names the file, also where the system does not."""
        self.patch(os, "fsync", refuse_flush(errno.EIO, files=True))
        self.offer(b"one")
        error = await self.fails(OSError, self.download("core"))
        self.assertIn(str(self.place / PARTS), str(error))

    async def test_complete(self) -> None:
        """What is there already is not got again."""
        self.offer(b"one", b"two")
        await self.download()
        self.steps.clear()
        done = await self.download()
        self.assertEqual([each.fresh for each in done], [False, False])
        self.assertEqual(len(self.store.asked), 2)
        self.assertEqual({step[1:] for step in self.steps[2:]}, {(3, 3)})

    async def test_damaged(self) -> None:
        """A file of other bytes is replaced."""
        self.offer(b"one")
        (self.place / "core").write_bytes(b"eno")
        await self.download("core")
        self.assertEqual(self.files(), {"core": b"one"})

    async def test_progress(self) -> None:
        """A file says how much of it has come, and is whole only when its digest is right."""
        self.offer(BIG)
        await self.download()
        done = [step.done for step in self.steps]
        self.assertGreater(len(done), 3)
        self.assertEqual(done, sorted(done))
        self.assertEqual((done.count(len(BIG)), done[-1]), (1, len(BIG)))

    async def test_gone(self) -> None:
        """A file that is not given out has no names; the others come."""
        one, two = self.offer(b"one", b"two")
        self.service.gone = {one}
        done = await self.download()
        self.assertEqual([bool(each.names) for each in done], [False, True])
        self.assertEqual(self.files(), {two: b"two"})

    async def test_two_parts(self) -> None:
        """A file that is two parts is got if it is given out for one of them."""
        one, two = self.offer(b"one", b"two")
        self.service.elsewhere = {one, two}
        await self.download()
        self.assertEqual(self.files(), {one: b"one", two: b"two"})

    async def test_outside(self) -> None:
        """No name leads out of the folder, nor does a link in it."""
        self.offer(b"one")
        (self.place / "link").symlink_to(self.folder)
        for name in ("../x", "/x", "a//x", "a/./x", "a\\x", "c:x", "", "link/x"):
            error = await self.fails(BadFile, self.download(name))
            self.assertIn("folder", str(error))
        self.assertEqual(self.store.asked, [])

    async def test_link(self) -> None:
        """A link in the place of a file is replaced, and not followed."""
        self.offer(b"one")
        other = self.file(b"mine")
        (self.place / "core").symlink_to(other)
        await self.download("core")
        self.assertEqual((other.read_bytes(), self.files()), (b"mine", {"core": b"one"}))

    async def test_malformed(self) -> None:
        """A path that is not of the service's form is refused, and a URL that is none of HTTP."""
        self.offer(b"one")
        self.service.listed = ["../" + "a" * 64]
        self.store.kept[self.service.listed[0]] = b"one"
        error = await self.fails(ApiError, self.download())
        self.assertEqual(error.code, "malformed_answer")
        self.offer(b"one")
        self.service.scheme = "file"
        error = await self.fails(ApiError, self.download())
        self.assertEqual(error.code, "malformed_answer")


class ResumeTests(DownloadCase):
    async def test_cut(self) -> None:
        """A download that breaks off goes on from there, as long as the ETag is the same."""
        (path,) = self.offer(BIG)
        self.store.acts.append(store.cut(HALF))
        await self.download()
        self.assertEqual(self.ranges(), [None, f"bytes={HALF}-"])
        self.assertEqual(self.files(), {path: BIG})

    async def test_later(self) -> None:
        """So does one that a later call takes up."""
        (path,) = self.offer(BIG)
        self.transfers = self.made(tries=1)
        self.store.acts.append(store.cut(HALF))
        await self.fails(Unreachable, self.download())
        self.assertNotIn(path, self.files())
        await self.download()
        self.assertEqual(self.ranges(), [None, f"bytes={HALF}-"])
        self.assertEqual(self.files(), {path: BIG})

    async def test_other_etag(self) -> None:
        """If the ETag is another, all comes anew."""
        (path,) = self.offer(BIG)
        self.store.acts.extend([store.instead(BIG[:-1] + b"x"), store.served])
        self.transfers = self.made(tries=1)
        self.store.acts[0] = lambda wire: store.got(wire, BIG[:-1] + b"x", cut=HALF)
        await self.fails(Unreachable, self.download())
        await self.download()
        self.assertEqual(self.files(), {path: BIG})

    async def test_no_ranges(self) -> None:
        """A store without ranges sends all again, and one that always breaks off is given up."""
        (path,) = self.offer(BIG)
        whole = store.says(200, BIG)
        self.store.acts.extend([store.cut(HALF), whole])
        await self.download()
        self.assertEqual(self.files(), {path: BIG})
        (self.place / path).unlink()
        self.transfers = self.made(tries=3)
        short = lambda wire: wire.answer(200, BIG, cut=HALF)  # noqa: E731
        self.store.acts.extend([short] * 9)
        await self.fails(Unreachable, self.download())
        self.assertEqual(len(self.store.acts), 6)

    async def test_wrong_part(self) -> None:
        """A part that is not the one that was asked for is not taken."""
        (path,) = self.offer(BIG)
        wrong = store.says(206, BIG[9:], Content_Range=f"bytes 9-{len(BIG) - 1}/{len(BIG)}")
        self.store.acts.extend([store.cut(HALF), wrong])
        await self.download()
        self.assertEqual(self.files(), {path: BIG})

    async def test_unsatisfiable(self) -> None:
        """After 416 all comes anew."""
        (path,) = self.offer(BIG)
        self.store.acts.extend([store.cut(HALF), store.says(416)])
        await self.download()
        self.assertEqual(self.ranges(), [None, f"bytes={HALF}-", None])
        self.assertEqual(self.files(), {path: BIG})

    async def test_cancelled(self) -> None:
        """A download can be cancelled; the next call has the rest."""
        (path,) = self.offer(BIG)
        self.store.acts.extend([store.cut(HALF), store.deaf])
        getting = Deferred.fromCoroutine(self.download())
        await store.until(lambda: len(self.store.asked) == 2)
        getting.cancel()
        await self.assertFailure(getting, CancelledError)
        await self.download()
        self.assertEqual(self.ranges()[-1], f"bytes={HALF}-")
        self.assertEqual(self.files(), {path: BIG})

    async def test_two_at_once(self) -> None:
        """Two downloads of one file into the same folder do not write over each other, and leave
        nothing."""
        self.offer(BIG)
        self.store.acts.append(store.deaf)
        first = Deferred.fromCoroutine(self.download("one"))
        await store.until(lambda: len(self.store.asked) == 1)
        await self.download("two")
        self.assertEqual(self.files()["two"], BIG)
        self.clock.advance(SILENCE)
        await first
        self.assertEqual(self.files(), {"one": BIG, "two": BIG})

    async def test_whole_part(self) -> None:
        """A part that has come whole only needs its name."""
        (path,) = self.offer(b"one")
        (self.place / PARTS).mkdir()
        (self.place / PARTS / path[3:]).write_bytes(b"one")
        await self.download()
        self.assertEqual((self.files(), self.store.asked), ({path: b"one"}, []))

    async def test_named_part(self) -> None:
        """A part that has got a name, before its process died, is not written to: somebody may have
        changed it there."""
        (path,) = self.offer(b"one")
        (self.place / PARTS).mkdir()
        (self.place / "mine").write_bytes(b"one, and more")
        os.link(self.place / "mine", self.place / PARTS / path[3:])
        await self.download()
        self.assertEqual(self.files(), {path: b"one", "mine": b"one, and more"})

    async def test_link_in_the_way(self) -> None:
        """A link in the place of a part is not followed."""
        (path,) = self.offer(b"one")
        other = self.file(b"mine")
        (self.place / PARTS).mkdir()
        (self.place / PARTS / path[3:]).symlink_to(other)
        await self.fails(OSError, self.download())
        self.assertEqual(other.read_bytes(), b"mine")


class TroubleTests(DownloadCase):
    async def test_again(self) -> None:
        """Lost connections and 503 are tried again."""
        (path,) = self.offer(b"one")
        self.store.acts.extend([store.lost, store.says(503), store.lost])
        await self.download()
        self.assertEqual(self.files(), {path: b"one"})

    async def test_expired(self) -> None:
        """When a URL has expired half-way, another is asked for, once for all files."""
        one, two = self.offer(BIG, BIG[1:])

        def fresh_only(wire: store.Wire) -> None:
            wire.answer(403) if wire.query == "n=1" else store.served(wire)

        self.store.acts.extend([store.cut(HALF), store.cut(HALF), *[fresh_only] * 4])
        await self.download()
        self.assertEqual(self.service.lists, 2)
        self.assertEqual(set(self.ranges()[2:]), {f"bytes={HALF}-"})
        self.assertEqual(self.files(), {one: BIG, two: BIG[1:]})

    async def test_taken_away(self) -> None:
        """A file that is blocked meanwhile has no names, and leaves nothing."""
        (path,) = self.offer(b"one")

        def refused(wire: store.Wire) -> None:
            self.service.gone = {path}
            wire.answer(403)

        self.store.acts.append(refused)
        (done,) = await self.download()
        self.assertEqual((done.names, self.files()), ((), {}))

    async def test_redirect(self) -> None:
        """A redirect is not followed, and the error has the file."""
        (path,) = self.offer(b"one")
        self.store.acts.append(store.says(302, Location=f"{self.store.url}/x"))
        error = await self.fails(FilesRefused, self.download())
        self.assertEqual((error.code, len(self.store.asked)), ("http_302", 1))
        self.assertEqual(error.files, [self.place / path])

    async def test_wrong_bytes(self) -> None:
        """Wrong bytes are got once more, and never get their name."""
        (path,) = self.offer(b"one")
        self.store.acts.extend([store.instead(b"eno"), store.served])
        await self.download()
        self.assertEqual(self.files(), {path: b"one"})
        (self.place / path).unlink()
        self.store.acts.extend([store.instead(b"eno")] * 2)
        await self.fails(WrongBytes, self.download())
        self.assertEqual(self.files(), {})

    async def test_too_many(self) -> None:
        """More bytes than the file has are not kept."""
        self.transfers = self.made(tries=2)
        self.offer(b"one")
        self.store.acts.extend([store.instead(BIG)] * 2)
        await self.fails(Unreachable, self.download())
        kept = [data for name, data in self.files().items() if not name.endswith(".etag")]
        self.assertEqual(kept, [b""])

    async def test_silence(self) -> None:
        """A store that does not answer is given up, and asked again."""
        (path,) = self.offer(b"one")
        self.store.acts.append(store.deaf)
        getting = Deferred.fromCoroutine(self.download())
        await store.until(lambda: bool(self.store.asked))
        self.clock.advance(SILENCE)
        await getting
        self.assertEqual(self.files(), {path: b"one"})

    async def test_slow(self) -> None:
        """A store that is slow is not silent, however few bytes come in a minute."""
        (path,) = self.offer(b"0123456789")
        slow: list[store.Wire] = []
        self.store.acts.append(slow.append)
        getting = Deferred.fromCoroutine(self.download())
        await store.until(lambda: bool(slow))
        (wire,) = slow
        wire.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")

        def heard() -> bool:
            end = self.clock.seconds() + SILENCE
            return all(call.getTime() == end for call in self.clock.getDelayedCalls())

        for number in range(10):
            self.clock.advance(SILENCE - 1)
            wire.transport.write(b"%d" % number)
            await store.until(heard)
        await getting
        self.assertEqual((self.files(), len(self.store.asked)), ({path: b"0123456789"}, 1))

    async def test_folder_in_the_way(self) -> None:
        """A folder in the place of a file is an error, and stays."""
        self.offer(b"one")
        (self.place / "core/x").mkdir(parents=True)
        await self.fails(OSError, self.download("core"))
        self.assertTrue((self.place / "core/x").is_dir())

    def test_place(self) -> None:
        """The parts lie in a folder that cannot be taken for a file of the service."""
        self.assertTrue(PARTS.startswith(".") and len(Path(PARTS).parts) == 1)
