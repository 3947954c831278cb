/** Copying with one press. */

/** Copy what a field has. A page without TLS has no clipboard of its own: there the field is selected and
 * copied as the keys would. False where that is forbidden too; then it stays selected for the keys.
 * @param {HTMLInputElement} field */
export async function copy(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
