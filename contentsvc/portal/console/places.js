/** Where what is reported is looked at. */

/** @param {{kind: string, id: string, content?: string, user?: string}} subject */
export function place({ kind, id, content, user }) {
  const asked = new URLSearchParams({ ...(content && { content }), ...(user && { user }) });
  return `/console/reports/${kind}/${id}${asked.size ? `?${asked}` : ""}`;
}
