/** What this service is, and what it does not do. */
import { once } from "../once.js";
import { client } from "../session.js";
import { useLoad } from "./hooks.js";

const read = once(() => client.getService());

/** What GET /service answers. Until it is known, nothing. */
export const useService = () => useLoad(read, []).data;
