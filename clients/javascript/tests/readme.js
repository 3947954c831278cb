// Runs the examples of README.md, one after the other as one program, against the service.
import { readFile, rm, writeFile } from "node:fs/promises";

const text = await readFile(new URL("../README.md", import.meta.url), "utf8");
const blocks = Array.from(text.matchAll(/^```js\n(.*?)^```/gms), ([, code]) => code);
const program = blocks.join("\n").replaceAll("https://play.example.com", process.env.CONTENTSVC_URL);
// Beside this file, where the package knows itself by its name.
const place = new URL(`readme.${process.pid}.tmp.js`, import.meta.url);
await writeFile(place, program);
try {
  await import(place.href);
} finally {
  await rm(place);
}
