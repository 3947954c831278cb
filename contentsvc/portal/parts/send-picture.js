/** One picture, sent as soon as it is chosen. */
import { upload } from "../client-files.js";
import { underWay } from "../notices.js";
import { client } from "../session.js";
import { uploaded } from "./pictures.js";

/** Send a picture, and have it shown whole until its smaller sizes are made.
 * @param {"avatar" | "emblem"} use @param {File} data
 * @returns {Promise<string>} its path */
export async function sendPicture(use, data) {
  const [path] = await underWay(upload(client, [{ use, data, mediaType: data.type }]));
  uploaded([path]);
  return path;
}
