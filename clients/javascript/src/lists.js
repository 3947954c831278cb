/** {items, next} of a list: the items of one part, and the parameters of the next, or null. */
export async function part(client, name, parameters = {}, options) {
  const { body, headers } = await client.call(name, parameters, { ...options, whole: true });
  if (Array.isArray(body)) {
    const link = /<[^>]*?\?([^>]*)>; *rel="next"/.exec(headers.get("Link"));
    if (!link) return { items: body, next: null };
    const { after, ...query } = Object.fromEntries(new URLSearchParams(link[1]));
    return { items: body, next: { ...query, ...parameters, after } };
  }
  const { items, page, pageSize, total, next } = body;
  if (!Array.isArray(items)) throw new TypeError(`${name} gives no list.`);
  // Events have no pages, but a number after which they go on.
  const more = next === undefined ? { page: page + 1 } : { after: next };
  const isLast = items.length === 0 || (page + 1) * pageSize >= total;
  return { items, next: isLast ? null : { ...parameters, ...more } };
}

/** All items of a list, part by part. */
export async function* each(client, name, parameters, options) {
  for (let next = parameters ?? {}; next;) {
    const { items, next: more } = await part(client, name, next, options);
    yield* items;
    next = more;
  }
}
