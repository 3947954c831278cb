/** The files of content: fetched, verified, and saved. */
import { DigestError } from "../client.js";
import { html, useState } from "../vendor/preact.js";
import { underWay } from "../notices.js";
import { client } from "../session.js";
import { size } from "../format.js";
import { t } from "../texts.js";
import { fileWords } from "./file-words.js";
import { Alert, Button } from "./form.js";
import { useAction, useLoad } from "./hooks.js";
import { save } from "./save.js";
import { Loaded } from "./states.js";

/** @typedef {import("../client.js").ContentFile} ContentFile */

/** @param {{content: import("../client.js").ContentDetail}} props */
export function Files({ content }) {
  const found = useLoad(
    async (signal) => {
      const all = await client.listContentFiles({ contentId: content.id }, { signal });
      return all.filter((file) => file.use === "entity" || file.use === "package");
    },
    [content.revisionId],
  );
  if (found.error || found.data?.length === 0) return null;
  return html`
    <section>
      <h2>${t("files.title")}</h2>
      <${Loaded} of=${found}>
        ${(/** @type {ContentFile[]} */ files) => {
          const words = fileWords(files, content.packages);
          return html`
            <ul class="rows">
              ${files.map(
                (file, index) =>
                  html`
                    <li key=${`${index} ${file.path}`}>
                      <${One}
                        content=${content}
                        file=${file}
                        name=${index ? words[index] : t("files.core")}
                      />
                    </li>
                  `,
              )}
            </ul>
          `;
        }}
      <//>
    </section>
  `;
}

/** @param {{content: import("../client.js").ContentDetail, file: ContentFile, name: string}} props */
function One({ content, file, name }) {
  const [share, setShare] = useState(/** @type {number | null} */ (null));
  const [saved, setSaved] = useState(false);
  const fetchIt = async () => {
    setSaved(false);
    setShare(0);
    try {
      for await (const part of client.download(content.id, {
        only: [file.path],
        onProgress: (/** @type {{done: number, total: number}} */ { done, total }) =>
          setShare(total ? done / total : 1),
      })) {
        const platform = file.platform ? `-${file.platform}` : "";
        if (part.data) save(part.data, `${content.name}${platform}-${file.sha256.slice(0, 8)}`);
      }
      setSaved(true);
    } finally {
      setShare(null);
    }
  };
  const fetching = useAction(() => underWay(fetchIt()));
  return html`
    <div class="file">
      <span>
        ${name} <span class="faint small">${size(file.size)}</span>
      </span>
      ${
        file.url
          ? html`
            <${Button}
              class="button plain small"
              busy=${fetching.busy}
              aria-label=${t("files.download", { name })}
              onClick=${() => fetching.run()}
            >
              ${t("action.download")}
            <//>
          `
          : html`<span class="faint small">${t("files.missing")}</span>`
      }
      ${share !== null && html`<progress value=${share} max="1" aria-label=${t("files.fetching")} />`}
      ${
        saved &&
        html`
          <span class="small" role="status">
            ${t("files.verified")}
          </span>
        `
      }
      <${Alert} error=${fetching.error instanceof DigestError ? null : fetching.error} />
      ${
        fetching.error instanceof DigestError &&
        html`
          <p class="alert" role="alert">
            ${t("files.wrong")}
          </p>
        `
      }
    </div>
  `;
}
