"""What a smaller run leaves out of a module that it takes."""

import os
from unittest import SkipTest

SIZE = "CONTENTSVC_TEST_SIZE"
"""The variable with the size of the run: quick, all or nightly; without it nothing is left out."""


def rounds(quick: int, middle: int, nightly: int) -> int:
    """How often to repeat what differs each time, in a run of each size; without a size, as often
    as in the largest."""
    return {"quick": quick, "all": middle}.get(os.environ.get(SIZE, ""), nightly)


def not_quick(what: str) -> None:
    """Skip the test in the smallest run, because it needs or does this."""
    if os.environ.get(SIZE) == "quick":
        raise SkipTest(f"{what}: scripts/test --all")


def only_nightly(what: str) -> None:
    """Skip the test in all but the largest run, because it does this."""
    if os.environ.get(SIZE) in {"quick", "all"}:
        raise SkipTest(f"{what}: scripts/test --nightly")
