/** `/legal`: whom to write to in matters of law, the terms, and the way to report what is against the law. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { useLoad, useTitle } from "../parts/hooks.js";
import { Loaded } from "../parts/states.js";

/** What is an address to write to.
 * @param {string} text */
const linked = (text) =>
  /^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(text)
    ? `mailto:${text}`
    : /^https:\/\/\S+$/.test(text)
      ? text
      : undefined;

/** What the file of the operator calls somebody, as one reads it.
 * @param {string} name */
const called = (name) => {
  const text = name.replaceAll(/[_-]+/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
};

export default function Legal() {
  useTitle(t("legal.title"));
  const found = useLoad((signal) => client.getLegal({}, { signal }), []);
  return html`
    <div class="narrow">
      <h1>${t("legal.title")}</h1>
      <${Loaded} of=${found}>
        ${(/** @type {import("../client.js").LegalInfo} */ { contacts, terms }) =>
          html`
            ${
              Object.keys(contacts).length > 0 &&
              html`
                <section>
                  <h2>${t("legal.contacts")}</h2>
                  <dl>
                    ${Object.entries(contacts).map(
                      ([name, text]) =>
                        html`
                          <dt dir="auto">${called(name)}</dt>
                          <dd class="text" dir="auto">
                            ${linked(text) ? html`<a href=${linked(text)} data-outside>${text}</a>` : text}
                          </dd>
                        `,
                    )}
                  </dl>
                </section>
              `
            }
            ${
              terms &&
              html`
                <section>
                  <h2>${t("legal.terms")}</h2>
                  <p>
                    <a href=${terms.url} data-outside>${t("legal.read")}</a>${" "}
                    <span class="faint small">${t("legal.version", { version: terms.version })}</span>
                  </p>
                </section>
              `
            }
            <section>
              <h2>${t("notice.title")}</h2>
              <p>${t("notice.lead")}</p>
              <p><a class="button" href=${address("/notice")}>${t("notice.title")}</a></p>
            </section>
          `}
      <//>
    </div>
  `;
}
