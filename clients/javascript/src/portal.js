// What each page of the portal has of the client. Pages that move files load files.js too, which loads
// pictures.js when it sends a picture.
import { blocked } from "./blocks.js";
import { Client as Core } from "./client.js";
import { Events } from "./events.js";
import { Live } from "./live.js";

export { isBlocked } from "./blocks.js";
export { ApiError, NetworkError, PublishError } from "./errors.js";
export { guid } from "./guid.js";
export { exactly } from "./json.js";

/** The core with what is live, and events. */
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
}
