"""The benchmark: `scripts/bench`. docs/performance.md says how to read it."""
