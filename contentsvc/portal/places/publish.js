/** `/publish` and `/publish/{id}`: new content, or a new revision of one's own. */
import { guid } from "../client.js";
import * as transfer from "../client-files.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { limits } from "../limits.js";
import { address } from "../router.js";
import { size } from "../format.js";
import { begin, choose, chosenOf, onPublications, publicationOf } from "../publications.js";
import { t } from "../texts.js";
import { Details } from "../parts/details.js";
import { Button, Choice, Field, Form, Refused } from "../parts/form.js";
import { AttributeFields, attributesOf } from "../parts/attributes.js";
import { BuiltUpon } from "../parts/built-upon.js";
import { Drop, wrongPicture } from "../parts/drop.js";
import { Found } from "../parts/found.js";
import { useDraft, useLoad, useTitle } from "../parts/hooks.js";
import { Icon } from "../parts/icons.js";
import { LoggedIn } from "../parts/logged-in.js";
import { readStorage } from "../parts/pictures.js";
import { refuse } from "../parts/problems.js";
import { needsOf, NeedsFields, NO_NEEDS, requiresOf } from "../parts/requires.js";
import { Sending } from "../parts/sending.js";
import { visibilities } from "../parts/sharing.js";
import { shotsOf } from "../parts/shaped.js";
import { ShapedField } from "../parts/shaped-field.js";
import { Shots } from "../parts/shots.js";
import { TagFields, tagsOf } from "../parts/tags.js";
import { moved } from "../parts/reorder.js";
import { service } from "../service.js";
import { typeOptions, typeText } from "../parts/types.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Publish({ parameters }) {
  // What this is a revision of.
  const [of, setOf] = useState("");
  useTitle(of ? t("publish.title", { name: of }) : t(parameters.id ? "publish.revision" : "place.publish"));
  return html`
    <div class="publish-page">
      <h1>${t(parameters.id ? "publish.revision" : "place.publish")}</h1>
      <${LoggedIn}>
        ${
          parameters.id
            ? html`<${Revise} contentId=${parameters.id.toLowerCase()} onFound=${setOf} />`
            : html`<${Editor} existing=${null} />`
        }
      <//>
    </div>
  `;
}

/** @param {{contentId: string, onFound: (name: string) => void}} props */
function Revise({ contentId, onFound }) {
  const found = useLoad((signal) => client.getContent({ contentId }, { signal }), [contentId]);
  useEffect(() => void (found.data && onFound(found.data.name)), [found.data]);
  return html`
    <${Found} of=${found}>
      ${(/** @type {any} */ existing) =>
        html`
          <p class="lead">
            ${t("publish.revision-of")}${" "}
            <a href=${address(`/content/${contentId}`)}><bdi>${existing.name}</bdi></a>
          </p>
          <${Editor} existing=${existing} />
        `}
    <//>
  `;
}

const NEW = {
  contentId: "",
  revisionId: "",
  parts: /** @type {{entityId: string, revisionId: string}[]} */ ([]),
  built: /** @type {import("../parts/built-upon.js").Part[]} */ ([]),
  name: "",
  description: "",
  type: service.types[0]?.name ?? "",
  visibility: "public",
  attributes: /** @type {import("../parts/attributes.js").Row[]} */ ([]),
  needs: NO_NEEDS,
  chosen: /** @type {string[]} */ ([]),
  tags: "",
  version: "1.0",
  notes: "",
};

/** @typedef {import("../client.js").ContentDetail} Detail */

/** What a draft begins as. A revision goes on using what is used now.
 * @param {Detail | null} existing
 * @returns {typeof NEW} */
function fresh(existing) {
  if (!existing) return NEW;
  const built = existing.using.map(({ entityId, revisionId }) => ({ entityId, revisionId }));
  return { ...NEW, version: "", needs: needsOf(existing.requires), built };
}

/** Publish it, and forget the draft. The ids are the draft's, so that what is sent again is published once.
 * @param {Detail | null} existing @param {typeof NEW} values with its ids
 * @param {import("../publications.js").Chosen} files
 * @param {{signal: AbortSignal, onProgress: (index: number, done: number, total: number) => void, onFurther:
 *   (isFurther: boolean) => void}} how */
async function publish(existing, values, { core, shots, further }, { signal, onProgress, onFurther }) {
  const { contentId, revisionId } = values;
  const wrong = await Promise.all(shots.map((shot) => wrongPicture(shot).catch(() => null)));
  refuse({ screenshotUris: wrong.find(Boolean) });
  /** @param {number} first */
  const from =
    (first) =>
    (/** @type {{file: number, done: number, total: number}} */ { file, done, total }) =>
      onProgress(first + file, done, total);
  onFurther(true);
  const paths = further.length
    ? await transfer.upload(
        client,
        further.map((data) => ({ use: "entity", data })),
        { signal, onProgress: from(core.length + shots.length) },
      )
    : [];
  onFurther(false);
  await transfer.publish(client, {
    contentId,
    revisionId,
    content: {
      ...(existing
        ? {}
        : {
            name: values.name,
            description: values.description,
            // A studio may have types of its own.
            type: /** @type {"game"} */ (values.type),
            tags: tagsOf(values.type, values.chosen, values.tags),
            visibility: /** @type {"public"} */ (values.visibility),
            attributes: attributesOf(values.attributes),
          }),
      requires: requiresOf(values.needs),
      version: values.version,
      revisionDescription: values.notes,
      using: values.built.map(({ entityId, revisionId }) => ({ entityId, revisionId })),
      originating: paths.map((path, index) => ({
        ...values.parts[index],
        path,
        name: further[index].name,
      })),
    },
    entity: core[0],
    screenshots: shots,
    signal,
    onProgress: from(0),
  });
}

/** Enter is no press of the button: in a field of one line it does nothing, and in the tags it ends one.
 * @param {KeyboardEvent} event */
function stay(event) {
  const field = /** @type {HTMLElement} */ (event.target);
  if (event.key !== "Enter" || !(field instanceof HTMLInputElement) || field.type === "file") return;
  event.preventDefault();
}

/** @param {{existing: Detail | null}} props */
function Editor({ existing }) {
  const path = existing ? `/publish/${existing.id}` : "/publish";
  const [draft, change, forget] = useDraft(`publish.${existing?.id ?? "new"}`, fresh(existing));
  // A draft may be from before the service had other types.
  const isType = service.types.some((one) => one.name === draft.type);
  const values = isType ? draft : { ...draft, type: NEW.type };
  const [, draw] = useState({});
  useEffect(() => onPublications(() => draw({})), []);
  const { core, further, shots } = chosenOf(path);
  const own = publicationOf(path);
  const isSending = !!own?.isSending;
  const isFurther = useRef(false);
  const storage = useLoad(readStorage, []);
  const button = useRef(/** @type {HTMLElement | null} */ (null));
  // What is wrong is told to fields, which have to be there before.
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => setDrawn(true), []);
  const wasSending = useRef(isSending);
  useEffect(() => {
    const isBack = wasSending.current && !isSending;
    wasSending.current = isSending;
    // The form's first problem has the focus, or else the button.
    if (isBack && !button.current?.closest("form")?.querySelector("[aria-invalid=true]"))
      button.current?.querySelector("button")?.focus();
  }, [isSending]);
  const send = () => {
    // Further files are entities of their own. Their ids are the draft's too.
    const ids = () => ({ entityId: guid(), revisionId: guid() });
    const now = {
      ...values,
      contentId: existing?.id ?? (values.contentId || guid()),
      revisionId: values.revisionId || guid(),
      parts: [...values.parts, ...further.slice(values.parts.length).map(ids)],
    };
    change({ contentId: now.contentId, revisionId: now.revisionId, parts: now.parts });
    const { contentId, revisionId } = now;
    const made = `/content/${contentId}`;
    void begin(path, {
      name: existing?.name ?? values.name,
      files: [...core, ...shots, ...further],
      work: async (how) => {
        const onFurther = (/** @type {boolean} */ is) => void (isFurther.current = is);
        await publish(existing, now, { core, shots, further }, { ...how, onFurther });
        forget();
        return made;
      },
      look: async () => {
        // What is not there is missing in the list, and no error.
        const [found] = await client.listContent({ ids: contentId });
        if (found?.revisionId !== revisionId.toLowerCase()) return null;
        forget();
        return made;
      },
    });
  };
  /** @param {"name" | "description" | "version" | "notes"} name */
  const text = (name) => ({
    name: name === "notes" ? "revisionDescription" : name,
    value: values[name],
    onChange: (/** @type {string} */ value) => change({ [name]: value }),
  });
  /** The field that a file belongs to. Further files are sent before the others, of which the core is first.
   * @param {string} pointer */
  const place = (pointer) => {
    const [, first, index] = pointer.split("/");
    if (first !== "files") return null;
    return isFurther.current ? "originating" : index === "0" ? "entity" : "screenshotUris";
  };
  /** @type {import("../parts/shaped.js").Shots} */
  const shown = (number, alt) => {
    const file = shots[number - 1];
    return file ? html`<${Preview} file=${file} alt=${alt} />` : null;
  };
  if (storage.data?.files === "external") return html`<p class="notice">${t("publish.external")}</p>`;
  return html`
    ${isSending && html`<${Sending} path=${path} of=${own} />`}
    <${Form}
      class=${`publish ${existing ? "revision" : ""}`}
      hidden=${isSending}
      of=${{ error: (isDrawn && own?.error) || null }}
      limits=${existing ? limits.publishRevision : limits.putContent}
      place=${place}
      onSend=${send}
      onKeyDown=${stay}
    >
      ${
        !existing &&
        html`
          <section class="panel about">
            <h2>${t("publish.about")}</h2>
            <${Field} label=${t("field.name")} required needed=${t("error.needs-name")} ...${text("name")} />
            <${Choice}
              label=${t("field.type")}
              name="type"
              value=${values.type}
              hint=${typeText(values.type)}
              onChange=${(/** @type {string} */ type) => change({ type })}
              options=${typeOptions()}
            />
            <${ShapedField}
              label=${t("field.description")}
              lines=${8}
              under=${2}
              shots=${shown}
              ...${text("description")}
            />
            <${TagFields}
              type=${values.type}
              chosen=${values.chosen}
              text=${values.tags}
              onChoose=${(/** @type {string[]} */ chosen) => change({ chosen })}
              onType=${(/** @type {string} */ tags) => change({ tags })}
              ends
            />
          </section>
        `
      }
      <div class="aside">
        ${
          !existing &&
          html`
            <section class="panel shown">
              <h2>${t("publish.pictures")}</h2>
              <${Drop}
                label=${t("field.screenshots")}
                name="screenshotUris"
                value=${shots}
                has=${t(shots.length ? "publish.has-pictures" : "publish.has-none", { count: shots.length })}
                needed=${t("publish.needs-screenshot")}
                most=${limits.putContent.screenshotUris.maxItems}
                onTake=${(/** @type {File[]} */ files) =>
                  choose(path, ({ shots }) => ({ shots: [...shots, ...files] }))}
                onRefuse=${(/** @type {File[]} */ files) =>
                  choose(path, ({ shots }) => ({ shots: shots.filter((one) => !files.includes(one)) }))}
                multiple
                pictures
              >
                <${Shots}
                  label=${t("publish.chosen", { field: t("field.screenshots") })}
                  shots=${shots.map((file) => ({
                    key: keyOf(file),
                    name: file.name,
                    facts: size(file.size),
                    picture: html`<${Preview} file=${file} />`,
                  }))}
                  onMove=${(/** @type {number} */ from, /** @type {number} */ to) =>
                    choose(path, ({ shots }) => ({ shots: moved(shots, from, to) }))}
                  onRemove=${(/** @type {number} */ at) =>
                    choose(path, ({ shots }) => ({ shots: shots.filter((_, index) => index !== at) }))}
                />
              <//>
            </section>
          `
        }
        <section class="panel files-panel">
          <h2>${t("publish.files")}</h2>
          <${Drop}
            label=${t("field.file")}
            name="entity"
            value=${core}
            has=${hasOf(core)}
            needed=${t("publish.needs-file")}
            onTake=${(/** @type {File[]} */ core) => choose(path, () => ({ core }))}
          >
            <${FileList}
              label=${t("field.file")}
              files=${core}
              onChange=${(/** @type {File[]} */ core) => choose(path, () => ({ core }))}
            />
          <//>
          <${Drop}
            label=${t("field.further")}
            name="originating"
            value=${further}
            has=${hasOf(further)}
            most=${limits.putContent.originating.maxItems}
            onTake=${(/** @type {File[]} */ files) =>
              choose(path, ({ further }) => ({ further: [...further, ...files] }))}
            multiple
          >
            <${FileList}
              label=${t("field.further")}
              files=${further}
              onChange=${(/** @type {File[]} */ further) => choose(path, () => ({ further }))}
            />
          <//>
        </section>
      </div>
      <section class="panel version">
        <h2>${t("publish.version")}</h2>
        <${Field}
          label=${t("field.version")}
          placeholder=${existing?.revision.version}
          ...${text("version")}
        />
        <${ShapedField}
          label=${t("field.notes")}
          lines=${5}
          under=${2}
          shots=${existing ? shotsOf(existing) : shown}
          ...${text("notes")}
        />
      </section>
      <section class="panel credits">
        <h2>${t("publish.credits")}</h2>
        <${BuiltUpon}
          parts=${values.built}
          without=${existing?.id ?? ""}
          onChange=${(/** @type {(was: typeof NEW["built"]) => typeof NEW["built"]} */ now) =>
            change({ built: now(values.built) })}
        />
      </section>
      <section class="panel rest">
        ${
          !existing &&
          html`
            <${Choice}
              label=${t("field.visibility")}
              name="visibility"
              value=${values.visibility}
              options=${visibilities()}
              hint=${t(/** @type {any} */ (`visibility-text.${values.visibility}`))}
              onChange=${(/** @type {string} */ visibility) => change({ visibility })}
            />
          `
        }
        <${Details}
          name="more"
          open=${!!requiresOf(values.needs)}
          summary=${t(existing ? "requires.title" : "publish.more")}
        >
          <div class="stack">
            <${NeedsFields}
              needs=${values.needs}
              onChange=${(/** @type {typeof NO_NEEDS} */ needs) => change({ needs })}
            />
            ${
              !existing &&
              html`
                <${AttributeFields}
                  rows=${values.attributes}
                  onChange=${(/** @type {typeof NEW["attributes"]} */ attributes) => change({ attributes })}
                />
              `
            }
          </div>
        <//>
      </section>
      <div class="end">
        <${Refused} />
        ${!core.length && values.contentId && html`<p class="notice">${t("publish.choose-again")}</p>`}
        <p role="status" class=${own?.isCancelled ? "notice" : "unseen"}>
          ${own?.isCancelled && t("publish.cancelled")}
        </p>
        <p class="actions" ref=${button}>
          <${Button}
            class="button main large"
            onClick=${(/** @type {any} */ event) => event.currentTarget.form.requestSubmit()}
          >
            ${t("action.publish")}
          <//>
        </p>
      </div>
    <//>
  `;
}

/** What a place for files has, in words.
 * @param {File[]} files */
const hasOf = (files) =>
  t(files.length ? "publish.has" : "publish.has-none", {
    count: files.length,
    size: size(files.reduce((all, one) => all + one.size, 0)),
  });

/** @type {WeakMap<File, string>} */
const keys = new WeakMap();

/** What a file is known by in a list whose order changes.
 * @param {File} file */
function keyOf(file) {
  if (!keys.has(file)) keys.set(file, guid());
  return /** @type {string} */ (keys.get(file));
}

/** @param {{label: string, files: File[], onChange: (files: File[]) => void}} props */
function FileList({ label, files, onChange }) {
  if (!files.length) return null;
  return html`
    <ul class="shots files" aria-label=${t("publish.chosen", { field: label })}>
      ${files.map(
        (file, at) =>
          html`
            <li key=${keyOf(file)}>
              <span class="shot-name">
                <bdi>${file.name}</bdi>
                <span class="faint small">${size(file.size)}</span>
              </span>
              <button
                type="button"
                class="icon"
                aria-label=${t("publish.remove", { name: file.name })}
                onClick=${() => onChange(files.filter((_, index) => index !== at))}
              >
                <${Icon} name="close" />
              </button>
            </li>
          `,
      )}
    </ul>
  `;
}

/** @param {{file: File, alt?: string}} props */
export function Preview({ file, alt = "" }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return html`<span class="preview">${url && html`<img src=${url} alt=${alt} />`}</span>`;
}
