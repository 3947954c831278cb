import type { Client, Files } from "./client.js";

/** A method of the client as a function. */
type Of<Method> = Method extends (...args: infer Args) => infer Found
  ? (client: Client, ...args: Args) => Found
  : never;

export { DigestError, digestOf } from "../../clients/javascript/types/files.js";
export const download: Of<Files["download"]>;
export const publish: Of<Files["publish"]>;
export const upload: Of<Files["upload"]>;
