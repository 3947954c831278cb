import { Events } from "./events.js";
import { Library } from "./library.js";
import { Live } from "./live.js";
import { Client as Portal } from "./portal.js";

export * from "./portal.js";
export { Events };
export { Library };
export { Live };
export { SignatureError, verifyWebhook } from "./webhooks.js";

/** The whole client: that of the portal, with the library. */
export class Client extends Portal {
  library(options) {
    return new Library(this, options);
  }
}
