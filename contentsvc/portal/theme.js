/** Dark or light: as the system says, or as the visitor has chosen. */

/** @typedef {"system" | "light" | "dark"} Theme */

const CHOSEN = "contentsvc.theme";

/** @returns {Theme} */
export function theme() {
  const chosen = localStorage.getItem(CHOSEN);
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** @param {Theme} [chosen] */
export function applyTheme(chosen) {
  if (chosen === "system") localStorage.removeItem(CHOSEN);
  else if (chosen) localStorage.setItem(CHOSEN, chosen);
  document.documentElement.dataset.theme = theme();
  document.querySelector(".brand source")?.setAttribute("media", darkMedia());
}

/** When pictures for the dark theme are shown. */
export function darkMedia() {
  const chosen = theme();
  return chosen === "system" ? "(prefers-color-scheme: dark)" : chosen === "dark" ? "all" : "not all";
}
