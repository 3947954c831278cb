// What the portal uses of the client, all but the library. A page of it loads pictures.js when it
// sends a picture.
import { blocked } from "./blocks.js";
import { Client as Core } from "./client.js";
import { download } from "./download.js";
import { Events } from "./events.js";
import { Live } from "./live.js";
import { publish } from "./publish.js";
import { upload } from "./upload.js";

export { isBlocked } from "./blocks.js";
export { DigestError, digestOf } from "./digest.js";
export { ApiError, NetworkError } from "./errors.js";
export { guid } from "./guid.js";
export { exactly } from "./json.js";
export { PublishError } from "./publish.js";

/** The core with what is live, events, files and publishing. */
export class Client extends Core {
  blocked(options) {
    return blocked(this, options);
  }

  live(options) {
    return new Live(this, options);
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
