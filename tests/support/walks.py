"""Random walks. Its seed alone decides what happens in a walk, and a failure names it:
`TEST_SEED=17 scripts/test tests.push.test_interleaving` takes that walk alone.
"""

import os
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Self, TypeVar

Step = TypeVar("Step", bound=Callable[..., Any])


class Walk:
    """One walk, in whose `with` it is taken. `random` decides everything."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._at = f"seed {seed}"
        self._seed = seed
        self._steps = 0

    def choose(self, steps: Mapping[Step, int]) -> Step:
        """The next step: each is taken as often as its number says."""
        (step,) = self.random.choices(list(steps), list(steps.values()))
        self._steps += 1
        self._at = f"seed {self._seed}, step {self._steps}: {step.__name__}"
        return step

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if error is not None:
            # trial does not show the notes of exceptions.
            error.args = (f"{self._at}: {error}",)


def walks(count: int) -> list[Walk]:
    """So many walks, or the one of TEST_SEED."""
    seed = os.environ.get("TEST_SEED")
    return [Walk(n) for n in range(count)] if seed is None else [Walk(int(seed))]
