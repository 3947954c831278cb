/** What forms of the console have in common. */
import { limits } from "../limits.js";
import { t } from "../texts.js";
import { fault, refuse } from "../parts/problems.js";

/** A reason is needed, which the player reads: throws Unfit about the field `reason`.
 * @param {string} reason @param {import("../parts/problems.js").Limit} limit */
export function demand(reason, limit) {
  const known = { value: reason, limit, required: true };
  refuse({ reason: reason.trim() ? fault(known) : t("console.reason-needed") });
}

/** The limits of a field `name` that an account is looked up with, by its whole name or its address.
 * @param {string} asked */
export function lookup(asked) {
  const { email, name } = limits.listModeratedUsers;
  return { name: asked.includes("@") ? email : name };
}
