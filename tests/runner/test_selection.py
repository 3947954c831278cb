"""Which tests a command names."""

import os
from importlib import import_module
from operator import attrgetter

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.runner import selection
from tests.support.daemon import Daemon
from tests.support.sizes import SIZE


class SizeTests(SynchronousTestCase):
    """The three sizes."""

    def test_superset(self) -> None:
        """Each size has the one before, and more; the last has everything."""
        quick, most, nightly = (set(selection.of_size(size)) for size in selection.SIZES)
        self.assertLess(quick, most)
        self.assertLess(most, nightly)
        self.assertEqual(nightly, set(selection.modules()))

    def test_daemons(self) -> None:
        """The smallest has no test with a daemon that few share; the next one has."""
        self.patch(os, "environ", {**os.environ, SIZE: "quick"})
        with self.assertRaises(SkipTest):
            Daemon("--guests", "yes")
        Daemon(common=True)
        os.environ[SIZE] = "all"
        Daemon("--guests", "yes")

    def test_names(self) -> None:
        """Each name in the table of sizes is that of a folder, module, class or test which is
        there."""
        for name in (f"tests.{name}" for names in selection.SIZED.values() for name in names):
            (module, *_) = selection.named(name)
            if name.startswith(f"{module}."):
                attrgetter(name.removeprefix(f"{module}."))(import_module(module))

    def test_within(self) -> None:
        """Of a module a size runs what is of that size or below, and all of a module that is
        larger by itself, because it was named."""
        workers, fault = "tests.app.test_workers", "tests.faults.test_locks.RowTests.test_batch"
        for test, sizes in (
            (f"{workers}.KillTests.test_worker", {"quick", "all", "nightly"}),
            (f"{workers}.KillTests.test_frozen", {"nightly"}),
            (f"{workers}.StopTests.test_interrupt", {"nightly"}),
            (fault, {"quick", "all", "nightly"}),
        ):
            self.assertEqual({s for s in selection.SIZES if selection.runs(test, s)}, sizes, test)


class NameTests(SynchronousTestCase):
    """What a name stands for."""

    def test_topic(self) -> None:
        """A topic is all modules of the name, in all layers."""
        found = selection.named("ratings")
        self.assertIn("tests.spec.content.test_ratings", found)
        self.assertIn("tests.store.content.test_ratings", found)
        self.assertNotIn("tests.spec.content.test_comments", found)

    def test_domain(self) -> None:
        """A domain is its folders, in all layers."""
        found = selection.named("challenges")
        self.assertIn("tests.store.challenges.test_closing", found)
        self.assertTrue(any(m.startswith("tests.spec.challenges.") for m in found))

    def test_place(self) -> None:
        """A dotted name or a path is what is there, also a class or a test of a module."""
        module = ["tests.framework.http.test_decode"]
        self.assertEqual(selection.named("tests.framework.http.test_decode"), module)
        self.assertEqual(selection.named("tests/framework/http/test_decode.py"), module)
        self.assertEqual(selection.named(f"{module[0]}.QueryTests.test_x"), module)
        self.assertIn(*module, selection.named("tests.framework.http"))
        self.assertIn(*module, selection.named("tests/framework/http"))

    def test_unknown(self) -> None:
        """A name without tests is an error that names it."""
        for name in ("no-such-thing", "tests.framework.http.test_nothing"):
            self.assertRaisesRegex(LookupError, name, selection.named, name)


class TouchedTests(SynchronousTestCase):
    """What a change touches."""

    def test_module(self) -> None:
        """A module of the service: its own tests, and those that import it."""
        found = selection.touched(["contentsvc/framework/http/decode.py"])
        self.assertIn("tests.framework.http.test_decode", found)
        self.assertIn("tests.framework.http.test_decode_pairs", found)
        self.assertIn("tests.framework.http.test_route", found)
        self.assertNotIn("tests.framework.core.test_clocks", found)

    def test_package(self) -> None:
        """What a package has in its own file: the tests that import the package."""
        found = selection.touched(["contentsvc/config/__init__.py"])
        self.assertIn("tests.test_config", found)
        self.assertNotIn("tests.framework.core.test_clocks", found)

    def test_sql(self) -> None:
        """A file of SQL: the tests of the modules that name it, and those of the schema."""
        found = selection.touched(["contentsvc/store/schema/functions/put_progress.sql"])
        self.assertIn("tests.store.progress.test_progress", found)
        self.assertIn("tests.store.test_upgrade", found)

    def test_support(self) -> None:
        """What tests are made with: all that use it, by whatever steps."""
        found = selection.touched(["tests/spec/client.py"])
        self.assertIn("tests.spec.content.test_ratings", found)
        self.assertNotIn("tests.framework.core.test_clocks", found)

    def test_others(self) -> None:
        """Documents, pages, clients and samples: the tests that are about them."""
        for path, module in (
            ("docs/index.md", "tests.test_docs"),
            ("contentsvc/portal/app.js", "tests.portal.test_pages"),
            ("clients/javascript/src/client.js", "tests.javascript.test_core"),
            ("etc/alerts.yml", "tests.monitoring.test_rules"),
        ):
            self.assertIn(module, selection.touched([path]), path)

    def test_nothing(self) -> None:
        """A file that no test is about touches none."""
        self.assertEqual(selection.touched(["LICENSE"]), [])
