/** The link at the end of each page, by which anybody says what is against the law there. */
import { address, here } from "./router.js";

/** Have it bring along the address of the page that it is pressed on. */
export function followNotices() {
  const link = /** @type {HTMLAnchorElement | null} */ (document.querySelector(".foot .to-notice a"));
  link?.addEventListener("click", () => {
    const path = here();
    const about = path.startsWith("/notice") ? "" : `?url=${encodeURIComponent(address(path))}`;
    link.href = address(`/notice${about}`);
  });
}
