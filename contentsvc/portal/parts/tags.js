/** Tags as fields: those of the studio's groups are chosen, and others are written. */
import { number } from "../format.js";
import { service } from "../service.js";
import { client } from "../session.js";
import { html, useEffect, useState } from "../vendor/preact.js";
import { language, t } from "../texts.js";
import { Combobox } from "./combobox.js";
import { joined, Problem, separated, useField, useId } from "./form.js";
import { useLoad } from "./hooks.js";
import { control } from "./names.js";
import { divided, groupOf, groupsFor, sameTag, tagName } from "./tag-names.js";

/** @typedef {import("../tag-groups.js").TagGroup} TagGroup */

/** Milliseconds after the last letter when it asks; how many it offers, and how many it asks for: some are
 * there already. */
const PAUSE = 200;
const OFFERED = 8;
const ASKED = 30;
/** Of a larger group so many are shown at first. */
const SHOWN = 12;
/** What is completed: what stands behind the last comma. */
const LAST = /^(.*,)?\s*([^,"]*)$/s;

/** The tags of groups, each with what `TagChoice` says of it.
 * @param {{groups: TagGroup[], chosen: string[], onChange: (chosen: string[]) => void, counted?: boolean,
 *   counts?: Map<string, number>, problem?: string}} props the problem is said at the first of them */
export function TagChoices({ groups, problem, ...rest }) {
  return groups.map(
    (group, index) =>
      html`
        <${TagChoice} key=${group.key} group=${group} problem=${index ? undefined : problem} ...${rest} />
      `,
  );
}

/** The tags of a group, of which as many are chosen as it allows: where that is one, another takes its place.
 * @param {{group: TagGroup, chosen: string[], onChange: (chosen: string[]) => void, counted?: boolean,
 *   counts?: Map<string, number>, problem?: string}} props `chosen` may have tags of other groups; `counts`
 *   says how much content has a tag, where that is shown; `problem` is the id of what is wrong with them
 */
function TagChoice({ group, chosen, onChange, counts, counted = false, problem }) {
  const id = useId();
  const [isWhole, setWhole] = useState(false);
  const own = chosen.filter((tag) => groupOf(tag) === group);
  const isFull = group.most !== null && own.length >= group.most;
  const isChosen = (/** @type {string} */ name) => own.some((tag) => sameTag(tag, name));
  const shown = isWhole
    ? group.tags
    : group.tags.filter(({ name }, index) => index < SHOWN || isChosen(name));
  const more = t("tags.more", { count: group.tags.length - shown.length });
  /** @param {string} name */
  const turn = (name) => {
    if (isChosen(name)) onChange(chosen.filter((tag) => !sameTag(tag, name)));
    else if (group.most === 1) onChange([...chosen.filter((tag) => !own.includes(tag)), name]);
    else onChange([...chosen, name]);
  };
  return html`
    <fieldset class="tag-choice">
      <legend>
        ${group.label[language]}
        ${
          group.most !== null &&
          !counted &&
          html`${" "}<span class="faint small">${t("tags.most", { count: group.most })}</span>`
        }
      </legend>
      <ul class="chips">
        ${shown.map(
          ({ name, label }, index) =>
            html`
              <li key=${name}>
                <label class="chip pick">
                  <input
                    type="checkbox"
                    class="unseen"
                    id=${`${id}-${index}`}
                    checked=${isChosen(name)}
                    disabled=${isFull && group.most !== 1 && !isChosen(name)}
                    aria-invalid=${problem && !index ? true : undefined}
                    aria-describedby=${problem}
                    onChange=${() => turn(name)}
                  />
                  <bdi>${label[language]}</bdi>
                  ${counted && html`<span class="number">${short(counts?.get(name))}</span>`}
                </label>
              </li>
            `,
        )}
        ${
          shown.length < group.tags.length &&
          html`
            <li key="">
              <button
                type="button"
                class="chip all"
                aria-label=${control(more, group.label[language])}
                onClick=${() => setWhole(true)}
              >
                ${more}
              </button>
            </li>
          `
        }
      </ul>
    </fieldset>
  `;
}

/** A number in little room: its place is there before it comes.
 * @param {number | undefined} count */
const short = (count) =>
  count === undefined
    ? ""
    : count < 1000
      ? number(count)
      : new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 }).format(count);

/** What could be meant by what is typed.
 * @param {string} text @param {boolean} grouped whether tags of groups are offered too
 * @returns {import("../client.js").TagCount[] | null} */
function useOffered(text, grouped) {
  const [found, setFound] = useState(
    /** @type {{q: string, tags: import("../client.js").TagCount[]} | null} */ (null),
  );
  const q = (LAST.exec(text)?.[2] ?? "").trim();
  const isAsked = q.length > 0 && [...q].length <= 64;
  useEffect(() => {
    if (!isAsked) return setFound(null);
    const control = new AbortController();
    const timer = setTimeout(async () => {
      const { signal } = control;
      const tags = await client.listTags({ q, limit: ASKED }, { signal }).catch(() => null);
      if (!signal.aborted && tags) setFound({ q, tags });
    }, PAUSE);
    return () => (clearTimeout(timer), control.abort());
  }, [q, isAsked]);
  if (!isAsked || !found) return null;
  const there = separated(LAST.exec(text)?.[1] ?? "");
  return found.tags
    .filter(({ tag, group }) => (grouped || group === null) && !there.some((one) => sameTag(one, tag)))
    .slice(0, OFFERED);
}

/** The field of written tags, between commas, completed from those that content has.
 * @param {{label: string, value: string, onChange: (value: string) => void, onTake?: (tag: string) => void,
 *   grouped?: boolean, ends?: boolean, hint?: string, problem?: string | null}} props `onTake` gets a tag
 *   that was offered, which otherwise ends the text; `grouped` offers those of groups too; where `ends` is
 *   true, Enter ends a tag */
export function TagField({ label, value, onChange, onTake, grouped, ends, hint, problem }) {
  const offered = useOffered(value, !!grouped);
  const take =
    onTake ??
    ((/** @type {string} */ tag) => {
      const before = LAST.exec(value)?.[1] ?? "";
      onChange(`${before}${before && " "}${joined([tag.trim()])}, `);
    });
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const tags = value.trimEnd();
    if (!ends || event.key !== "Enter") return;
    event.preventDefault();
    if (tags && !tags.endsWith(",")) onChange(`${tags}, `);
  };
  return html`
    <${Combobox}
      label=${label}
      value=${value}
      options=${offered ?? []}
      keyOf=${(/** @type {{tag: string}} */ { tag }) => tag}
      option=${(/** @type {{tag: string, count: number}} */ { tag, count }) =>
        html`
          <bdi>${tagName(tag)}</bdi>
          <span class="number faint small">${number(count)}</span>
        `}
      list=${t("tags.offered")}
      said=${offered ? t("tags.found", { count: offered.length }) : ""}
      hint=${hint}
      problem=${problem}
      autocapitalize="none"
      onInput=${onChange}
      onChoose=${(/** @type {{tag: string}} */ { tag }) => take(tag)}
      onKeyDown=${press}
    />
  `;
}

/** All tags that an author gives: chosen ones, and others as text.
 * @param {{type: string, chosen: string[], text: string, onChoose: (chosen: string[]) => void,
 *   onType: (text: string) => void, ends?: boolean}} props */
export function TagFields({ type, chosen, text, onChoose, onType, ends }) {
  const id = useId();
  const groups = groupsFor(type);
  const hasField = service.freeTags || !!text;
  const value = tagsOf(type, chosen, text);
  const [problem, forget] = useField(hasField || groups.length ? "tags" : undefined, { value });
  return html`
    <${TagChoices}
      groups=${groups}
      chosen=${chosen}
      onChange=${(/** @type {string[]} */ tags) => (forget(), onChoose(tags))}
      problem=${problem && !hasField ? `${id}-problem` : undefined}
    />
    <div class="field">
      ${
        hasField &&
        html`
          <${TagField}
            label=${t("field.tags")}
            value=${text}
            onChange=${(/** @type {string} */ text) => (forget(), onType(text))}
            ends=${ends}
            hint=${t("publish.tags-hint")}
            problem=${problem}
          />
        `
      }
      ${!hasField && html`<${Problem} id=${id} text=${problem} />`}
    </div>
  `;
}

/** What is sent of them: what was chosen for another type stays here.
 * @param {string} type @param {string[]} chosen @param {string} text */
export const tagsOf = (type, chosen, text) => [...divided(chosen, type).chosen, ...separated(text)];

/** The groups by which content of a type is narrowed, with how much content has each tag.
 * @param {{type?: string, only?: "staff", chosen: string[], onChange: (chosen: string[]) => void}} props
 *   `only` leaves out all groups but those of staff */
export function Facets({ type = "", only, chosen, onChange }) {
  const groups = [...(only ? [] : groupsFor(type)), ...groupsFor(type, true)];
  const keys = groups.map((group) => group.key);
  const found = useLoad(
    async (signal) => {
      const lists = await Promise.all(
        keys.map((group) => client.listTags({ group, limit: 200 }, { signal })),
      );
      return new Map(lists.flat().map(({ tag, count }) => [tag, count]));
    },
    [keys.join()],
  );
  return html`
    <${TagChoices} groups=${groups} chosen=${chosen} onChange=${onChange} counts=${found.data} counted />
  `;
}
