"""The archives that the portal makes."""

from __future__ import annotations

from os.path import abspath
from zipfile import ZIP_STORED, ZipFile

from contentsvc.portal.assets import FOLDER
from tests.javascript.harness import NpmCase

_LARGE = 5_000_000_000
"""Bytes that 32 bits do not count."""
_MAKE = """
import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
const [module, path, count, large] = process.argv.slice(1);
// What is large is a hole of the file.
globalThis.Blob = class {
  constructor(parts, hole) {
    this.parts = parts;
    this.size = parts.reduce((sum, one) => sum + (one.size ?? one.length), Number(hole) || 0);
  }
};
const { archive, Crc } = await import(module);
const made = (name, text, hole) => {
  const bytes = new TextEncoder().encode(text);
  const crc = new Crc();
  for (const byte of bytes) crc.add(Uint8Array.of(byte));
  return { name, data: new Blob([bytes], hole), crc: crc.value };
};
const entries = Array.from({ length: Number(count) }, (_, n) => made(`${n} ☃`, `${n}`));
if (Number(large)) entries.unshift(made("large", "", Number(large)));
const data = archive(entries, new Date(2024, 1, 29, 12, 30, 58));
const file = openSync(path, "w");
let at = 0;
for (const one of data.parts) {
  for (const bytes of one.parts ?? [one])
    if (bytes.length) writeSync(file, bytes, 0, bytes.length, at);
  at += one.size ?? one.length;
}
ftruncateSync(file, at);
closeSync(file);
"""


class ZipTests(NpmCase):
    def somewhere(self) -> str:
        """A path of nothing yet."""
        return abspath(self.mktemp())

    async def archive(self, count: int, large: int = 0) -> ZipFile:
        """An archive of so many files: each is called by its number, and has it as its text. Before
        them may be one of this size."""
        path, module = self.somewhere(), (FOLDER / "parts/zip.js").as_uri()
        script = ("--input-type=module", "--eval", _MAKE)
        said, status = await self.run_program(
            self.node, *script, module, path, str(count), str(large)
        )
        self.assertEqual(0, status, said)
        found = ZipFile(path)
        self.addCleanup(found.close)
        return found

    async def test_few(self) -> None:
        """The files are there as they are, with their names and the time of their change."""
        found = await self.archive(3)
        self.assertEqual(["0 ☃", "1 ☃", "2 ☃"], found.namelist())
        self.assertIsNone(found.testzip())
        self.assertEqual(b"2", found.read("2 ☃"))
        info = found.getinfo("1 ☃")
        self.assertEqual((2024, 2, 29, 12, 30, 58), info.date_time)
        self.assertEqual(ZIP_STORED, info.compress_type)

    async def test_none(self) -> None:
        """An archive of nothing can be read."""
        self.assertEqual([], (await self.archive(0)).namelist())

    async def test_many(self) -> None:
        """More files than 16 bits count are all there."""
        found = await self.archive(65_536)
        self.assertEqual(65_536, len(found.namelist()))
        self.assertEqual(b"65535", found.read("65535 ☃"))

    async def test_large(self) -> None:
        """A file of more bytes than 32 bits count is there, and so is what comes after it."""
        found = await self.archive(2, _LARGE)
        self.assertEqual(_LARGE, found.getinfo("large").file_size)
        self.assertEqual([b"0", b"1"], [found.read(one) for one in ("0 ☃", "1 ☃")])
