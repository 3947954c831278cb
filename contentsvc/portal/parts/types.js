/** The types of content. A studio may add some: the service's own contract has them all. */
import { base } from "../base.js";
import { useEffect, useState } from "../vendor/preact.js";
import { typeName } from "./names.js";

const EVERY = ["game", "asset", "avatar_box", "gameplay_box", "scene_box"];

/** @type {Promise<string[]> | null} */
let asked = null;
/** @type {string[]} */
let known = EVERY;

/** They are asked for once. */
function read() {
  asked ??= fetch(`${base}openapi.json`)
    .then((answer) => answer.json())
    .then((contract) => (known = contract.components.schemas.ContentCreate.properties.type.enum))
    .catch(() => ((asked = null), known));
  return asked;
}

/** The types with what they are called, as options of a choice. Those of this service alone come as soon as
 * they are known.
 * @param {string} [chosen] is among them, whatever it is
 * @returns {[string, string][]} */
export function useTypes(chosen = "") {
  const [types, setTypes] = useState(known);
  useEffect(() => void read().then(setTypes), []);
  const all = chosen && !types.includes(chosen) ? [...types, chosen] : types;
  return all.map((name) => [name, typeName(name)]);
}
