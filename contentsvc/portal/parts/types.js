/** The types of content. A studio may add some: the service's own contract has them all. */
import { base } from "../base.js";
import { once } from "../once.js";
import { useEffect, useState } from "../vendor/preact.js";
import { hasText, t } from "../texts.js";
import { typeName } from "./names.js";

const EVERY = ["game", "asset", "avatar_box", "gameplay_box", "scene_box"];

/** @type {string[]} */
let known = EVERY;

const read = once(async () => {
  const contract = await (await fetch(`${base}openapi.json`)).json();
  return (known = contract.components.schemas.ContentCreate.properties.type.enum);
});

/** What a type is for; nothing of one that only this studio has.
 * @param {string} type */
export function typeText(type) {
  const key = `type-text.${type}`;
  return hasText(key) ? t(key) : "";
}

/** The types with what they are called, as options of a choice. Those of this service alone come as soon as
 * they are known.
 * @param {string} [chosen] is among them, whatever it is
 * @returns {[string, string][]} */
export function useTypes(chosen = "") {
  const [types, setTypes] = useState(known);
  useEffect(
    () =>
      void read().then(setTypes, () => {
        // Those of the specification do until somebody asks again.
      }),
    [],
  );
  const all = chosen && !types.includes(chosen) ? [...types, chosen] : types;
  return all.map((name) => [name, typeName(name)]);
}
