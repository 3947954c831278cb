"""The imports between the layers (design#layers), what prints, and the length of files."""

import ast
import re
import warnings
from collections.abc import Iterator
from configparser import ConfigParser
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.support import lists
from tests.support.pages import rows

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "contentsvc"
TABLE = "docs/developing.md, Layers"
LINES, MOST = 600, 900
LEAVES = {"framework.core"}
"""Every layer may import these."""


def table() -> dict[str, set[str]]:
    """What a layer may import beside itself, as docs/developing.md has it; `tap` everything."""
    found: dict[str, set[str]] = {"__init__": set()}
    for names, _, allowed in rows((ROOT / "docs/developing.md").read_text(), "| Layer |"):
        for name in re.findall(r"[\w.]+", names):
            found[name] = set(re.findall(r"[\w.]+", allowed))
    return found


ALLOWED = table()


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Each module of the package with its dotted name below contentsvc."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" and parts[1:] else parts)
        found.append((name, ast.parse(path.read_text(), str(path))))
    return found


def imported(tree: ast.Module) -> Iterator[str]:
    """Every module, and every name of one, that is imported anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module}.{alias.name}" for alias in node.names)


def layer_of(name: str) -> str:
    """The layer of a module, both below contentsvc. Each package of the framework is one."""
    return ".".join(name.split(".")[: 2 if name.startswith("framework.") else 1])


def allows(layer: str, target: str) -> bool:
    """Whether a module of `layer` may import `target`, both below contentsvc."""
    if layer == "tap":
        return True
    return any(
        target == allowed or target.startswith(f"{allowed}.")
        for allowed in {layer, *LEAVES, *ALLOWED.get(layer, ())}
    )


def graph() -> dict[str, set[str]]:
    """For each module the modules of ours that it imports, for types too."""
    trees = dict(modules())
    found: dict[str, set[str]] = {}
    for name, tree in trees.items():
        targets = {t.removeprefix("contentsvc.") for t in imported(tree)}
        # What is no module is a name in one.
        found[name] = {t if t in trees else t.rpartition(".")[0] for t in targets} & trees.keys()
    return found


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """One that these arrows make, if there is any."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


class CircleTests(SynchronousTestCase):
    def test_modules(self) -> None:
        """No module imports another that imports it, by however many steps."""
        self.assertEqual(circle(graph()), [], "each of these imports the one before it")

    def test_layers(self) -> None:
        """No layer imports one that imports it: all arrows go down."""
        layers: dict[str, set[str]] = {}
        for name, targets in graph().items():
            layer = layer_of(name)
            below = {layer_of(target) for target in targets}
            layers.setdefault(layer, set()).update(below - {layer})
        self.assertEqual(circle(layers), [])

    def test_found(self) -> None:
        """A circle of three is found."""
        found = circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
        self.assertEqual(set(found), {"a", "b", "c"})


class ImportTests(SynchronousTestCase):
    def test_layers(self) -> None:
        """A layer imports what its rule allows it, and nothing else of ours."""
        wrong = [
            f"{name} imports {target}"
            for name, tree in modules()
            for target in imported(tree)
            if target.startswith("contentsvc.")
            and not allows(layer_of(name), target.removeprefix("contentsvc."))
        ]
        self.assertEqual(wrong, [], f"{TABLE}, says what a layer may import")

    def test_framework(self) -> None:
        """The framework imports nothing of the product."""
        wrong = {
            target
            for layer, allowed in ALLOWED.items()
            if layer.partition(".")[0] == "framework"
            for target in allowed
            if not target.startswith("framework.")
        }
        self.assertEqual(wrong, set())

    def test_known(self) -> None:
        """Every layer that there is has its rule, and each rule is that of a layer."""
        layers = {layer_of(name) for name, _ in modules()}
        lists.same(
            self, TABLE, ALLOWED, layers, "| `{}` | WHAT IT HAS | `WHAT IT IMPORTS` |".format
        )
        self.assertEqual(ALLOWED["tap"], {"everything"})
        self.assertLessEqual(LEAVES, {name for name, allowed in ALLOWED.items() if not allowed})

    def test_absolute(self) -> None:
        """Imports are absolute, so that this test sees them, and never of the whole package."""
        wrong = [
            f"{name} imports {target}"
            for name, tree in modules()
            for target in imported(tree)
            if target.startswith(".") or target == "contentsvc"
        ]
        self.assertEqual(wrong, [])

    def test_global_reactor(self) -> None:
        """Only tap touches the global reactor: all else is handed one."""
        globals_ = {"twisted.internet.reactor", "twisted.internet.task.cooperate"}
        users = {name for name, tree in modules() if globals_ & set(imported(tree))}
        self.assertEqual(users - {"tap"}, set())

    def test_hidden_reactor(self) -> None:
        """Nor does anything else of Twisted bring it in, where there is a form that does not."""
        hidden = {"twisted.internet.threads.deferToThread", "twisted.internet.threads.callInThread"}
        users = {name for name, tree in modules() if hidden & set(imported(tree))}
        self.assertEqual(users - {"tap"}, set())

    def test_sql(self) -> None:
        """Only db talks to Postgres by its driver; others know its errors at most."""
        drivers = {"txpostgres"}
        users = {
            layer_of(name)
            for name, tree in modules()
            for target in imported(tree)
            if target.partition(".")[0] in drivers
        }
        self.assertEqual(users, {"framework.db"})


class TerminalTests(SynchronousTestCase):
    def test_commands(self) -> None:
        """Commands print with `say` of contentsvc.command.terminal, which makes what others have
        written harmless. The bar of a transfer has only numbers."""
        for path in (PACKAGE / "command").rglob("*.py"):
            if path.name in {"terminal.py", "progress.py"}:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Name):
                    self.assertNotEqual(node.id, "print", path)
                if isinstance(node, ast.Attribute) and node.attr in {"write", "writelines"}:
                    self.assertNotIn("sys.std", ast.unparse(node), path)


class TypedTests(SynchronousTestCase):
    def test_marker(self) -> None:
        """The package says that it is typed (PEP 561), installed from a wheel too."""
        self.assertTrue((PACKAGE / "py.typed").is_file())
        setup = ConfigParser()
        setup.read(ROOT / "setup.cfg")
        self.assertEqual(setup["options.package_data"]["contentsvc"], "py.typed")


class LengthTests(SynchronousTestCase):
    def test_lines(self) -> None:
        """No file of the package, the tests or the scripts has over 900 lines. One of over 600 is
        named in a warning."""
        folders = ("contentsvc", "tests", "twisted", "scripts", "etc")
        found = {
            str(path.relative_to(ROOT)): len(path.read_text().splitlines())
            for folder in folders
            for path in (ROOT / folder).rglob("*")
            if path.is_file() and path.suffix in {".py", ".sql", ".txt", ""}
        }
        long = [f"{path} has {lines} lines" for path, lines in found.items() if lines > LINES]
        for each in long:
            warnings.warn(f"{each}: beyond {MOST} it fails. Divide it by topic.", stacklevel=1)
        longest = {path: lines for path, lines in found.items() if lines > MOST}
        self.assertEqual(longest, {}, f"over {MOST} lines: divide it by topic")
