import { blocked } from "./blocks.js";
import { Client as Core } from "./client.js";
import { download } from "./download.js";
import { Events } from "./events.js";
import { Library } from "./library.js";
import { Live } from "./live.js";
import { publish } from "./publish.js";
import { upload } from "./upload.js";

export { isBlocked } from "./blocks.js";
export { DigestError, digestOf } from "./digest.js";
export { ApiError, NetworkError } from "./errors.js";
export { Events };
export { Library };
export { Live };
export { guid } from "./guid.js";
export { exactly } from "./json.js";
export { PublishError } from "./publish.js";
export { SignatureError, verifyWebhook } from "./webhooks.js";

/** The whole client: the core with what is live, the library, events, files and publishing. */
export class Client extends Core {
  blocked(options) {
    return blocked(this, options);
  }

  live(options) {
    return new Live(this, options);
  }

  library(options) {
    return new Library(this, options);
  }

  events(options) {
    return new Events(this, options);
  }

  upload(files, options) {
    return upload(this, files, options);
  }

  download(contentId, options) {
    return download(this, contentId, options);
  }

  publish(publication, options) {
    return publish(this, publication, options);
  }
}
