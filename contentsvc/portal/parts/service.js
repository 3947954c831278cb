/** What this service is, and what it does not do. */
import { client } from "../session.js";
import { useLoad } from "./hooks.js";

/** @type {Promise<import("../client.js").ServiceInfo> | null} */
let asked = null;

/** What GET /service answers, read once. Until it is known, nothing. */
export function useService() {
  return useLoad(async () => {
    asked ??= client.getService().catch((error) => {
      asked = null;
      throw error;
    });
    return asked;
  }, []).data;
}
