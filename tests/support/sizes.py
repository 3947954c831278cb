"""How much a run repeats: selection.py says which tests it has."""

import os

SIZE = "CONTENTSVC_TEST_SIZE"
"""The variable with the size of the run: quick, all or nightly; without it nothing is left out."""


def rounds(quick: int, middle: int, nightly: int) -> int:
    """How often to repeat what differs each time, in a run of each size; without a size, as often
    as in the largest."""
    return {"quick": quick, "all": middle}.get(os.environ.get(SIZE, ""), nightly)
