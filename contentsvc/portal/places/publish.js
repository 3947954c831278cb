/** `/publish` and `/publish/{id}`: new content, or a new revision of one's own. */
import { ApiError, guid } from "../client.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { address, go } from "../router.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import {
  about,
  Alert,
  Button,
  Choice,
  Field,
  Form,
  Problem,
  RequestId,
  separated,
  useId,
} from "../parts/form.js";
import { AttributeFields, attributesOf, wrong as wrongAttributes } from "../parts/attributes.js";
import { Found } from "../parts/found.js";
import { useAction, useDraft, useLoad, useTitle } from "../parts/hooks.js";
import { LoggedIn } from "../parts/logged-in.js";
import { readStorage } from "../parts/pictures.js";
import { Incomplete, sorted } from "../parts/publish-problems.js";
import { needsOf, NeedsFields, NO_NEEDS, requiresOf, wrong as wrongNeeds } from "../parts/requires.js";
import { visibilities } from "../parts/sharing.js";
import { useTypes } from "../parts/types.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Publish({ parameters }) {
  useTitle(t("place.publish"));
  return html`
    <div class="narrow wide">
      <h1>${t("place.publish")}</h1>
      <${LoggedIn}>
        ${
          parameters.id
            ? html`<${Revise} contentId=${parameters.id} />`
            : html`<${Editor} existing=${null} />`
        }
      <//>
    </div>
  `;
}

/** @param {{contentId: string}} props */
function Revise({ contentId }) {
  const found = useLoad((signal) => client.getContent({ contentId }, { signal }), [contentId]);
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
  const [changed, setChanged] = useState(/** @type {string[]} */ ([]));
  const form = useRef(/** @type {HTMLElement | null} */ (null));
  const isFurther = useRef(false);
  const storage = useLoad(readStorage, []);
  const types = useTypes(values.type);
  const all = [...core, ...further, ...shots];
  const send = useAction(async () => {
    setChanged([]);
    const missing = {
      ...(!existing && !values.name.trim() && { name: t("publish.needs-name") }),
      ...(!core.length && { core: t("publish.needs-file") }),
      ...(!existing && !shots.length && { shots: t("publish.needs-screenshot") }),
      ...(!existing &&
        wrongAttributes(values.attributes) && {
          attributes: wrongAttributes(values.attributes) ?? "",
        }),
      ...(wrongNeeds(values.needs) && { requires: wrongNeeds(values.needs) ?? "" }),
    };
    if (Object.keys(missing).length) throw new Incomplete(missing);
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
    await go(`/content/${contentId}`);
  });
  const { fields, rest } = sorted(send.error, isFurther.current);
  const isMarked = Object.keys(fields).length > 0;
  useEffect(() => {
    if (send.error)
      /** @type {HTMLElement | null | undefined} */ (form.current?.querySelector("[aria-invalid]"))?.focus();
  }, [send.error]);
  /** What was wrong with a field, until it is changed.
   * @param {import("../parts/publish-problems.js").FieldName} name
   * @param {(value: any) => void} set */
  const field = (name, set) => ({
    problem: changed.includes(name) ? null : fields[name],
    onChange: (/** @type {any} */ value) => {
      set(value);
      setChanged((was) => [...was, name]);
    },
  });
  /** @param {"name" | "description" | "tags" | "version" | "notes"} name */
  const text = (name) => ({
    value: values[name],
    ...field(name, (value) => change({ [name]: value })),
  });
  if (storage.data?.files === "external") return html`<p class="notice">${t("publish.external")}</p>`;
  return html`
    <div ref=${form}>
      <${Form} onSend=${() => send.run()}>
        ${
          !existing &&
          html`
            <${Field} label=${t("field.name")} maxlength="256" required ...${text("name")} />
            <${Choice}
              label=${t("field.type")}
              value=${values.type}
              ...${field("type", (type) => change({ type }))}
              options=${types}
            />
            <${Field} label=${t("field.description")} lines=${5} ...${text("description")} />
            <${Field} label=${t("field.tags")} hint=${t("publish.tags-hint")} ...${text("tags")} />
            <${Choice}
              label=${t("field.visibility")}
              value=${values.visibility}
              options=${visibilities()}
              hint=${t(/** @type {any} */ (`visibility.${values.visibility}-text`))}
              ...${field("visibility", (visibility) => change({ visibility }))}
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
          ...${field("core", setCore)}
          progress=${progress}
          first=${0}
          hint=${storage.data && t("publish.file-hint", { size: size(storage.data.limits.fileBytes) })}
        />
        <${Chooser}
          label=${t("field.further")}
          files=${further}
          ...${field("further", setFurther)}
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
              ...${field("shots", setShots)}
              progress=${progress}
              first=${core.length}
              multiple
              pictures
              accept=${storage.data?.mediaTypes.join(",")}
            />
          `
        }
        <details open=${!!fields.requires || !!fields.attributes || !!requiresOf(values.needs)}>
          <summary>${t(existing ? "requires.title" : "publish.more")}</summary>
          <div class="stack">
            <${NeedsFields}
              needs=${values.needs}
              problem=${changed.includes("requires") ? null : fields.requires}
              onChange=${field("requires", (needs) => change({ needs })).onChange}
            />
            ${
              !existing &&
              html`
                <${AttributeFields}
                  rows=${values.attributes}
                  problem=${changed.includes("attributes") ? null : fields.attributes}
                  onChange=${field("attributes", (attributes) => change({ attributes })).onChange}
                />
              `
            }
          </div>
        </details>
        ${
          isMarked || rest.length
            ? html`
              <div class="alert" role="alert">
                ${isMarked && html`<p>${t("publish.look")}</p>`}
                ${rest.map((one) => html`<p>${one}</p>`)}
                <${RequestId} id=${send.error instanceof ApiError ? send.error.requestId : null} />
              </div>
            `
            : html`<${Alert} error=${send.error} />`
        }
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
    </div>
  `;
}

/** Files, chosen or dropped.
 * @param {{label: string, files: File[], onChange: (files: File[]) => void, progress: Record<number, number>,
 *   first: number, multiple?: boolean, pictures?: boolean, accept?: string, hint?: string | null, problem?:
 *   string | null}} props */
function Chooser({
  label,
  files,
  onChange,
  progress,
  first,
  multiple = false,
  pictures = false,
  accept,
  hint,
  problem,
}) {
  const id = useId();
  const [over, setOver] = useState(false);
  /** @param {FileList | null | undefined} list */
  const take = (list) => list?.length && onChange(multiple ? [...files, ...list] : [list[0]]);
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
                      onClick=${() => onChange(files.filter((_, at) => at !== index))}
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
