// What moves files.
export { DigestError, digestOf } from "./digest.js";
export { download } from "./download.js";
export { publish } from "./publish.js";
export { upload } from "./upload.js";
