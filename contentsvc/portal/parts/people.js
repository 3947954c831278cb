/** Players: their picture and name, and what one does about them. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Picture } from "./pictures.js";

/** @typedef {{id: string, username: string, avatar: string | null}} Person */

/** @param {{person: Person, size?: number}} props */
export function Avatar({ person, size = 32 }) {
  return html`
    <${Picture}
      path=${person.avatar}
      name=${person.username}
      id=${person.id}
      width=${size}
      height=${size}
      kind=${`avatar size-${size}`}
    />
  `;
}

/** The name with the picture, which leads to the player.
 * @param {{person: Person, size?: number}} props */
export function PersonLink({ person, size = 24 }) {
  return html`
    <a class="person" href=${address(`/user/${person.id}`)}>
      <${Avatar} person=${person} size=${size} />
      <bdi>${person.username}</bdi>
    </a>
  `;
}

/** @type {Map<string, Promise<Person>>} */
const known = new Map();
/** @type {Map<string, (found: Person) => void>} */
let wanted = new Map();

/** The players with these ids, asked for together. Who has left is shown as that.
 * @param {string[]} ids
 * @returns {Promise<Map<string, Person>>} */
export async function people(ids) {
  for (const id of ids) {
    if (known.has(id)) continue;
    if (!wanted.size) queueMicrotask(ask);
    known.set(id, new Promise((resolve) => wanted.set(id, resolve)));
  }
  return new Map(
    await Promise.all(ids.map(async (id) => /** @type {[string, Person]} */ ([id, await known.get(id)]))),
  );
}

/** Ask for a player again who has another name.
 * @param {string} id */
export function forgetPerson(id) {
  known.delete(id);
}

async function ask() {
  const now = wanted;
  wanted = new Map();
  const ids = [...now.keys()];
  for (let at = 0; at < ids.length; at += 100) {
    const some = ids.slice(at, at + 100);
    /** @type {Person[]} */
    const found = await client.listUsers({ ids: some.join(",") }).catch(() => []);
    for (const id of some) {
      const person = found.find((one) => one.id === id);
      if (!person) known.delete(id);
      now.get(id)?.(person ?? { id, username: t("user.left"), avatar: null });
    }
  }
}
