/** What a content says of itself, as a form for those who work on it. */
import { ApiError } from "../client.js";
import { upload } from "../client-files.js";
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
import { refuse } from "./problems.js";
import { moved } from "./reorder.js";
import { shotsOf } from "./shaped.js";
import { ShapedField } from "./shaped-field.js";
import { Shots } from "./shots.js";
import { divided, tagName } from "./tag-names.js";
import { TagFields, tagsOf } from "./tags.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** @param {Detail} content */
function fields({ name, type, description, tags, attributes, screenshotUris }) {
  const { chosen, others } = divided(tags, type);
  return {
    name,
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

/** Give it another name, unless it has got one meanwhile.
 * @param {string} contentId @param {string} name @param {string} before
 * @param {boolean} isWritten whether something else has just been written
 * @param {import("../replace.js").Options} options of what was read before that */
async function rename(contentId, name, before, isWritten, options) {
  const now = isWritten ? { seen: {} } : options;
  const isSame = !isWritten || (await client.getContent({ contentId }, now)).name === before;
  try {
    // With what was read before, it is refused, and read again.
    await client.setContentName({ contentId, body: { name } }, isSame ? now : options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 429)
      refuse({ name: t("edit.renamed", { count: Math.ceil((error.retryAfter ?? 0) / 3600) }) });
    throw error;
  }
}

/** @param {{content: Detail, onDone: () => Promise<unknown>}} props */
export default function Edit({ content, onDone }) {
  const contentId = content.id;
  const { values, change, save, both } = useEdit(`content.${contentId}`, fields(content), {
    read: (options) => client.getContent({ contentId }, options),
    fields,
    write: async ({ name, description, screenshots, chosen, tags, attributes }, now, options) => {
      const was = fields(now);
      const own = { name, description, screenshots, chosen, tags, attributes };
      const isOther = !same({ ...was, name }, own);
      const body = {
        description,
        screenshotUris: screenshots,
        ...(!same([chosen, tags], [was.chosen, was.tags]) && { tags: tagsOf(content.type, chosen, tags) }),
        ...(!same(attributes, was.attributes) && { attributes: attributesOf(attributes) }),
      };
      if (isOther) await client.putContent({ contentId, body }, options);
      if (name !== was.name) await rename(contentId, name, was.name, isOther, options);
    },
    done: onDone,
  });
  const labels = {
    name: t("field.name"),
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
      const paths = good.length ? await underWay(upload(client, sent)) : [];
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
        label=${labels.name}
        name="name"
        focused
        required
        needed=${t("error.needs-name")}
        value=${values.name}
        onChange=${(/** @type {string} */ name) => change({ name })}
      />
      <${ShapedField}
        label=${labels.description}
        lines=${12}
        name="description"
        under=${1}
        shots=${shotsOf({ ...content, screenshotUris: values.screenshots })}
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
