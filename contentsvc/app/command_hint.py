"""Builds the `contentsvc` command that an operator can paste into the shell that has started the
daemon."""

import os
import shlex
import shutil
from pathlib import Path

from psycopg2.extensions import make_dsn, parse_dsn

from contentsvc import config
from contentsvc.config import ConfigError, Settings

_SECRET = ("password", "sslpassword")


def command(script: str, file: str | None, settings: Settings) -> str:
    """The command, with the options that it needs to reach this daemon's database and keys.

    `script` is the path by which twistd was called, and `file` the configuration file. If `script`
    is relative, the shell is in this folder; otherwise it may be in another. A password is not
    shown: the word PASSWORD stands for it.
    """
    here = not os.path.isabs(script)
    words = [_program(script)]
    if file is not None:
        words += ["--config", _shown(Path(file).absolute(), here)]
    try:
        known = config.read({} if file is None else {"config": file}, {})
    except ConfigError:  # of these settings the file has only some
        known = None
    if settings.database is None:
        if not here or known is None or known.data_dir != settings.data_dir:
            words += ["--data-dir", _shown(settings.data_dir, here)]
    elif known is None or known.database != settings.database:
        words += ["--database", _without_password(settings.database)]
    keys = settings.secret_file
    if keys is not None and (not here or known is None or known.secret_file != keys):
        words += ["--secret-file", _shown(keys, here)]
    return shlex.join(words)


def _program(script: str) -> str:
    """The program that was installed beside twistd: its name alone, if the shell finds it by
    that."""
    beside = Path(script).with_name("contentsvc")
    found = shutil.which("contentsvc")
    if not beside.exists() or (found is not None and beside.samefile(found)):
        return "contentsvc"
    return str(beside) if len(beside.parts) > 1 else f"./{beside}"


def _shown(path: Path, here: bool) -> str:
    folder = Path.cwd()
    return str(path.relative_to(folder)) if here and path.is_relative_to(folder) else str(path)


def _without_password(dsn: str) -> str:
    parts = parse_dsn(dsn)
    hidden = {name: "PASSWORD" for name in _SECRET if name in parts}
    return make_dsn(**{**parts, **hidden}) if hidden else dsn
