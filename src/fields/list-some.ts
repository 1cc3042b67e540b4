const MOST_LISTED = 5;

/** Lists the first of many things, and says how many others there are. */
export function listSome(things: readonly string[], separator = ", "): string {
  const more = things.length - MOST_LISTED;
  if (more <= 1) return things.join(separator);
  return `${things.slice(0, MOST_LISTED).join(separator)} and ${more} others`;
}
