"""How a new database is sized."""

import os
from pathlib import Path

from twisted.trial.unittest import TestCase

from contentsvc.framework.postgres.programs import memory, settings_for

GB = 1 << 30


class SizeTests(TestCase):
    def test_buffers(self) -> None:
        """Buffers are a quarter of the memory, but neither few nor so many that others suffer."""
        for size, buffers in (GB // 4, "128MB"), (2 * GB, "512MB"), (64 * GB, "1024MB"):
            self.assertEqual(settings_for(size)["shared_buffers"], buffers)

    def test_limit(self) -> None:
        """What a container may have is its memory; no limit, or none that can be read, is none."""
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        for text, expected in ("1000000\n", 1_000_000), ("max\n", machine), (f"{1 << 63}", machine):
            limit = Path(self.mktemp())
            limit.write_text(text)
            self.assertEqual(memory([str(limit)]), expected)
        self.assertEqual(memory([self.mktemp()]), machine)
