/** Forms of what others may change meanwhile. What was typed is put onto what is there now; where both have
 * changed one field, whoever types chooses. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { keepDraft, readDraft } from "../drafts.js";
import { replace } from "../replace.js";
import { t } from "../texts.js";
import { Button } from "./form.js";
import { useAction, useDraft, useSession } from "./hooks.js";

/** @typedef {import("../replace.js").Options} Options */
/** @typedef {Record<string, any>} Fields */
/** @typedef {{base: Fields, mine: Fields}} Draft what somebody has changed, and what each of it was before */

/** @param {unknown} one @param {unknown} other */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** What somebody has typed before. A draft from before drafts knew what they began from began from nothing.
 * @param {string} user @param {string} name
 * @returns {Draft} */
function begun(user, name) {
  const kept = readDraft(user, name);
  if (!kept) return { base: {}, mine: {} };
  return kept.base && kept.mine ? /** @type {Draft} */ (kept) : { base: {}, mine: kept };
}

/** The fields that somebody has changed, and that are another now than when they began.
 * @param {Draft} draft @param {Fields} now */
function contested({ base, mine }, now) {
  return Object.keys(mine).filter(
    (field) =>
      field in now &&
      ![base[field], mine[field]].some((value) => same(value, now[field])) &&
      !same(base[field], mine[field]),
  );
}

/**
 * A form of something that is there, or of something new, which nothing can be `read` of. Only what was
 * changed is kept as a draft, with what it was before.
 * @template {Fields} F
 * @template T
 * @param {string} name of the draft
 * @param {F} shown the fields as the page knows them
 * @param {object} how
 * @param {((options: Options) => Promise<T>) | null} how.read
 * @param {(thing: T) => F} how.fields
 * @param {(changed: F, thing: T, options: Options) => Promise<unknown>} how.write gets all fields: those that
 *   were not changed are as the thing has them
 * @param {(values: F) => unknown} how.done
 */
export function useEdit(name, shown, { read, fields, write, done }) {
  const user = useSession().user?.id ?? "";
  const fresh = useDraft(read ? "" : name, shown);
  const [draft, setDraft] = useState(() => begun(user, name));
  const [newest, setNewest] = useState(/** @type {F | null} */ (null));
  const owner = useRef(`${user}.${name}`);
  useEffect(() => {
    if (owner.current === `${user}.${name}`) return;
    owner.current = `${user}.${name}`;
    setDraft(begun(user, name));
  }, [user, name]);
  useEffect(() => setNewest(null), [JSON.stringify(shown)]);
  const now = newest ?? shown;
  const values = read ? /** @type {F} */ ({ ...now, ...draft.mine }) : fresh[0];
  /** @param {(was: Draft) => Draft} next */
  const keep = (next) =>
    setDraft((was) => {
      const made = next(was);
      keepDraft(user, name, Object.keys(made.mine).length ? made : null);
      return made;
    });
  /** @param {Partial<F>} part */
  const change = (part) =>
    keep(({ base, mine }) => {
      const next = { base: { ...base }, mine: { ...mine } };
      for (const [field, value] of Object.entries(part)) {
        if (!(field in mine)) next.base[field] = now[field];
        next.mine[field] = value;
        if (same(value, now[field]) && same(value, next.base[field]))
          for (const part of [next.base, next.mine]) delete part[field];
      }
      return next;
    });
  const save = useAction(async () => {
    if (!read) {
      await write(fresh[0], /** @type {any} */ (null), {});
      fresh[2]();
      await done(fresh[0]);
    } else {
      const saved = await replace(read, async (thing, options) => {
        const there = fields(thing);
        if (contested(draft, there).length) {
          setNewest(there);
          return null;
        }
        const changed = Object.entries(draft.mine).filter(
          ([field, value]) => field in there && !same(value, draft.base[field]),
        );
        const merged = { ...there, ...Object.fromEntries(changed) };
        if (!same(merged, there)) await write(merged, thing, options);
        return merged;
      });
      if (!saved) return;
      keep(({ mine }) => {
        // What was typed meanwhile stays.
        const left = Object.keys(mine).filter((field) => !same(mine[field], draft.mine[field]));
        const of = (/** @type {Fields} */ all) =>
          Object.fromEntries(left.map((field) => [field, all[field]]));
        return { base: of(saved), mine: of(mine) };
      });
      setNewest(saved);
      await done(saved);
    }
  });
  /** @param {string} field @param {boolean} isMine which of both stays */
  const choose = (field, isMine) => {
    save.clear();
    keep(({ base, mine }) => {
      const { [field]: was, ...bases } = base;
      const { [field]: typed, ...others } = mine;
      return isMine ? { base: { ...bases, [field]: now[field] }, mine } : { base: bases, mine: others };
    });
  };
  const open = read ? contested(draft, now) : [];
  return {
    values,
    change: read ? change : fresh[1],
    save,
    both: { open, mine: draft.mine, theirs: /** @type {Fields} */ (now), choose },
  };
}

/** In words that stand alone.
 * @param {any} value */
function plain(value) {
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "boolean") return t(value ? "attributes.yes" : "attributes.no");
  return value ?? "";
}

/** What others and the visitor have made of one field, of which one stays.
 * @param {{of: ReturnType<typeof useEdit>["both"], labels: Record<string, string>, words?: Record<string,
 *   (value: any) => any>}} props `words` are those for values that are no text */
export function Both({ of: { open, mine, theirs, choose }, labels, words = {} }) {
  if (!open.length) return null;
  return html`
    <section class="stack" aria-label=${t("edit.both")}>
      <p class="notice" role="alert">
        ${t("edit.changed")}
      </p>
      ${open.map((field) => {
        const label = labels[field] ?? field;
        const say = words[field] ?? plain;
        /** @param {string} title @param {any} value @param {boolean} isMine */
        const side = (title, value, isMine) =>
          html`
            <section aria-label=${`${label}: ${title}`}>
              <h4>${title}</h4>
              <blockquote class="text" dir="auto">
                ${say(value) || t("edit.empty")}
              </blockquote>
              <p class="actions">
                <${Button}
                  aria-label=${`${t(isMine ? "edit.keep" : "edit.take")}: ${label}`}
                  onClick=${() => choose(field, isMine)}
                >
                  ${t(isMine ? "edit.keep" : "edit.take")}
                <//>
              </p>
            </section>
          `;
        return html`
          <div key=${field}>
            <h3>${label}</h3>
            <div class="beside">
              ${side(t("edit.theirs"), theirs[field], false)}
              ${side(t("edit.mine"), mine[field], true)}
            </div>
          </div>
        `;
      })}
    </section>
  `;
}
