/** What a content says of itself, as a form for those who work on it. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { underWay } from "../notices.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { AttributeFields, attributesOf, rowsOf } from "./attributes.js";
import { Drop, wrongPicture } from "./drop.js";
import { Both, same, useEdit } from "./edit.js";
import { Alert, Button, Field, Form, joined, Refused } from "./form.js";
import { Picture, uploaded } from "./pictures.js";
import { moved } from "./reorder.js";
import { Shots } from "./shots.js";
import { divided, tagName } from "./tag-names.js";
import { TagFields, tagsOf } from "./tags.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** @param {Detail} content */
function fields({ type, description, tags, attributes, screenshotUris }) {
  const { chosen, others } = divided(tags, type);
  return {
    description,
    screenshots: screenshotUris.filter(Boolean),
    chosen,
    tags: joined(others),
    attributes: rowsOf(attributes),
  };
}

/** @param {import("./attributes.js").Row[]} rows */
const said = (rows) => rows.map(({ key, value }) => `${key}: ${value}`).join(", ");

/** What pictures are called on this device, which were added here.
 * @type {Map<string, string>} */
const names = new Map();

/** @param {{path: string, content: Detail}} props */
function Shot({ path, content }) {
  return html`
    <span class="preview">
      <${Picture}
        path=${path}
        name=${content.name}
        id=${content.id}
        width=${160}
        height=${90}
        since=${content.updated}
      />
    </span>
  `;
}

/** @param {{content: Detail, onDone: () => Promise<unknown>}} props */
export default function Edit({ content, onDone }) {
  const contentId = content.id;
  const { values, change, save, both } = useEdit(`content.${contentId}`, fields(content), {
    read: (options) => client.getContent({ contentId }, options),
    fields,
    write: ({ description, screenshots, chosen, tags, attributes }, now, options) => {
      const was = fields(now);
      const body = {
        description,
        screenshotUris: screenshots,
        ...(!same([chosen, tags], [was.chosen, was.tags]) && { tags: tagsOf(content.type, chosen, tags) }),
        ...(!same(attributes, was.attributes) && { attributes: attributesOf(attributes) }),
      };
      return client.putContent({ contentId, body }, options);
    },
    done: onDone,
  });
  const labels = {
    description: t("field.description"),
    screenshots: t("field.screenshots"),
    chosen: t("tags.groups"),
    tags: t("field.tags"),
    attributes: t("attributes.title"),
  };
  const latest = useRef(values);
  latest.current = values;
  const [pending, setPending] = useState(0);
  // Pictures that are still being sent are waited for.
  const [isDue, setDue] = useState(false);
  /** @param {(was: string[]) => string[]} now */
  const reshoot = (now) => {
    latest.current = { ...latest.current, screenshots: now(latest.current.screenshots) };
    change({ screenshots: latest.current.screenshots });
  };
  const [sendError, setSendError] = useState(/** @type {unknown} */ (null));
  /** @param {File[]} files */
  const send = async (files) => {
    setPending((was) => was + files.length);
    setSendError(null);
    try {
      const wrong = await Promise.all(files.map(wrongPicture));
      const good = files.filter((_, at) => !wrong[at]);
      const sent = good.map((data) => ({ use: /** @type {const} */ ("screenshot"), data }));
      const paths = good.length ? await underWay(client.upload(sent)) : [];
      uploaded(paths);
      for (const [at, path] of paths.entries()) names.set(path, good[at].name);
      reshoot((was) => [...new Set([...was, ...paths])]);
    } catch (error) {
      setDue(false);
      setSendError(error);
    }
    setPending((was) => was - files.length);
  };
  useEffect(() => {
    if (!isDue || pending) return;
    setDue(false);
    if (values.screenshots.length) void save.run();
  }, [isDue, pending]);
  const first = fields(content).screenshots;
  const { staff } = divided(content.tags, content.type);
  /** @param {string} path @param {number} at */
  const nameOf = (path, at) =>
    names.get(path) ?? t("publish.shot", { number: first.indexOf(path) + 1 || at + 1 });
  return html`
    <${Form}
      of=${save}
      limits=${limits.putContent}
      onSend=${() => (pending ? setDue(true) : save.run())}
    >
      <${Field}
        label=${labels.description}
        lines=${6}
        name="description"
        focused
        value=${values.description}
        onChange=${(/** @type {string} */ description) => change({ description })}
      />
      <${TagFields}
        type=${content.type}
        chosen=${values.chosen}
        text=${values.tags}
        onChoose=${(/** @type {string[]} */ chosen) => change({ chosen })}
        onType=${(/** @type {string} */ tags) => change({ tags })}
      />
      ${
        staff.length > 0 &&
        html`
          <p class="hint">${t("tags.given", { tags: staff.map(tagName).join(", ") })}</p>
        `
      }
      <${Drop}
        label=${labels.screenshots}
        name="screenshotUris"
        value=${pending ? [...values.screenshots, ""] : values.screenshots}
        has=${
          pending
            ? t("publish.sending-pictures", { count: pending })
            : t(values.screenshots.length ? "publish.has-pictures" : "publish.has-none", {
                count: values.screenshots.length,
              })
        }
        needed=${t("publish.needs-screenshot")}
        most=${limits.putContent.screenshotUris.maxItems}
        onTake=${send}
        multiple
        pictures
      >
        <${Shots}
          label=${t("publish.chosen", { field: labels.screenshots })}
          shots=${values.screenshots.map((path, at) => ({
            key: path,
            name: nameOf(path, at),
            picture: html`<${Shot} path=${path} content=${content} />`,
          }))}
          onMove=${(/** @type {number} */ from, /** @type {number} */ to) =>
            reshoot((was) => moved(was, from, to))}
          onRemove=${(/** @type {number} */ at) => reshoot((was) => was.filter((_, index) => index !== at))}
        />
        <${Alert} error=${sendError} />
      <//>
      <${AttributeFields}
        rows=${values.attributes}
        onChange=${(/** @type {any} */ attributes) => change({ attributes })}
      />
      <${Both} of=${both} labels=${labels} words=${{
        attributes: said,
        chosen: (/** @type {string[]} */ tags) => tags.map(tagName).join(", "),
        screenshots: (/** @type {string[]} */ paths) =>
          paths.map((path) => html`<${Shot} key=${path} path=${path} content=${content} />`),
      }} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy || isDue}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
