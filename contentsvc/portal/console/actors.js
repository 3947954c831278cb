/** Who has done something: a person, or a program of the studio's. */
import { html } from "../vendor/preact.js";
import { client, may } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useLoad } from "../parts/hooks.js";

/** The names of the service accounts by their ids. Only admins may read them.
 * @param {AbortSignal} signal */
async function named(signal) {
  const found = /** @type {Map<string, string>} */ (new Map());
  if (!may("administer")) return found;
  for await (const { id, name } of client.each("listServiceAccounts", {}, { signal })) found.set(id, name);
  return found;
}

/** The names of the service accounts, as far as they are known. */
export function useServices() {
  return useLoad(named, []).data ?? /** @type {Map<string, string>} */ (new Map());
}

/** Who it was, and where they are looked at.
 * @param {{id: string, services: Map<string, string>, name: (subject: {kind: string, id: string}) => string,
 *   isService?: boolean}} props */
export function Actor({ id, services, name, isService = services.has(id) }) {
  const who =
    services.get(id) ??
    (isService ? `${t("subject.service_account")} ${id.slice(0, 8)}` : name({ kind: "user", id }));
  const path = isService ? (may("administer") ? "/console/service-accounts" : null) : `/console/users/${id}`;
  return html`
    <span class="faint small">
      ${t("console.by")}${" "}
      ${
        path
          ? html`
            <a href=${address(path)}>
              <bdi>${who}</bdi>
            </a>
          `
          : html`<bdi>${who}</bdi>`
      }
    </span>
  `;
}
