/** What the browser keeps. In a frame on another site it may deny that: then this page keeps it for itself,
 * until it is closed. */

const METHODS = {
  /** @this {Record<string, string>} @param {string} key */
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  },
  /** @this {Record<string, string>} @param {string} key @param {unknown} value */
  setItem(key, value) {
    this[key] = `${value}`;
  },
  /** @this {Record<string, string>} @param {string} key */
  removeItem(key) {
    delete this[key];
  },
};

for (const name of /** @type {const} */ (["localStorage", "sessionStorage"]))
  try {
    void window[name];
  } catch {
    Object.defineProperty(window, name, { value: Object.create(METHODS) });
  }

export {};
