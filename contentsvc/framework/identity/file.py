"""The file of the option `issuers`: whose tokens the service takes. It is TOML."""

import tomllib
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from contentsvc.framework.core.secret_files import PrivateError, read_private
from contentsvc.framework.core.utf8 import without_mark
from contentsvc.framework.identity.fetch import is_safe
from contentsvc.framework.identity.issuer import IssuerSettings
from contentsvc.framework.identity.keys import ALGORITHMS
from contentsvc.framework.identity.steam import URL, SteamSettings

_Audience = Annotated[str, Meta(min_length=1, max_length=512)]
_ClientId = Annotated[str, Meta(min_length=1, max_length=512, pattern=r"^[ -~]+\Z")]
_Name = Annotated[str, Meta(min_length=1, max_length=64)]


class FileError(Exception):
    """The file is missing or wrong. `str()` is one line with its path and the reason."""


class _Issuer(Struct, forbid_unknown_fields=True):
    issuer: str
    audience: _Audience | Annotated[list[_Audience], Meta(min_length=1)]
    algorithms: Annotated[tuple[str, ...], Meta(min_length=1)] = ALGORITHMS
    name: _Name | None = None
    client_id: _ClientId | None = None


class _Steam(Struct, forbid_unknown_fields=True):
    app_id: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    identity: Annotated[str, Meta(min_length=1, max_length=256)]
    key_file: str
    url: str = URL


class _File(Struct, forbid_unknown_fields=True):
    issuer: list[_Issuer] = []
    steam: _Steam | None = None


class Sources(NamedTuple):
    """All whose tokens the service takes."""

    issuers: tuple[IssuerSettings, ...]
    steam: SteamSettings | None


def read(path: Path) -> Sources:
    """Read the file. Raises FileError."""
    try:
        file = msgspec.convert(tomllib.loads(without_mark(path.read_bytes()).decode()), _File)
        issuers = tuple(map(_issuer, file.issuer))
        if len({each.issuer for each in issuers}) < len(issuers):
            raise ValueError("two tables have the same issuer: one can have a list as its audience")
        names = [each.name for each in issuers if each.for_pages]
        if len({*names}) < len(names):
            raise ValueError(
                "two issuers have the same name: nobody could tell their buttons apart"
            )
        steam = None if file.steam is None else _steam(path, file.steam)
        if not issuers and steam is None:
            raise ValueError("there is neither [[issuer]] nor [steam]")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # those of tomllib and msgspec are ValueErrors
        raise FileError(f"{path}: {' '.join(str(error).split())}") from None
    return Sources(issuers, steam)


def _issuer(table: _Issuer) -> IssuerSettings:
    if not is_safe(table.issuer) or "?" in table.issuer:
        raise ValueError(
            f"issuer {table.issuer!r} is not an https URL without query, nor an http URL of this "
            "machine"
        )
    for algorithm in table.algorithms:
        if algorithm not in ALGORITHMS:
            raise ValueError(f"algorithms has {algorithm!r}: use {', '.join(ALGORITHMS)}")
    name = table.name or ""
    if not name.isprintable() or name.strip() != name:
        raise ValueError(f"name {name!r} has characters that nobody sees")
    audiences = [table.audience] if isinstance(table.audience, str) else table.audience
    # The ID tokens that pages get are for their client.
    wanted = dict.fromkeys((*audiences, *([table.client_id] if table.client_id else ())))
    return IssuerSettings(
        table.issuer, tuple(wanted), table.algorithms, table.name, table.client_id
    )


def _steam(path: Path, table: _Steam) -> SteamSettings:
    if not is_safe(table.url) or "?" in table.url:
        raise ValueError(f"url {table.url!r} is not an https URL, nor an http URL of this machine")
    # A path in the file is meant from where the file is.
    try:
        key = read_private(path.parent / table.key_file).strip()
    except PrivateError as error:
        raise ValueError(f"key_file {table.key_file}: {error}") from None
    if not key.isalnum():
        raise ValueError(f"key_file {table.key_file}: a key is one word of letters and digits")
    return SteamSettings(table.app_id, table.identity, key, table.url.rstrip("/"))
