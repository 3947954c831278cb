/** What content says of itself for games: as fields, and as a list. */
import { html } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { address } from "../router.js";
import { language, t } from "../texts.js";
import { Button, Choice, Field } from "./form.js";
import { fault } from "./problems.js";

/** @typedef {Record<string, string | number | bigint | boolean>} Attributes */
/** @typedef {{key: string, kind: "text" | "number" | "flag", value: string, was?: string}} Row `was` is the
 *   number that the content has */

const LIMIT = limits.putContent.attributes;
const MOST = LIMIT.maxProperties;

/** @param {Attributes | undefined} attributes
 * @returns {Row[]} */
export function rowsOf(attributes = {}) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    kind:
      typeof value === "number" || typeof value === "bigint"
        ? "number"
        : typeof value === "boolean"
          ? "flag"
          : "text",
    value: String(value),
    ...((typeof value === "number" || typeof value === "bigint") && { was: String(value) }),
  }));
}

/** The number that is meant, whole ones with all of their digits; null if it is none, or not clear.
 * @param {Row} row
 * @returns {number | bigint | null} */
function numberOf({ value, was }) {
  const text = value.trim();
  const isKept = text === was;
  if (!isKept && !/^[+-]?(\d+([.,]\d+)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text)) return null;
  // To some 1,500 is a thousand and a half, to others one and a half; in German 1.500 too.
  if (!isKept && /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(text) && (text.includes(",") || language !== "en"))
    return null;
  const number = Number(text.replace(",", "."));
  if (/^[+-]?\d+$/.test(text) && !Number.isSafeInteger(number)) {
    const whole = BigInt(text.replace("+", ""));
    return whole === BigInt.asIntN(64, whole) ? whole : null;
  }
  const isExact = Number.isSafeInteger(number) || !Number.isInteger(number) || /e/i.test(text);
  return Number.isFinite(number) && isExact ? number : null;
}

/** @param {Row[]} rows those without a key are left out
 * @returns {Record<string, string | number | boolean>} as a body has them, in which a BigInt is a number */
export function attributesOf(rows) {
  const named = rows.filter(({ key, value }) => key.trim() || value);
  /** @param {Row} row */
  const meant = (row) =>
    row.kind === "number" ? (numberOf(row) ?? NaN) : row.kind === "flag" ? row.value === "true" : row.value;
  return /** @type {any} */ (Object.fromEntries(named.map((row) => [row.key.trim(), meant(row)])));
}

/** What is wrong with the name of an attribute.
 * @param {Row[]} rows @param {number} at */
function badKey(rows, at) {
  const key = rows[at].key.trim();
  if (rows.some((row, n) => n < at && row.key.trim() === key)) return t("attributes.twice");
  return fault({ value: key, limit: { pattern: LIMIT.names }, wrong: t("attributes.key-wrong") });
}

/** What is wrong with its value.
 * @param {Row} row */
function badValue(row) {
  if (row.kind !== "number") return fault({ value: row.value, limit: LIMIT.values, exact: true });
  return numberOf(row) === null ? t("attributes.number-wrong") : null;
}

/** @param {{rows: Row[], onChange: (rows: Row[]) => void}} props */
export function AttributeFields({ rows, onChange }) {
  /** @param {number} at @param {Partial<Row>} change */
  const change = (at, change) => onChange(rows.map((row, n) => (n === at ? { ...row, ...change } : row)));
  /** @type {[string, string][]} */
  const kinds = [
    ["text", t("attributes.text")],
    ["number", t("attributes.number")],
    ["flag", t("attributes.flag")],
  ];
  return html`
    <fieldset class="stack">
      <legend>${t("attributes.title")}</legend>
      <p class="hint">${t("attributes.hint")}</p>
      ${rows.map(
        (row, at) =>
          html`
            <div class="attribute" key=${at}>
              <${Field}
                label=${t("attributes.key", { number: at + 1 })}
                value=${row.key}
                name=${`attributes/#${at}`}
                required=${!!row.value}
                check=${() => badKey(rows, at)}
                autocapitalize="none"
                spellcheck="false"
                onChange=${(/** @type {string} */ key) => change(at, { key })}
              />
              <${Choice}
                label=${t("attributes.kind", { number: at + 1 })}
                value=${row.kind}
                options=${kinds}
                onChange=${(/** @type {any} */ kind) =>
                  change(at, {
                    kind,
                    value: kind === "flag" ? "true" : row.kind === "flag" ? "" : row.value,
                  })}
              />
              ${
                row.kind === "flag"
                  ? html`
                    <${Choice}
                      label=${t("attributes.value", { number: at + 1 })}
                      value=${row.value}
                      options=${[
                        ["true", t("attributes.yes")],
                        ["false", t("attributes.no")],
                      ]}
                      onChange=${(/** @type {string} */ value) => change(at, { value })}
                    />
                  `
                  : html`
                    <${Field}
                      label=${t("attributes.value", { number: at + 1 })}
                      value=${row.value}
                      name=${`attributes/${row.key.trim() || `#${at}`}/value`}
                      required=${row.kind === "number"}
                      check=${() => badValue(row)}
                      inputmode=${row.kind === "number" ? "decimal" : undefined}
                      onChange=${(/** @type {string} */ value) => change(at, { value })}
                    />
                  `
              }
              <button
                type="button"
                class="icon"
                aria-label=${t("attributes.remove", { number: at + 1 })}
                onClick=${() => onChange(rows.filter((_, n) => n !== at))}
              >
                ×
              </button>
            </div>
          `,
      )}
      ${
        rows.length < MOST &&
        html`
          <p>
            <${Button}
              class="button plain small"
              onClick=${() => onChange([...rows, { key: "", kind: "text", value: "" }])}
            >
              ${t("attributes.add")}
            <//>
          </p>
        `
      }
    </fieldset>
  `;
}

/** Each leads to what says the same.
 * @param {{of: Attributes | undefined}} props */
export function AttributeList({ of = {} }) {
  const all = Object.entries(of);
  if (!all.length) return null;
  return html`
    <ul class="tags" aria-label=${t("attributes.title")}>
      ${all.map(
        ([key, value]) =>
          html`
            <li key=${key}>
              <a
                href=${address(`/browse?${new URLSearchParams({ [`attr.${key}`]: String(value) })}`)}
                dir="auto"
              >
                <span class="faint">${key}</span>${" "}
                ${typeof value === "boolean" ? t(value ? "attributes.yes" : "attributes.no") : value}
              </a>
            </li>
          `,
      )}
    </ul>
  `;
}
