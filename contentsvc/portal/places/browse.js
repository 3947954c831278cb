/** `/browse`: all content, by words, order, type, tags, attributes and what fits a game. The address has it
 * all, as the API has. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { features, MEMBERS, ownGame, setFilter, valid } from "../game.js";
import { limits } from "../limits.js";
import { tagGroups } from "../tag-groups.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Chips } from "../parts/chips.js";
import { Details } from "../parts/details.js";
import { Button, Choice, Field, Form, joined, separated, useField } from "../parts/form.js";
import { gameWords, platforms } from "../parts/game-words.js";
import { useTitle } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { List, useList } from "../parts/list.js";
import { fault } from "../parts/problems.js";
import { Empty } from "../parts/states.js";
import { groupOf, tagName } from "../parts/tag-names.js";
import { Facets, TagField } from "../parts/tags.js";
import { typeOptions, typeText } from "../parts/types.js";

const SORTS = /** @type {const} */ (["newest", "updated", "top", "trending", "played", "subscribed"]);
const NAMES = ["q", "sort", "category", "tags", "featured", "author", ...MEMBERS];
/** So many attributes may be asked for, with such names. */
const { maxProperties: MOST, names: KEYS } = limits.listContent.attr;
const ATTRIBUTE = "attr.";

/** @typedef {[key: string, value: string]} Asked */

/** @param {string} key */
const badKey = (key) => fault({ value: key, limit: { pattern: KEYS }, wrong: t("attributes.key-wrong") });

/** Where there is room beside the cards for what narrows them. */
const isWide = () => matchMedia("(min-width: 56.25em)").matches;

/** The field of tags. What was offered and taken is asked for at once.
 * @param {{value: string, onChange: (value: string) => void, onTake: (tag: string) => void}} props */
function Tags({ value, onChange, onTake }) {
  const [problem, forget] = useField("tags", { value: value.trim(), wrong: t("browse.tags-wrong") });
  return html`
    <div class="field">
      <${TagField}
        label=${t("field.tags")}
        value=${value}
        onChange=${(/** @type {string} */ text) => (forget(), onChange(text))}
        onTake=${onTake}
        problem=${problem}
        grouped
      />
    </div>
  `;
}

/** @param {import("../router.js").PlaceProps} props */
export default function Browse({ query }) {
  useTitle(t("place.browse"));
  const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  const attributes = [...query]
    .filter(([name]) => name.startsWith(ATTRIBUTE))
    .map(([name, value]) => /** @type {Asked} */ ([name.slice(ATTRIBUTE.length), value]));
  const tags = separated(asked.tags);
  // What was chosen is a chip: the field takes what comes to it.
  const typed = { text: asked.q, tags: "", game: asked.game, features: asked.features, attributes };
  const [values, setValues] = useState(typed);
  /** @param {Partial<typeof typed>} change */
  const set = (change) => setValues((was) => ({ ...was, ...change }));
  const all = query.toString();
  // One goes back and forth between searches.
  useEffect(() => {
    setValues(typed);
    setFilter(valid(asked));
  }, [all]);
  const chosen = Object.fromEntries(
    [...query].filter(([name, value]) => value && (NAMES.includes(name) || name.startsWith(ATTRIBUTE))),
  );
  const found = useList("listContent", { ...chosen, limit: 24 }, [all]);
  const types = typeOptions(asked.category);
  const mine = ownGame();

  /** @param {Record<string, string>} change
   * @param {Asked[]} [left] the attributes, if not those of the form */
  const ask = (change, left = values.attributes) => {
    const typed = {
      q: values.text.trim(),
      tags: joined([...new Set([...tags, ...separated(values.tags)])]),
      game: values.game.trim(),
      features: features(values.features),
    };
    const named = left
      .filter(([key]) => key.trim())
      .map(([key, value]) => [`${ATTRIBUTE}${key.trim()}`, value]);
    const kept = Object.entries({ ...asked, ...typed, ...change }).filter(([, value]) => value);
    const address = new URLSearchParams([...kept, ...named]).toString();
    go(`/browse${address && `?${address}`}`);
  };
  /** Ask for these tags, and no more of those that are being written.
   * @param {string[]} now */
  const narrow = (now) => (set({ tags: "" }), ask({ tags: joined([...new Set(now)]) }));
  /** @param {number} at @param {Asked} now */
  const attribute = (at, now) =>
    set({ attributes: values.attributes.map((one, n) => (n === at ? now : one)) });
  /** @type {[string, string][]} */
  const sorts = [
    ["", t(asked.q ? "sort.relevance" : "sort.newest")],
    ...SORTS.filter((name) => asked.q || name !== "newest").map(
      (name) => /** @type {[string, string]} */ ([name, t(`sort.${name}`)]),
    ),
  ];
  /** @param {string} name @param {string} text
   * @returns {import("../parts/chips.js").Chip[]} */
  const chip = (name, text) => (asked[name] ? [{ text, remove: () => ask({ [name]: "" }) }] : []);
  const chips = [
    ...chip("featured", t("discover.featured")),
    ...chip("category", types.find(([name]) => name === asked.category)?.[1] ?? asked.category),
    ...tags.map((tag) => ({ text: tagName(tag), remove: () => narrow(tags.filter((one) => one !== tag)) })),
    ...chip("author", t("browse.author")),
    ...chip("game", `${t("game.version")} ${asked.game}`),
    ...chip("platform", platforms().find(([name]) => name === asked.platform)?.[1] ?? asked.platform),
    ...chip("features", asked.features),
    ...attributes.map(([key, value], at) => ({
      text: `${key}: ${value}`,
      remove: () =>
        ask(
          {},
          attributes.filter((_, n) => n !== at),
        ),
    })),
  ];
  const isMine = MEMBERS.every((name) => (mine[name] ?? "") === asked[name]);
  const isNarrow = !!attributes.length || MEMBERS.some((name) => asked[name]);
  return html`
    <h1>${t("place.browse")}</h1>
    <${Form}
      role="search"
      aria-label=${t("place.browse")}
      of=${found}
      limits=${limits.listContent}
      place=${(/** @type {string} */ at) => (at === "attr" ? "attr/0" : null)}
      onSend=${() => ask({})}
    >
      <div class="filters">
        <${Field}
          label=${t("field.search")}
          type="search"
          value=${values.text}
          onChange=${(/** @type {string} */ text) => set({ text })}
          name="q"
          sent=${values.text.trim()}
        />
        <${Choice}
          label=${t("field.sort")}
          value=${asked.sort}
          options=${sorts}
          onChange=${(/** @type {string} */ sort) => ask({ sort })}
        />
        <${Choice}
          label=${t("field.type")}
          value=${asked.category}
          onChange=${(/** @type {string} */ category) => ask({ category })}
          options=${[["", t("type.all")], ...types]}
        />
        <${Tags}
          value=${values.tags}
          onChange=${(/** @type {string} */ tags) => set({ tags })}
          onTake=${(/** @type {string} */ tag) => narrow([...tags, tag])}
        />
        <label class="check">
          <input
            type="checkbox"
            checked=${asked.featured === "true"}
            onChange=${(/** @type {any} */ event) => ask({ featured: event.target.checked ? "true" : "" })}
          />${" "}
          ${t("discover.featured")}
        </label>
        <${Button} type="submit" kind="main">
          ${t("action.search")}
        <//>
      </div>
      ${
        Object.keys(mine).length > 0 &&
        html`
          <p>
            <label class="check">
              <input
                type="checkbox"
                checked=${isMine}
                onChange=${(/** @type {any} */ event) =>
                  ask(
                    Object.fromEntries(
                      MEMBERS.map((name) => [name, event.target.checked ? (mine[name] ?? "") : ""]),
                    ),
                  )}
              />${" "}
              ${t("browse.fits", { game: gameWords(mine) })}
            </label>
          </p>
        `
      }
      ${
        tagGroups.length > 0 &&
        html`
          <${Details} name="tags" open=${isWide() || tags.some(groupOf)} summary=${t("browse.by-tags")}>
            <div class="facets">
              <${Facets} type=${asked.category} chosen=${tags} onChange=${narrow} />
            </div>
          <//>
        `
      }
      <${Details} name="filters" open=${isNarrow} summary=${t("browse.more")}>
        <div class="stack">
          <div class="filters three">
            <${Field}
              label=${t("game.version")}
              name="game"
              value=${values.game}
              sent=${values.game.trim()}
              wrong=${t("game.version-wrong")}
              inputmode="decimal"
              placeholder="1.4.2"
              onChange=${(/** @type {string} */ game) => set({ game })}
            />
            <${Choice}
              label=${t("game.platform")}
              value=${asked.platform}
              options=${platforms()}
              onChange=${(/** @type {string} */ platform) => ask({ platform })}
            />
            <${Field}
              label=${t("game.features")}
              name="features"
              value=${values.features}
              sent=${features(values.features)}
              wrong=${t("game.features-wrong")}
              placeholder="vr, mods"
              onChange=${(/** @type {string} */ features) => set({ features })}
            />
          </div>
          ${values.attributes.map(
            ([key, value], at) =>
              html`
                <div class="attribute two" key=${at}>
                  <${Field}
                    label=${t("attributes.key", { number: at + 1 })}
                    name=${`attr/${at}`}
                    value=${key}
                    sent=${key.trim()}
                    required=${!!value}
                    check=${badKey}
                    autocapitalize="none"
                    spellcheck="false"
                    onChange=${(/** @type {string} */ key) => attribute(at, [key, value])}
                  />
                  <${Field}
                    label=${t("attributes.value", { number: at + 1 })}
                    value=${value}
                    onChange=${(/** @type {string} */ value) => attribute(at, [key, value])}
                  />
                  <button
                    type="button"
                    class="icon"
                    aria-label=${t("attributes.remove", { number: at + 1 })}
                    onClick=${() => set({ attributes: values.attributes.filter((_, n) => n !== at) })}
                  >
                    ×
                  </button>
                </div>
              `,
          )}
          <p class="actions">
            ${
              values.attributes.length < MOST &&
              html`
                <${Button}
                  class="button plain small"
                  onClick=${() => set({ attributes: [...values.attributes, ["", ""]] })}
                >
                  ${t("attributes.add")}
                <//>
              `
            }
            <${Button} type="submit" class="button plain small">
              ${t("browse.apply")}
            <//>
            ${
              isNarrow &&
              html`
                <${Button} class="button plain small" onClick=${() => go("/browse")}>
                  ${t("browse.reset")}
                <//>
              `
            }
          </p>
        </div>
      <//>
    <//>
    <${Chips}
      chips=${chips}
      onClear=${() => go(`/browse${asked.q && `?${new URLSearchParams({ q: asked.q })}`}`)}
    />
    ${typeText(asked.category) && html`<p class="hint">${typeText(asked.category)}</p>`}
    <h2 class="unseen">${t("browse.found")}</h2>
    <${HowMany} of=${found} />
    <${List}
      of=${found}
      kind="cards"
      label=${t("browse.found")}
      item=${(/** @type {any} */ content) => html`<${Card} content=${content} />`}
      empty=${html`<${Empty} title=${t("browse.nothing")} text=${t("browse.nothing-text")} />`}
    />
  `;
}
