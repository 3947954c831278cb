import { Events } from "./events.js";
import { download, publish, upload } from "./files.js";
import { Library } from "./library.js";
import { Live } from "./live.js";
import { Client as Portal } from "./portal.js";

export * from "./portal.js";
export { DigestError, digestOf } from "./files.js";
export { Events };
export { Library };
export { Live };
export { SignatureError, verifyWebhook } from "./webhooks.js";

/** The whole client: that of the portal, with files, publishing and the library. */
export class Client extends Portal {
  upload(files, options) {
    return upload(this, files, options);
  }

  download(contentId, options) {
    return download(this, contentId, options);
  }

  publish(publication, options) {
    return publish(this, publication, options);
  }

  library(options) {
    return new Library(this, options);
  }
}
