/** A player of whom the service gives the id alone. */
import { useEffect, useState } from "../vendor/preact.js";
import { people } from "../parts/people.js";

/** @typedef {import("../parts/people.js").Person} Person */

/** The player with this id, once that is known; null before, and of nobody.
 * @param {string | null | undefined} id
 * @returns {Person | null} */
export function usePerson(id) {
  const [found, setFound] = useState(/** @type {Person | null} */ (null));
  useEffect(() => {
    let wanted = true;
    if (id) void people([id]).then((all) => wanted && setFound(all.get(id) ?? null));
    return () => void (wanted = false);
  }, [id]);
  return found?.id === id ? found : null;
}
