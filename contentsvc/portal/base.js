import { service } from "./service.js";

/** The URL below which the service is: it may have a path of its own. This file is at
 * BASE/portal/DIGEST/base.js. */
export const base = new URL("../../", import.meta.url).href;

/** What the site is called. */
export const site = service.name;

/** Whether another page has this one in a frame. */
export const isFramed = window.parent !== window;

/** Whether strangers may make accounts. */
export const isOpen = service.registration;
