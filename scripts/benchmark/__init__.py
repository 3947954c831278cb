"""The benchmark: `scripts/bench`. docs/performance.md says how to read it."""


class BenchError(Exception):
    """Something cannot be measured, or does not do what it should; `str()` says why."""
