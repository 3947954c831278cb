/** The URL below which the service is: it may have a path of its own. This file is at
 * BASE/portal/DIGEST/base.js. */
export const base = new URL("../../", import.meta.url).href;
