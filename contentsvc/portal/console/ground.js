/** Why something is decided: the clause or the law, and what the player reads. Grounds that were used lately
 * are chosen again by one press. */
import { html, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { language, t } from "../texts.js";
import { service } from "../service.js";
import { Details } from "../parts/details.js";
import { Choice, Field, useId } from "../parts/form.js";
import { useDraft } from "../parts/hooks.js";
import { fault, refuse } from "../parts/problems.js";
import { short } from "./names.js";

/** So many are remembered, and have the keys 1 to 5. */
const MOST = 5;
const BASES = /** @type {const} */ (["terms", "illegal"]);
const SOURCES = /** @type {const} */ (["own", "report", "trusted", "order"]);
const AUTOMATED = /** @type {const} */ (["no", "detected"]);

const EMPTY = {
  reason: "",
  basis: "terms",
  reference: service.termsReference,
  category: "",
  source: "",
  automated: "no",
};

/** @typedef {typeof EMPTY} Values */
/** @typedef {Pick<Values, "reason" | "basis" | "reference" | "category">} Kept */

/** What a form calls the members of a ground.
 * @param {string} pointer */
export const groundField = (pointer) =>
  pointer.replace(/^\/ground\/explanation/, "reason").replace(/^\/ground\//, "");

/** The ground of what is decided at a place, which is kept until its reports are answered.
 * @param {string} name of the draft @param {any[]} reports the newest first */
export function useGround(name, reports) {
  const [values, change, forget] = useDraft(name, EMPTY);
  const [{ list }, keep] = useDraft("grounds", { list: /** @type {Kept[]} */ ([]) });
  const { reason, basis, reference, category, source, automated } = values;
  const given = reason.trim();
  // What is done after they were upheld here is done for them too; and no button is to move.
  const [first] = useState(() => reports.filter((one) => one.state === "open").map((one) => one.id));
  const open = reports.filter(
    ({ id, state }) => state === "open" || (state === "upheld" && first.includes(id)),
  );
  const notice = open.find((one) => one.notice)?.notice;
  const found = source || (open.length ? "report" : "own");
  const reasons = [...new Set(open.map((one) => t(/** @type {any} */ (`reason.${one.reason}`))))];
  // What the player reads where nobody writes a reason: the service takes no ground without one.
  const otherwise =
    reasons.length && ["report", "trusted"].includes(found)
      ? t("console.reported-as", { reasons: new Intl.ListFormat(language).format(reasons) })
      : "";
  // What needs no words of a moderator.
  const isPlain =
    basis === "terms" &&
    [EMPTY.reference, ""].includes(reference.trim()) &&
    !category.trim() &&
    automated === "no" &&
    (found === "own" || !!otherwise);
  /** Throws Unfit about what is missing.
   * @param {boolean} needed whether the player is owed a reason in any case */
  const check = (needed) => {
    const about = limits.createDecision;
    const isNeeded = needed || service.requireReasons || !isPlain;
    refuse({
      reference: fault({ value: reference.trim(), limit: about["ground/reference"], required: !!given }),
      reason:
        isNeeded && !given
          ? t("console.reason-needed")
          : fault({ value: given, limit: about["ground/explanation"], required: false }),
      category: fault({ value: category.trim(), limit: about["ground/category"], required: false }),
    });
  };
  /** What is sent; null where nothing is said, and nothing has to be. What has none is found by the service's
   * own people.
   * @param {string} [explanation] in place of the one that is written
   * @returns {any} */
  const ground = (explanation = given) => {
    const reads = explanation || otherwise;
    if (!reads) return null;
    return {
      basis,
      reference: reference.trim() || EMPTY.reference,
      explanation: reads,
      ...(category.trim() && { category: category.trim() }),
      source: found,
      ...(notice && found !== "own" && found !== "order" && { notice }),
      automated,
    };
  };
  /** Have it among those that are chosen by one press. */
  const use = () => {
    if (!given) return;
    const used = { reason: given, basis, reference: reference.trim(), category: category.trim() };
    const others = list.filter((one) => JSON.stringify(one) !== JSON.stringify(used));
    keep({ list: [used, ...others].slice(0, MOST) });
  };
  // No button is to move when one more is remembered.
  const [recent] = useState(list);
  const hint = otherwise && !service.requireReasons ? t("console.reason-otherwise", { text: otherwise }) : "";
  return { values, change, forget, given, found, hint, check, ground, use, recent };
}

/** The keys of the grounds that were used lately, and of the field.
 * @param {ReturnType<typeof useGround>} of @param {string} id of the form */
export const groundKeys = ({ recent, change }, id) => [
  {
    key: "g",
    text: t("console.key-ground"),
    work: () => /** @type {HTMLElement | null} */ (document.querySelector(`#${id} textarea`))?.focus(),
  },
  ...recent.map((one, n) => ({
    key: String(n + 1),
    text: t("console.key-recent", { ground: short(one.reason) }),
    work: () => change(one),
  })),
];

/** @param {{of: ReturnType<typeof useGround>, hint: string, hasKeys: boolean, id: string}} props */
export function GroundFields({ of, hint, hasKeys, id }) {
  const { values, change, recent, found } = of;
  const name = useId();
  /** Escape leaves the field, so that the next key acts.
   * @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Escape" || !hasKeys) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (event.target).blur();
  };
  return html`
    <div class="stack" id=${id}>
      ${
        recent.length > 0 &&
        html`
          <div class="recent" role="group" aria-label=${t("console.recent")}>
            ${recent.map(
              (one, n) =>
                html`
                  <button
                    key=${`${one.reference} ${one.reason}`}
                    type="button"
                    class="button small plain"
                    aria-keyshortcuts=${hasKeys ? String(n + 1) : undefined}
                    onClick=${() => change(one)}
                  >
                    <bdi>${short(one.reason)}</bdi>
                    ${hasKeys && html`<kbd aria-hidden="true">${n + 1}</kbd>`}
                  </button>
                `,
            )}
          </div>
        `
      }
      <${Field}
        label=${t("field.reason")}
        lines=${2}
        value=${values.reason}
        name="reason"
        hint=${hint}
        onKeyDown=${press}
        onChange=${(/** @type {string} */ reason) => change({ reason })}
      />
      <${Details}
        name="ground"
        kind="ground-of"
        summary=${html`
          ${t(`ground.${/** @type {"terms"} */ (values.basis)}`)}:${" "}
          <bdi>${values.reference.trim() || t("console.law-missing")}</bdi>
        `}
      >
        <div class="stack">
          <fieldset class="segments">
            <legend>${t("console.basis")}</legend>
            <div>
              ${BASES.map(
                (one) =>
                  html`
                    <label key=${one}>
                      <input
                        type="radio"
                        name=${name}
                        checked=${values.basis === one}
                        onChange=${() =>
                          change({
                            basis: one,
                            reference:
                              one === "terms"
                                ? EMPTY.reference
                                : values.reference === EMPTY.reference
                                  ? ""
                                  : values.reference,
                          })}
                      />
                      <span>${t(`ground.${one}`)}</span>
                    </label>
                  `,
              )}
            </div>
          </fieldset>
          <${Field}
            label=${t(values.basis === "illegal" ? "console.law" : "console.clause")}
            name="reference"
            value=${values.reference}
            autocomplete="off"
            onChange=${(/** @type {string} */ reference) => change({ reference })}
          />
          <${Choice}
            label=${t("console.source")}
            value=${found}
            options=${SOURCES.map((one) => [one, t(`ground.source-${one}`)])}
            onChange=${(/** @type {string} */ source) => change({ source })}
          />
          <${Choice}
            label=${t("console.automated")}
            value=${values.automated}
            options=${AUTOMATED.map((one) => [one, t(`ground.automated-${one}`)])}
            onChange=${(/** @type {string} */ automated) => change({ automated })}
          />
          <${Field}
            label=${t("ground.category")}
            name="category"
            value=${values.category}
            autocomplete="off"
            hint=${t("console.category-hint")}
            onChange=${(/** @type {string} */ category) => change({ category })}
          />
        </div>
      <//>
    </div>
  `;
}
