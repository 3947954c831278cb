"""Packages, which have a file for each of their platforms (content#parts).

A service has the platforms of its setting, so the types of packages are made for those. Package and
PackageDefinition are those of a service that was not set otherwise.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import Annotated, Any, ClassVar, Final, cast

from msgspec import UNSET, Meta, UnsetType, defstruct, field

from contentsvc.wire.base import FileName, Guid, MediaPath, Wire

PLATFORMS: Final = ("win64", "osx64", "linux64")
"""Those of a service without the setting `platforms`."""
MOST_PLATFORMS: Final = 32
PLATFORM: Final = "[a-z0-9_]{1,32}"
Platform = Annotated[str, Meta(extra_json_schema={"enum": list(PLATFORMS)})]
"""It is described so, and a service's own document has its own; the handler says more."""
ShownPlatform = Annotated[
    str, Meta(description="a platform", extra_json_schema={"examples": list(PLATFORMS)})
]
"""In answers: also one that the service had once."""
_OTHERS: Final = frozenset({"id", "name"})
_platform = re.compile(PLATFORM)


class AnyPackage(Wire, omit_defaults=True):
    """A package, whatever its platforms. `platforms` has the names of its members by those of its
    attributes."""

    platforms: ClassVar[Mapping[str, str]] = {}

    id: Guid


class AnyDefinition(AnyPackage):
    """A package to register, whatever its platforms."""

    name: FileName | None = None


class Package(AnyPackage):
    """A package (content#parts). It has one path for each platform that it supports."""

    platforms: ClassVar[Mapping[str, str]] = {name: name for name in PLATFORMS}

    win64: str | UnsetType = UNSET
    osx64: str | UnsetType = UNSET
    linux64: str | UnsetType = UNSET


class PackageDefinition(Package):
    """A package to register, with one path for each platform that it supports. `name` is what each
    of its files is called where it is downloaded."""

    win64: MediaPath | UnsetType = UNSET
    osx64: MediaPath | UnsetType = UNSET
    linux64: MediaPath | UnsetType = UNSET
    name: FileName | None = None


def is_platform(name: str) -> bool:
    """Whether a service may have a platform of this name."""
    return name not in _OTHERS and _platform.fullmatch(name) is not None


def paths_of(package: AnyPackage) -> dict[str, str]:
    """The paths of a package by its platforms."""
    given = ((name, getattr(package, attribute)) for attribute, name in package.platforms.items())
    return {name: path for name, path in given if path is not UNSET}


def packages(given: Sequence[tuple[str, Mapping[str, str]]]) -> list[Package]:
    """Packages of these ids with their paths. Attributes are called as the platforms are, as far as
    Python has such names. All are of one type: to make one takes 0.1 ms."""
    made = package_type(ordered({name for _, paths in given for name in paths}))
    return [_made(made, id, paths) for id, paths in given]


def define(id: str, paths: Mapping[str, str], name: str | None = None) -> PackageDefinition:
    """A package to register with these paths, whose files have this name."""
    if set(paths) <= set(PLATFORMS):
        return cast("PackageDefinition", _made(PackageDefinition, id, paths, name=name))
    made = definition_type(ordered(paths))
    return cast("PackageDefinition", _made(made, id, paths, name=name))


def _made(made: Any, id: str, paths: Mapping[str, str], **more: Any) -> Any:
    given = {attribute: paths[name] for attribute, name in made.platforms.items() if name in paths}
    return made(id=id, **given, **more)


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """Platforms in the order of their members, each once."""
    names = set(names)
    first = [name for name in PLATFORMS if name in names]
    return (*first, *sorted(names.difference(first)))


@lru_cache(maxsize=256)
def package_type(platforms: tuple[str, ...]) -> type[Package]:
    """The type of packages that have paths for some of these platforms."""
    if set(platforms) <= set(PLATFORMS):
        return Package
    return cast("type[Package]", _type("Package", AnyPackage, platforms, str))


@lru_cache(maxsize=256)
def definition_type(platforms: tuple[str, ...]) -> type[PackageDefinition]:
    """The type of packages to register with paths for these platforms. It ignores others."""
    if platforms == PLATFORMS:
        return PackageDefinition
    return cast(
        "type[PackageDefinition]", _type("PackageDefinition", AnyDefinition, platforms, MediaPath)
    )


def _type(name: str, base: type[AnyPackage], platforms: tuple[str, ...], path: Any) -> Any:
    attributes = {_attribute(each): each for each in platforms}
    return defstruct(
        name,
        [
            (attribute, path | UnsetType, field(default=UNSET, name=each))
            for attribute, each in attributes.items()
        ],
        bases=(base,),
        namespace={"platforms": attributes},
        module=__name__,
    )


def _attribute(platform: str) -> str:
    """The name of its attribute: its own, unless that means something else to Python."""
    plain = platform.isidentifier() and not platform.startswith("_") and not iskeyword(platform)
    return platform if plain and platform != "platforms" else f"P_{platform}"
