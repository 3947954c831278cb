/** What is asked for once. After a failure the next caller asks again.
 * @template T
 * @param {() => Promise<T>} read
 * @returns {() => Promise<T>} */
export function once(read) {
  /** @type {Promise<T> | null} */
  let asked = null;
  return () => {
    asked ??= read().catch((error) => {
      asked = null;
      throw error;
    });
    return asked;
  };
}
