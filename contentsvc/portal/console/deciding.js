/** Decisions on their way: each can be taken back for a while before the service hears of it, and nobody else
 * does sooner. What depends on one has it sent first. */
import { useRef } from "../vendor/preact.js";
import { guid } from "../client.js";
import { client } from "../session.js";
import { settle, takeAway } from "../undo.js";
import { useGone } from "../parts/gone.js";

/** @typedef {{kind: string, id: string, content?: string, user?: string}} Subject */
/**
 * @typedef {object} Order
 * @property {string} action
 * @property {Subject} subject
 * @property {string} said of what was done, with the name of the thing
 * @property {any} ground null where the operation of its own says nothing
 * @property {(() => Promise<unknown>)} [plain] does the same without a ground
 * @property {number | null} [until]
 * @property {string[]} [what]
 * @property {{kind: string, id: string, upTo: string} | null} [upholds] the reports that it upholds
 * @property {() => void} [taken] hears that the service has taken it
 */

/** What stands for a decision.
 * @param {string} action @param {{kind: string, id: string}} subject */
const keyOf = (action, { kind, id }) => `${kind} ${id} ${action}`;

/** Takes decisions about these subjects.
 * @param {{kind: string, id: string}[]} subjects @param {() => Promise<unknown>} sent reads again what is
 *   shown, as the service knows of one */
export function useDeciding(subjects, sent) {
  const failed = useRef(false);
  const isGone = useGone("decision", (key) => {
    if (subjects.some((one) => key.startsWith(`${one.kind} ${one.id} `))) return sent();
  });
  /** @param {string} action @param {{kind: string, id: string}} subject */
  const isPending = (action, subject) => isGone(keyOf(action, subject));
  /** @param {Order} order */
  const decide = ({ action, subject, said, ground, plain, until, what, upholds, taken }) => {
    failed.current = false;
    const isOwn = upholds?.kind === subject.kind && upholds.id === subject.id;
    const body = {
      id: guid(),
      action: /** @type {any} */ (action),
      subject: /** @type {any} */ (subject),
      ground,
      ...(until && { until }),
      ...(what && { what: /** @type {any} */ (what) }),
      ...(isOwn && ground && { upTo: upholds.upTo }),
    };
    takeAway({
      key: `decision ${keyOf(action, subject)}`,
      what: "decision",
      name: said,
      send: async () => {
        try {
          if (ground) await client.createDecision({ body });
          else await plain?.();
          taken?.();
          if (upholds && !(isOwn && ground)) {
            const { kind, id, upTo } = upholds;
            await client.resolveReports({ kind, id, body: { outcome: "upheld", upTo } });
          }
        } catch (error) {
          failed.current = true;
          throw error;
        }
      },
    });
  };
  /** Have what is on its way sent.
   * @returns {Promise<boolean>} whether the service took it */
  const commit = async () => {
    await settle();
    return !failed.current;
  };
  return { decide, isPending, commit };
}
