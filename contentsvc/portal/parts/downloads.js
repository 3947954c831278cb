/** The files of content: fetched, verified, and saved, each alone or all in one archive. */
import { DigestError, download } from "../client-files.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { underWay } from "../notices.js";
import { client } from "../session.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import { distinct, fileName, named } from "./file-names.js";
import { Alert, Button } from "./form.js";
import { useAction, useKept, useLoad, useSession } from "./hooks.js";
import { Icon } from "./icons.js";
import { platformName } from "./names.js";
import { save } from "./save.js";
import { Loaded } from "./states.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */
/** @typedef {import("../client.js").ContentDetail} Detail */
/** @typedef {ReturnType<typeof named>[number]} Named */

/** So many are shown before the rest is asked for. */
const MOST = 8;
/** A path of the service's own: what else content is made of, it does not give out. */
const OURS = /^([0-9a-f]{2})\/\1[0-9a-f]{62}$/;

/** How many files the service will name.
 * @param {Detail} content */
function expected({ entity, originating, using, packages }) {
  const parts = [entity, ...originating, ...using].map((one) => one.path);
  const packed = packages.flatMap(({ id, ...paths }) => Object.values(paths));
  return [...parts, ...packed].filter((path) => path && OURS.test(path)).length;
}

/** @param {number} count */
const rows = (count) => (count > MOST + 1 ? MOST : count);

/** The files that can be downloaded, once they are read.
 * @param {Detail} content */
export function useFiles(content) {
  return useLoad(
    async (signal) => {
      const all = await client.listContentFiles({ contentId: content.id }, { signal });
      return named(
        all.filter((file) => file.use === "entity" || file.use === "package"),
        content,
      );
    },
    [content.revisionId, content.status],
  );
}

/** @param {Named[]} files those that are there, each once */
function there(files) {
  const urls = files.filter(({ file }) => file.url);
  return urls.filter(
    ({ file, saved }, index) =>
      urls.findIndex((one) => one.file.path === file.path && one.saved === saved) === index,
  );
}

/** Fetch a single file, and save it.
 * @param {Detail} content @param {Named} named @param {(share: number) => void} onShare
 * @param {{revision?: string, signal?: AbortSignal}} [options] `revision` is one that is not the current */
async function fetchOne(content, { file, saved }, onShare, { revision, signal } = {}) {
  for await (const part of download(client, content.id, {
    revision,
    only: [file.path],
    signal,
    onProgress: (/** @type {{done: number, total: number}} */ { done, total }) =>
      onShare(total ? done / total : 1),
  }))
    if (part.data) save(part.data, saved);
}

/** What downloads all files: as one archive, or the only one as it is.
 * @param {Detail} content @param {import("./hooks.js").Loaded<Named[]>} found */
export function useDownloadAll(content, found) {
  const [share, setShare] = useState(/** @type {number | null} */ (null));
  const [saved, setSaved] = useState(/** @type {string} */ (""));
  const control = useRef(/** @type {AbortController | null} */ (null));
  const files = there(found.data ?? []);
  const fetchAll = async () => {
    const { signal } = (control.current = new AbortController());
    setSaved("");
    setShare(0);
    try {
      if (files.length === 1) await fetchOne(content, files[0], setShare, { signal });
      else {
        const { zipped } = await import("./download-all.js");
        const names = distinct(files.map((one) => one.saved));
        const { data, missing } = await zipped(
          content,
          files.map(({ file }, index) => ({ file, name: names[index] })),
          { signal, onShare: setShare },
        );
        save(data, fileName(content.name, ".zip"));
        if (missing) return setSaved(t("files.some-missing", { count: missing }));
      }
      setSaved(t("files.verified"));
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      setShare(null);
    }
  };
  const action = useAction(() => underWay(fetchAll()));
  // Who presses it before the files are known gets them then.
  const early = useRef(false);
  useEffect(() => {
    if (early.current && files.length) void action.run();
    early.current = false;
  }, [found.data]);
  const run = () => {
    early.current = found.loading;
    if (files.length) void action.run();
  };
  return {
    files,
    isReading: found.loading && expected(content) > 0,
    busy: action.busy,
    error: action.error,
    share,
    saved,
    run,
    cancel: () => control.current?.abort(),
  };
}

/** How far it is, and how it ended.
 * @param {{of: {share: number | null, saved: string, error: unknown, cancel?: () => void}, again?: boolean}}
 *   props `again` is where another place of the page says so too: there it is seen, and not read aloud */
export function Progress({ of: { share, saved, error, cancel }, again = false }) {
  return html`
    ${
      share !== null &&
      html`
        <div class="fetching">
          <progress value=${share} max="1" aria-label=${t("files.fetching")} />
          ${cancel && html`<${Button} class="button plain small" onClick=${cancel}>${t("action.cancel")}<//>`}
        </div>
      `
    }
    <p class="small done" role=${again ? undefined : "status"} aria-hidden=${again ? true : undefined}>
      ${saved && html`<${Icon} name="subscribed" /> ${saved}`}
    </p>
    ${
      !again &&
      (error instanceof DigestError
        ? html`
          <p class="alert" role="alert">
            ${t("files.wrong")}
          </p>
        `
        : html`<${Alert} error=${error} />`)
    }
  `;
}

/** @param {{content: Detail, found: import("./hooks.js").Loaded<Named[]>,
 *   all: ReturnType<typeof useDownloadAll>}} props */
export function Files({ content, found, all }) {
  const { user } = useSession();
  const [whole, keep] = useKept("files", false);
  const count = found.data?.length ?? expected(content);
  if (found.error || !count) return null;
  const sum = all.files.reduce((sum, { file }) => sum + file.size, 0);
  return html`
    <section class="panel files-of" aria-labelledby="files">
      <h2 id="files">${t("files.title")}</h2>
      <${Loaded} of=${found} waiting=${html`<${FilesWaiting} count=${rows(count)} />`}>
        ${(/** @type {Named[]} */ files) =>
          html`
            <ul class="rows">
              ${files.slice(0, whole ? count : rows(count)).map(
                (one, index) =>
                  html`
                    <li key=${`${index} ${one.file.path}`}>
                      <${OneFile} content=${content} named=${one} />
                    </li>
                  `,
              )}
            </ul>
            ${
              !whole &&
              rows(count) < count &&
              html`
                <p>
                  <${Button} class="button plain small whole" onClick=${() => keep(true)}>
                    ${t("files.show-all", { count })}
                  <//>
                </p>
              `
            }
          `}
      <//>
      ${
        (found.loading ? count : all.files.length) > 1 &&
        html`
          <${Button} class="button plain whole" busy=${all.busy || found.loading} onClick=${all.run}>
            <${Icon} name="downloads" />
            ${t("files.all")}
          <//>
          <p class="small faint centred">
            ${t("files.sum", { count: all.files.length || count, size: size(sum) })}
          </p>
          <${Progress} of=${all} again=${!user} />
        `
      }
    </section>
  `;
}

/** Rows that are on their way.
 * @param {{count: number}} props */
function FilesWaiting({ count }) {
  return html`
    <div class="skeletons">
      <p class="unseen" role="status">${t("state.loading")}</p>
      <ul class="rows" aria-hidden="true">
        ${Array.from(
          { length: count },
          (_, n) =>
            html`
              <li key=${n}>
                <div class="file">
                  <span class="file-name">
                    <span class="skeleton words"></span>
                    <span class="skeleton words short"></span>
                  </span>
                </div>
              </li>
            `,
        )}
      </ul>
    </div>
  `;
}

/** @param {{content: Detail, named: Named, revision?: string}} props `revision` is one that is not the
 *   current */
export function OneFile({ content, named, revision }) {
  const [share, setShare] = useState(/** @type {number | null} */ (null));
  const [saved, setSaved] = useState("");
  const fetchIt = async () => {
    setSaved("");
    setShare(0);
    try {
      await fetchOne(content, named, setShare, { revision });
      setSaved(t("files.verified"));
    } finally {
      setShare(null);
    }
  };
  const fetching = useAction(() => underWay(fetchIt()));
  const { file, shown, label } = named;
  return html`
    <div class="file">
      <span class="file-name">
        <bdi title=${shown}>${shown}</bdi>
        <span class="faint small">
          ${size(file.size)}${file.name && file.platform && ` · ${platformName(file.platform)}`}
        </span>
      </span>
      ${
        file.url
          ? html`
            <${Button}
              class="icon"
              busy=${fetching.busy}
              aria-label=${t("files.download", { name: label })}
              title=${t("action.download")}
              onClick=${() => fetching.run()}
            >
              <${Icon} name="downloads" />
            <//>
          `
          : html`<span class="faint small">${t("files.missing")}</span>`
      }
      ${
        (share !== null || saved || fetching.error) &&
        html`<${Progress} of=${{ share, saved, error: fetching.error }} />`
      }
    </div>
  `;
}
