"""The command scripts/test."""

import argparse
import os
import sys
from pathlib import Path

from tests.runner import selection
from tests.support.sizes import SIZE

ALONE = 3
"""The most modules that one process runs by itself."""


def parsed(words: list[str]) -> argparse.Namespace:
    """The command line. Raises SystemExit."""
    parser = argparse.ArgumentParser(
        prog="scripts/test",
        description="Runs tests. Without a name: all but those that need a browser, or that wait.",
    )
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--all", dest="size", action="store_const", const="all", help="most of all")
    sizes.add_argument(
        "--nightly", dest="size", action="store_const", const="nightly", help="everything"
    )
    sizes.add_argument(
        "--changed", action="store_true", help="those that the change since main touches"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="a topic (ratings) or tests.x.y")
    return parser.parse_args(words)


def main() -> int:
    """Run what the command line names; the status is 0 if all passed, the second time at last."""
    asked = parsed(sys.argv[1:])
    by_name = bool(asked.names) or asked.changed
    # What is named runs whole, but for what waits for long.
    size = asked.size or ("all" if by_name else "quick")
    os.environ[SIZE] = size
    try:
        modules = chosen(asked.names, size, changed=asked.changed)
    except LookupError as error:
        print(error, file=sys.stderr)
        return 2
    if asked.names and len(modules) <= ALONE and all(n.startswith("tests.") for n in asked.names):
        # One process does without servers of a run, and takes classes and tests too.
        temp = os.environ.get("TRIAL_TEMP", "_trial_temp")
        trial = str(Path(sys.executable).with_name("trial"))
        os.execv(trial, [trial, "--temp-directory", temp, *asked.names])
    # Only now: a single module of pure tests is to be quick.
    from tests.runner.report import report
    from tests.runner.run import Run

    scripts = selection.SCRIPTS if size == "nightly" and not by_name else ()
    return report(Run(modules, scripts), size, by_name=by_name)


def chosen(names: list[str], size: str, *, changed: bool) -> list[str]:
    """The modules to run. Raises LookupError if a name has none."""
    if not names and not changed:
        return selection.of_size(size)
    found = selection.changed() if changed else []
    for name in names:
        more = selection.named(name)
        # A module that is named by itself runs, whatever its size is.
        found += more if len(more) == 1 else [m for m in more if m in selection.of_size(size)]
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    sys.exit(main())
