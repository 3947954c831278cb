export { Client } from "./client.js";
export { ApiError, NetworkError } from "./errors.js";
export { guid } from "./guid.js";
