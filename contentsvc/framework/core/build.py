"""Which build of the service this is: its version, and the commit that it was made of.

A clone knows its commit by itself. A wheel has it in its version, as `1.0.0+g7b6ea68a1234`:
setup.cfg asks for WHEEL_VERSION when one is built, by running this file alone.
"""

import os
import re
import subprocess
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The folder above the package: that of the clone, if it is one."""
VARIABLE = "CONTENTSVC_COMMIT"
"""Holds the commit while a wheel is built of a tree without git, as in the Dockerfile."""
_LENGTH = 12
"""Digits of a commit that are shown."""
_PATIENCE = 5.0
"""Seconds that git may take."""


def release() -> str:
    """The version alone, such as `1.0.0`."""
    return version("contentsvc").partition("+")[0]


@cache
def commit() -> str | None:
    """The commit, in 12 digits; with `.dirty` if the files of the clone differ from it. None if it
    is not known."""
    if (ROOT / ".git").exists():
        # What was noted when the clone was installed may be older.
        return _of_clone(ROOT)
    _, _, label = version("contentsvc").partition("+")
    return label.removeprefix("g") or None


def name() -> str:
    """The version, with the commit if that is known: `1.0.0+g7b6ea68a1234`."""
    return _labelled(release(), commit())


def _labelled(number: str, commit: str | None) -> str:
    return number if commit is None else f"{number}+g{commit}"


def _of_clone(root: Path) -> str | None:
    """What git says of the commit in this folder."""
    # Whoever runs the service trusts the folder that its code is in, whose it may ever be.
    command = ["git", "-C", str(root), "-c", f"safe.directory={root}", "--no-optional-locks"]
    command += ["describe", "--always", "--exclude=*", "--dirty=.dirty", f"--abbrev={_LENGTH}"]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603
            command, env=environ, capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _wheel_version() -> str:
    text = (ROOT / "contentsvc" / "__init__.py").read_text("utf-8")
    (number,) = re.findall(r'^__version__ = "(.+)"$', text, re.M)
    packed = ROOT / "PKG-INFO"
    if packed.exists():
        # An sdist is unpacked, and knows the version that it was given.
        (given,) = re.findall(r"^Version: (.+)$", packed.read_text("utf-8"), re.M)
        return str(given)
    if (ROOT / ".git").exists():
        return _labelled(number, _of_clone(ROOT))
    given = re.fullmatch("[0-9a-f]{7,64}", os.environ.get(VARIABLE, ""))
    return _labelled(number, given[0][:_LENGTH] if given else None)


def __getattr__(attribute: str) -> str:
    # An attribute, because setup.cfg can ask for nothing else; made when it is asked for.
    if attribute == "WHEEL_VERSION":
        return _wheel_version()
    raise AttributeError(attribute)
