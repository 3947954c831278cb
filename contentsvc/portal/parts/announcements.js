/** What the studio announces, above every place, until the visitor has dismissed it in this browser. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { useLoad, useNews } from "./hooks.js";

const KEPT = "contentsvc.dismissed";
const MOST = 20;

/** @typedef {import("../client.js").Announcement} Announcement */

/** What tells an announcement from another, and from what it said before.
 * @param {Announcement} one */
function mark({ id, title, text, level }) {
  let sum = 0;
  for (const letter of `${level} ${title} ${text}`)
    sum = (Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0)) | 0;
  return `${id} ${sum}`;
}

/** @returns {string[]} */
function dismissed() {
  try {
    const found = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(found) ? found.map(String) : [];
  } catch {
    return [];
  }
}

export function Announcements() {
  const found = useLoad((signal) => client.listAnnouncements({ limit: MOST }, { signal }), []);
  const [gone, setGone] = useState(dismissed);
  const timer = useRef(0);
  const read = () => void found.reload();
  useNews("open", read);
  // Who has no socket looks now and then.
  useEffect(() => {
    const shown = () => document.visibilityState === "visible" && read();
    document.addEventListener("visibilitychange", shown);
    return () => {
      document.removeEventListener("visibilitychange", shown);
      clearTimeout(timer.current);
    };
  }, []);
  useNews("message", (message) => {
    if (message.type !== "announcements") return;
    clearTimeout(timer.current);
    timer.current = setTimeout(read, Math.random() * message.within * 1000);
  });
  const all = found.data ?? [];
  /** @param {Announcement} one */
  const dismiss = (one) => {
    // What is announced no more need not be known.
    const kept = [...dismissed().filter((known) => all.some((other) => mark(other) === known)), mark(one)];
    localStorage.setItem(KEPT, JSON.stringify(kept));
    setGone(kept);
  };
  const shown = all.filter((one) => !gone.includes(mark(one)));
  return html`
    <div
      class="announcements"
      role="region"
      aria-label=${t("announcements.title")}
      aria-live="polite"
      hidden=${!shown.length}
    >
      ${shown.map(
        (one) =>
          html`
            <article key=${one.id} class=${`announcement ${one.level}`}>
              <div>
                <p class="announcement-title">
                  <span class="announcement-level">
                    ${t(one.level === "warning" ? "announcements.warning" : "announcements.info")}:
                  </span>${" "}
                  <bdi>${one.title}</bdi>
                </p>
                ${
                  one.text &&
                  html`
                    <p class="text" dir="auto">
                      ${one.text}
                    </p>
                  `
                }
              </div>
              <button
                type="button"
                class="button plain small"
                aria-label=${t("announcements.dismiss-one", { title: one.title })}
                onClick=${() => dismiss(one)}
              >
                ${t("announcements.dismiss")}
              </button>
            </article>
          `,
      )}
    </div>
  `;
}
