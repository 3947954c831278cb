/** `/publish` and `/publish/{id}`: new content, or a new revision of one's own. */
import { guid } from "../client.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { say, underWay, warn } from "../notices.js";
import { client } from "../session.js";
import { limits } from "../limits.js";
import { address, go } from "../router.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import { Details } from "../parts/details.js";
import {
  about,
  Button,
  Choice,
  Field,
  Form,
  Problem,
  Refused,
  separated,
  useField,
  useId,
} from "../parts/form.js";
import { AttributeFields, attributesOf } from "../parts/attributes.js";
import { Found } from "../parts/found.js";
import { useAction, useDraft, useLoad, useTitle } from "../parts/hooks.js";
import { LoggedIn } from "../parts/logged-in.js";
import { readStorage } from "../parts/pictures.js";
import { needsOf, NeedsFields, NO_NEEDS, requiresOf } from "../parts/requires.js";
import { visibilities } from "../parts/sharing.js";
import { useTypes } from "../parts/types.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Publish({ parameters }) {
  // What this is a revision of.
  const [of, setOf] = useState("");
  useTitle(of ? t("publish.title", { name: of }) : t("place.publish"));
  return html`
    <div class="narrow wide">
      <h1>${t("place.publish")}</h1>
      <${LoggedIn}>
        ${
          parameters.id
            ? html`<${Revise} contentId=${parameters.id} onFound=${setOf} />`
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
          <p>
            ${t("publish.revision-of")}${" "}
            <a href=${address(`/content/${contentId}`)} dir="auto">
              ${existing.name}
            </a>
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
  name: "",
  description: "",
  type: "game",
  visibility: "public",
  attributes: /** @type {import("../parts/attributes.js").Row[]} */ ([]),
  needs: NO_NEEDS,
  tags: "",
  version: "1.0",
  notes: "",
};

/** The ids are made with the draft, so that what is sent again is published once.
 * @param {{existing: import("../client.js").ContentDetail | null}} props */
function Editor({ existing }) {
  const [values, change, forget] = useDraft(
    `publish.${existing?.id ?? "new"}`,
    existing ? { ...NEW, version: "", needs: needsOf(existing.requires) } : NEW,
  );
  const [core, setCore] = useState(/** @type {File[]} */ ([]));
  const [further, setFurther] = useState(/** @type {File[]} */ ([]));
  const [shots, setShots] = useState(/** @type {File[]} */ ([]));
  const [progress, setProgress] = useState(/** @type {Record<number, number>} */ ({}));
  const isFurther = useRef(false);
  const storage = useLoad(readStorage, []);
  const types = useTypes(values.type);
  const all = [...core, ...further, ...shots];
  const isShown = useRef(true);
  useEffect(() => () => void (isShown.current = false), []);
  const name = existing?.name ?? values.name;
  /** @param {() => Promise<string>} work gives where it is published
   * @returns {Promise<void>} */
  const finish = async (work) => {
    try {
      const path = await underWay(work());
      // Who has gone on is told, and not taken away from there.
      if (isShown.current) return await go(path);
      say(t("publish.done", { name }), path, t("publish.done-link"));
    } catch (error) {
      if (isShown.current) throw error;
      const form = existing ? `/publish/${existing.id}` : "/publish";
      warn(t("publish.not-done", { name }), error, form, t("publish.back"));
    }
  };
  const publish = async () => {
    const contentId = existing?.id ?? (values.contentId || guid());
    const revisionId = values.revisionId || guid();
    change({ contentId, revisionId });
    // Further files are entities of their own. Their ids are the draft's too.
    const parts = [
      ...values.parts,
      ...further.slice(values.parts.length).map(() => ({ entityId: guid(), revisionId: guid() })),
    ];
    change({ parts });
    /** @param {number} first */
    const from =
      (first) =>
      (/** @type {{file: number, done: number, total: number}} */ { file, done, total }) =>
        setProgress((was) => ({ ...was, [first + file]: total ? done / total : 1 }));
    isFurther.current = true;
    const paths = further.length
      ? await client.upload(
          further.map((data) => ({ use: "entity", data })),
          { onProgress: from(core.length + shots.length) },
        )
      : [];
    isFurther.current = false;
    await client.publish({
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
              tags: separated(values.tags),
              visibility: /** @type {"public"} */ (values.visibility),
              attributes: attributesOf(values.attributes),
            }),
        requires: requiresOf(values.needs),
        version: values.version,
        revisionDescription: values.notes,
        originating: paths.map((path, index) => ({ ...parts[index], path, name: further[index].name })),
      },
      entity: core[0],
      screenshots: shots,
      onProgress: from(0),
    });
    forget();
    return `/content/${contentId}`;
  };
  const send = useAction(() => finish(publish));
  /** @param {"name" | "description" | "tags" | "version" | "notes"} name */
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
  if (storage.data?.files === "external") return html`<p class="notice">${t("publish.external")}</p>`;
  return html`
      <${Form}
        of=${send}
        limits=${existing ? limits.publishRevision : limits.putContent}
        place=${place}
        onSend=${() => send.run()}
      >
        ${
          !existing &&
          html`
            <${Field} label=${t("field.name")} required needed=${t("error.needs-name")} ...${text("name")} />
            <${Choice}
              label=${t("field.type")}
              name="type"
              value=${values.type}
              onChange=${(/** @type {string} */ type) => change({ type })}
              options=${types}
            />
            <${Field} label=${t("field.description")} lines=${5} ...${text("description")} />
            <${Field}
              label=${t("field.tags")}
              hint=${t("publish.tags-hint")}
              sent=${separated(values.tags)}
              ...${text("tags")}
            />
            <${Choice}
              label=${t("field.visibility")}
              name="visibility"
              value=${values.visibility}
              options=${visibilities()}
              hint=${t(/** @type {any} */ (`visibility.${values.visibility}-text`))}
              onChange=${(/** @type {string} */ visibility) => change({ visibility })}
            />
          `
        }
        <${Field}
          label=${t("field.version")}
          placeholder=${existing?.revision.version}
          ...${text("version")}
        />
        <${Field} label=${t("field.notes")} lines=${3} ...${text("notes")} />
        <${Chooser}
          label=${t("field.file")}
          files=${core}
          name="entity"
          needed=${t("publish.needs-file")}
          onChange=${setCore}
          progress=${progress}
          first=${0}
          hint=${storage.data && t("publish.file-hint", { size: size(storage.data.limits.fileBytes) })}
        />
        <${Chooser}
          label=${t("field.further")}
          files=${further}
          name="originating"
          most=${limits.putContent.originating.maxItems}
          onChange=${setFurther}
          progress=${progress}
          first=${core.length + shots.length}
          multiple
        />
        ${
          !existing &&
          html`
            <${Chooser}
              label=${t("field.screenshots")}
              files=${shots}
              name="screenshotUris"
              needed=${t("publish.needs-screenshot")}
              most=${limits.putContent.screenshotUris.maxItems}
              onChange=${setShots}
              progress=${progress}
              first=${core.length}
              multiple
              pictures
              accept=${storage.data?.mediaTypes.join(",")}
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
        <${Refused} />
        ${!core.length && values.contentId && html`<p class="notice">${t("publish.choose-again")}</p>`}
        <p class="actions">
          <${Button} type="submit" kind="main" busy=${send.busy}>
            ${t("action.publish")}
          <//>
          ${
            send.busy &&
            html`
              <span role="status" class="small">
                ${t("publish.sending", { count: all.length })}
              </span>
            `
          }
        </p>
      <//>
  `;
}

/** Files, chosen or dropped.
 * @param {{label: string, files: File[], onChange: (files: File[]) => void, progress: Record<number, number>,
 *   first: number, name: string, needed?: string, most?: number, multiple?: boolean, pictures?: boolean,
 *   accept?: string, hint?: string | null}} props `needed` is what is said where there is none */
function Chooser({
  label,
  files,
  onChange,
  progress,
  first,
  name,
  needed,
  most,
  multiple = false,
  pictures = false,
  accept,
  hint,
}) {
  const id = useId();
  const [problem, forget] = useField(name, {
    value: files,
    limit: { maxItems: most },
    check: () => (files.length ? files.some((file) => !file.size) && t("publish.empty") : (needed ?? null)),
  });
  /** @param {File[]} now */
  const change = (now) => (forget(), onChange(now));
  const [over, setOver] = useState(false);
  /** @param {FileList | null | undefined} list */
  const take = (list) => list?.length && change(multiple ? [...files, ...list] : [list[0]]);
  return html`
    <div
      class=${`field drop ${over ? "over" : ""}`}
      onDragOver=${(/** @type {DragEvent} */ event) => (event.preventDefault(), setOver(true))}
      onDragLeave=${() => setOver(false)}
      onDrop=${(/** @type {DragEvent} */ event) => (
        event.preventDefault(),
        setOver(false),
        take(event.dataTransfer?.files)
      )}
    >
      <label for=${id}>${label}</label>
      <input
        id=${id}
        type="file"
        multiple=${multiple}
        accept=${accept}
        ...${about(id, true, problem)}
        onChange=${(/** @type {any} */ event) => (take(event.target.files), (event.target.value = ""))}
      />
      <p class="hint" id=${`${id}-hint`}>
        ${hint ?? t("publish.drop")}
      </p>
      <${Problem} id=${id} text=${problem} />
      ${
        files.length > 0 &&
        html`
          <ul class="files">
            ${files.map(
              (file, index) =>
                html`
                  <li key=${`${file.name} ${index}`}>
                    ${pictures && html`<${Preview} file=${file} />`}
                    <span dir="auto">${file.name}</span>${" "}
                    <span class="faint small">${size(file.size)}</span>
                    ${
                      progress[first + index] !== undefined &&
                      html`<progress value=${progress[first + index]} max="1" aria-label=${file.name} />`
                    }
                    <button
                      type="button"
                      class="button plain small"
                      aria-label=${t("publish.remove", { name: file.name })}
                      onClick=${() => change(files.filter((_, at) => at !== index))}
                    >
                      ×
                    </button>
                  </li>
                `,
            )}
          </ul>
        `
      }
    </div>
  `;
}

/** @param {{file: File}} props */
function Preview({ file }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url && html`<img class="preview" src=${url} alt="" width="160" height="90" />`;
}
