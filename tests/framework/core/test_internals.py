"""The private names of other libraries that the service touches: each still exists, is listed in
the one module of its library, and is touched nowhere else."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import getmro, getsource, isclass
from textwrap import dedent
from typing import Any

from twisted.python.reflect import namedAny
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core import autobahn_internals, twisted_internals
from contentsvc.framework.db import txpostgres_internals
from tests.test_layers import modules

EDGES: dict[str, Any] = {
    "framework.core.autobahn_internals": autobahn_internals,
    "framework.core.twisted_internals": twisted_internals,
    "framework.db.txpostgres_internals": txpostgres_internals,
}
"""Klein has no module: nothing that is private there is touched."""
LIBRARIES = {"autobahn", "klein", "treq", "twisted", "txpostgres"}
NAMEDTUPLE = {"_asdict", "_fields", "_make", "_replace"}
"""Python's, and public all the same."""
ELSEWHERE = {
    ("client.connections", "_lib"),
    ("client.connections", "_ssl"),
    ("app.lifecycle", "_exit"),
    ("framework.images.program", "_exit"),
    ("framework.http.route", "_getframe"),
}
"""Names of Python and pyOpenSSL."""
BY_STRING = {"attrgetter", "getattr", "hasattr", "setattr"}


def attributes(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Each attribute that is named, with the text of what has it if it is private; also where it is
    named by a string, or for an import."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=value, attr=name):
                yield ast.unparse(value) if private(name) else "", name
            case ast.Call(func=ast.Name(id=called), args=args) if called in BY_STRING:
                names = [arg.value for arg in args if isinstance(arg, ast.Constant)]
                yield from (("", name) for name in names if isinstance(name, str))
            case ast.ImportFrom(module=str(module), names=names):
                yield from (("", part) for part in module.split("."))
                yield from (("", alias.name) for alias in names)


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def own_names(tree: ast.AST) -> set[str]:
    """The names that a module or class defines, on instances too."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                found.add(name)
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                found.add(name)
    return found


@cache
def names_of(kind: type) -> frozenset[str]:
    """The names of a class alone, without those that it inherits, on instances too."""
    try:
        return frozenset(own_names(ast.parse(dedent(getsource(kind)))) | set(vars(kind)))
    except (OSError, TypeError):
        return frozenset(vars(kind))


def exists(owner: str, name: str) -> bool:
    """Whether the class or module of this dotted name has the other name."""
    found = namedAny(owner)
    if isclass(found):
        return any(name in names_of(kind) for kind in getmro(found))
    return hasattr(found, name)


def foreign_names(kind: type) -> set[str]:
    """The private names of the libraries' classes that a class of ours extends."""
    theirs = [each for each in getmro(kind) if each.__module__.partition(".")[0] in LIBRARIES]
    return {name for each in theirs for name in names_of(each) if private(name)}


class ExistenceTests(SynchronousTestCase):
    def missing(self, kind: str) -> list[str]:
        return [
            f"{owner}.{name}"
            for edge in EDGES.values()
            for owner, names in getattr(edge, kind).items()
            for name in names
            if not exists(owner, name)
        ]

    def test_private(self) -> None:
        """Each private name is still there."""
        self.assertEqual(self.missing("PRIVATE"), [], "the library has these no more")

    def test_undocumented(self) -> None:
        """So is each that is public by its form alone."""
        self.assertEqual(self.missing("UNDOCUMENTED"), [], "the library has these no more")

    def test_gone(self) -> None:
        """A name that is gone is found, be it of a class or of a module."""
        self.assertFalse(exists("twisted.web.http.HTTPChannel", "_noSuchName"))
        self.assertFalse(exists("twisted.web.http_headers", "_noSuchName"))


class TouchTests(SynchronousTestCase):
    def test_listed(self) -> None:
        """Each module touches the private names of its list, and no other."""
        trees = dict(modules())
        for module, edge in EDGES.items():
            listed = {name for names in edge.PRIVATE.values() for name in names if private(name)}
            tree = trees[module]
            touched = {name for _, name in attributes(tree) if private(name)}
            texts = Counter(
                node.value
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
            own = {name for name in own_names(tree) if private(name)}
            place = f"contentsvc/{module.replace('.', '/')}.py, PRIVATE"
            self.assertEqual(touched - own - listed, set(), f"add to {place}")
            # The list itself has each name for each class.
            lists = Counter(name for names in edge.PRIVATE.values() for name in names)
            used = touched | own | {name for name in lists if texts[name] > lists[name]}
            self.assertEqual(listed - used, set(), f"take out of {place}")

    def test_extended(self) -> None:
        """No other class that extends one of theirs has, or uses, a private name of it."""
        for module, tree in modules():
            if module in EDGES or module == "__main__":
                continue
            made = import_module(f"contentsvc.{module}" if module else "contentsvc")
            for node in tree.body:
                kind = getattr(made, node.name, None) if isinstance(node, ast.ClassDef) else None
                if not isclass(kind):
                    continue
                theirs = foreign_names(kind)
                used = {name for _, name in attributes(node)} | own_names(node)
                place = f"{module}.{kind.__name__}: to be moved to a module of {[*EDGES]}"
                self.assertEqual(used & theirs, set(), place)

    def test_others(self) -> None:
        """Nor does any other module touch a private name of what is not its own."""
        for module, tree in modules():
            if module in EDGES:
                continue
            foreign = {
                name
                for owner, name in attributes(tree)
                if private(name)
                and owner not in {"self", "cls", "super()"}
                and name not in NAMEDTUPLE
                and (module, name) not in ELSEWHERE
            }
            place = f"{module}: to be moved to {[*EDGES]}. What is Python's: to ELSEWHERE"
            self.assertEqual(foreign - own_names(tree), set(), place)
