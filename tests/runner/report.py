"""What a run says: each fault, the slowest tests, what was tried again, and what else there is."""

import re
import time
from collections import Counter
from collections.abc import Iterable

from tests.runner import selection
from tests.runner.run import Outcome, Run

SLOWEST = 20
AGAIN = 100
"""The most tests that are run again after they failed beside others. More are no accident of the
machine: a process whose daemon is lost fails some eighty."""
_TEST = re.compile(r"^\s+(?:async )?def test_", re.MULTILINE)


def report(run: Run, size: str, *, by_name: bool) -> int:
    """Run, and print how it went. 0 if all passed, or passed when they were run again."""
    begun = time.monotonic()
    outcomes = []
    for outcome in run.outcomes():
        outcomes.append(outcome)
        if outcome.fault:
            print(f"\nFAILED {outcome.test}\n{outcome.fault}", flush=True)
        elif len(outcomes) % 500 == 0:
            seconds = time.monotonic() - begun
            print(f"{seconds:5.0f} s  {len(outcomes)} tests", flush=True)
    failed = [outcome for outcome in outcomes if outcome.fault]
    slowest(outcomes)
    for reason, number in Counter(o.skipped for o in outcomes if o.skipped is not None).items():
        print(f"skipped {number}: {reason}")
    for warning in run.warnings():
        print(warning.partition("UserWarning: ")[2])
    wrong, retried = [outcome.test for outcome in failed], []
    if 0 < len(wrong) <= AGAIN:
        for outcome in run.again(wrong):
            if outcome.fault:
                print(f"\nFAILED AGAIN {outcome.test}\n{outcome.fault}", flush=True)
            else:
                retried.append(outcome.test)
        wrong = [test for test in wrong if test not in retried]
    for test in wrong:
        print(f"FAILED {test}")
    skipped = sum(outcome.skipped is not None for outcome in outcomes)
    passed = len(outcomes) - skipped - len(wrong)
    print(f"\n{passed} passed, {len(wrong)} failed, {skipped} skipped\n")
    if not by_name:
        print(others(size))
    minutes = (time.monotonic() - begun) / 60
    names = f": {' '.join(retried)}" if retried else ""
    word = "FAILED" if wrong or not passed else "PASSED"
    print(f"{word} in {minutes:.1f} minutes, {len(retried)} retried{names}", flush=True)
    return 0 if word == "PASSED" else 1


def slowest(outcomes: Iterable[Outcome]) -> None:
    """Print them."""
    most = sorted(outcomes, key=lambda outcome: -outcome.seconds)[:SLOWEST]
    print(f"\nThe {len(most)} slowest tests:")
    for outcome in most:
        print(f"{outcome.seconds:6.1f} s  {outcome.test}")


def others(size: str) -> str:
    """What a run of this size leaves out."""
    runs = selection.of_size(size)
    left = {*selection.modules()}.difference(runs)
    larger = selection.SIZES[selection.SIZES.index(size) + 1 :]
    if not larger:
        return "There are no others."
    names = [f"tests.{name}" for each in larger for name in selection.SIZED[each]]
    partly = [m for m in runs if any(name.startswith(f"{m}.") for name in names)]
    count = sum(
        len(_TEST.findall((selection.ROOT / f"{m.replace('.', '/')}.py").read_text())) for m in left
    )
    return (
        f"Not run: {count} tests in {len(left)} modules, and some of {len(partly)} others. "
        f"scripts/test --{larger[0]} runs more."
    )
