/** `/browse`: all content, by words, order, type and tags. The address has it all, as the API has. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Button, Choice, Field, Form } from "../parts/form.js";
import { useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { Empty } from "../parts/states.js";

export const TYPES = /** @type {const} */ (["game", "asset", "avatar_box", "gameplay_box", "scene_box"]);
const SORTS = /** @type {const} */ (["newest", "updated", "top", "trending"]);
const NAMES = ["q", "sort", "category", "tags", "featured", "author"];

/** @param {import("../router.js").PlaceProps} props */
export default function Browse({ query }) {
  useTitle(t("place.browse"));
  const asked = Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""]));
  const [text, setText] = useState(asked.q);
  const [tags, setTags] = useState(asked.tags);
  // One goes back and forth between searches.
  useEffect(() => {
    setText(asked.q);
    setTags(asked.tags);
  }, [asked.q, asked.tags]);
  const chosen = Object.fromEntries(Object.entries(asked).filter(([, value]) => value));
  const found = useList("listContent", { ...chosen, limit: 24 }, [query.toString()]);

  /** @param {Record<string, string>} change */
  const ask = (change) => {
    const now = { ...asked, q: text.trim(), tags: tags.trim(), ...change };
    const kept = Object.entries(now).filter(([, value]) => value);
    go(`/browse${kept.length ? `?${new URLSearchParams(kept)}` : ""}`);
  };
  /** @type {[string, string][]} */
  const sorts = [
    ["", t(asked.q ? "sort.relevance" : "sort.newest")],
    ...SORTS.filter((name) => asked.q || name !== "newest").map((name) => /** @type {[string, string]} */ ([name, t(`sort.${name}`)])),
  ];
  return html`<h1>${t("place.browse")}</h1>
    <${Form} class="filters" role="search" onSend=${() => ask({})}>
      <${Field} label=${t("field.search")} type="search" value=${text} onChange=${setText} maxlength="256" />
      <${Choice} label=${t("field.sort")} value=${asked.sort} options=${sorts} onChange=${(/** @type {string} */ sort) => ask({ sort })} />
      <${Choice} label=${t("field.type")} value=${asked.category} onChange=${(/** @type {string} */ category) => ask({ category })}
        options=${[["", t("type.all")], ...TYPES.map((name) => [name, t(`type.${name}`)])]} />
      <${Field} label=${t("field.tags")} value=${tags} onChange=${setTags} />
      <label class="check"><input type="checkbox" checked=${asked.featured === "true"}
        onChange=${(/** @type {any} */ event) => ask({ featured: event.target.checked ? "true" : "" })} /> ${t("discover.featured")}</label>
      <${Button} type="submit" kind="main">${t("action.search")}<//>
    <//>
    <h2 class="unseen">${t("browse.found")}</h2>
    <${List} of=${found} kind="cards" label=${t("browse.found")} item=${(/** @type {any} */ content) => html`<${Card} content=${content} />`}
      empty=${html`<${Empty} title=${t("browse.nothing")} text=${t("browse.nothing-text")} />`} />`;
}
