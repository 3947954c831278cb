"""What a run of the smallest size leaves out, where a module has also what it takes."""

import os
from unittest import SkipTest

SIZE = "CONTENTSVC_TEST_SIZE"
"""The variable with the size of the run: quick, all or nightly; without it nothing is left out."""


def not_quick(what: str) -> None:
    """Skip the test in the smallest run, because it needs or does this."""
    if os.environ.get(SIZE) == "quick":
        raise SkipTest(f"{what}: scripts/test --all")
