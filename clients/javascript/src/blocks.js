/** The ids of all whom the user blocks. */
export async function blocked(client, options) {
  const ids = new Set();
  for await (const { user } of client.each("listBlockedUsers", {}, options)) ids.add(user.id);
  return ids;
}

/** Whether something is of a user whom `blocked` has. */
export function isBlocked(blocked, thing) {
  const { authorId, sender, author, owner, user, content, username, id } = thing ?? {};
  const by = authorId ?? sender ?? author ?? owner ?? user ?? content?.authorId ?? (username && id);
  return blocked.has(by?.id ?? by);
}
