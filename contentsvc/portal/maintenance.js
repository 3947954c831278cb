/** Whether the service is closed for maintenance. The page looks by itself whether it is open again. */
import { base } from "./base.js";

/** @typedef {{message: string | null, until: number | null}} Closed what players are told, and when it ends,
 *   in Unix seconds */

/** @type {Closed | null} */
export let closed = null;

const news = new EventTarget();

/** @param {() => void} listener hears when the service was closed or opened
 * @returns {() => void} which ends it */
export function onMaintenance(listener) {
  news.addEventListener("change", listener);
  return () => news.removeEventListener("change", listener);
}

/** @param {Closed | null} now */
function set(now) {
  const began = !closed && now;
  closed = now;
  news.dispatchEvent(new Event("change"));
  if (began) wait();
}

/** Milliseconds between two looks: from this to twice as long, so that not all pages look at once. */
const PAUSE = 15_000;

function wait() {
  setTimeout(
    async () => {
      const answer = await fetch(`${base}api/v1/content?limit=1`).catch(() => null);
      const problem = await refusal(answer);
      if (answer?.ok) set(null);
      else if (problem) set(problem);
      if (closed) wait();
    },
    PAUSE * (1 + Math.random()),
  );
}

/** @param {Response | null} answer
 * @returns {Promise<Closed | null>} */
async function refusal(answer) {
  if (answer?.status !== 503) return null;
  const problem = await answer
    .clone()
    .json()
    .catch(() => null);
  return problem?.code === "maintenance" ? problem : null;
}

/** Whether the page is being left: what is sent then goes on without it. */
let isLeaving = false;
addEventListener("pagehide", () => (isLeaving = true), { capture: true });
addEventListener("pageshow", () => (isLeaving = false));

/** fetch for the client, which learns of maintenance by the way. Where only writes are refused, the
 * page goes on, and says so where somebody writes.
 * @param {RequestInfo | URL} url
 * @param {RequestInit} [init] */
export async function watched(url, init) {
  const answer = await fetch(url, isLeaving ? { ...init, keepalive: true } : init);
  if ((init?.method ?? "GET") === "GET") {
    const problem = await refusal(answer);
    if (problem) set(problem);
  }
  return answer;
}
