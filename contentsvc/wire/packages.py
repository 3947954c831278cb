"""Packages, which have a file for each of their platforms (content#parts).

The setting `platforms` names the platforms of a service, so the types of packages are made for
these at run time. Package and PackageDefinition are the types of a service without this setting.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from keyword import iskeyword
from typing import Annotated, Any, ClassVar, Final, cast

from msgspec import UNSET, Meta, UnsetType, defstruct, field

from contentsvc.wire.base import FileName, Guid, MediaPath, Wire

PLATFORMS: Final = ("win64", "osx64", "linux64")
"""The platforms of a service without the setting `platforms` (content#platforms)."""
MOST_PLATFORMS: Final = 32
PLATFORM: Final = "[a-z0-9_]{1,32}"
Platform = Annotated[str, Meta(extra_json_schema={"enum": list(PLATFORMS)})]
"""The schema here has the platforms of a service without settings; the document of each service has
its own. The handler checks the platform."""
ShownPlatform = Annotated[
    str, Meta(description="a platform", extra_json_schema={"examples": list(PLATFORMS)})
]
"""In answers. It may be a platform that the service no longer has."""
_OTHERS: Final = frozenset({"id", "name"})
_platform = re.compile(PLATFORM)


class AnyPackage(Wire, omit_defaults=True):
    """A package, whatever its platforms. `platforms` maps each attribute that has a path to its
    name in JSON, which is the platform."""

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
    """A package to register, with one path for each platform that it supports. `name` is the name
    of its files in downloads (files#names)."""

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
    """A package for each pair of an id and its paths by platforms. All are of one type, because to
    make a type takes 0.1 ms. The attribute of a platform has its name, or if Python does not allow
    that, `P_` and the name."""
    made = package_type(ordered({name for _, paths in given for name in paths}))
    return [_made(made, id, paths) for id, paths in given]


def define(id: str, paths: Mapping[str, str], name: str | None = None) -> PackageDefinition:
    """A package to register, with these paths by platforms. `name` is the name of its files in
    downloads (files#names)."""
    if set(paths) <= set(PLATFORMS):
        return cast("PackageDefinition", _made(PackageDefinition, id, paths, name=name))
    made = definition_type(ordered(paths))
    return cast("PackageDefinition", _made(made, id, paths, name=name))


def _made(made: Any, id: str, paths: Mapping[str, str], **more: Any) -> Any:
    given = {attribute: paths[name] for attribute, name in made.platforms.items() if name in paths}
    return made(id=id, **given, **more)


def ordered(names: Iterable[str]) -> tuple[str, ...]:
    """These platforms, each once: those of PLATFORMS first, then the others by name."""
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
    """The type of packages to register with paths for these platforms. It ignores paths for
    others."""
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
    """The attribute of a platform: its name, or if Python does not allow that, `P_` and the
    name."""
    plain = platform.isidentifier() and not platform.startswith("_") and not iskeyword(platform)
    return platform if plain and platform != "platforms" else f"P_{platform}"
