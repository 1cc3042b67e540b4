/** `npm run night`: all of what `npm test` takes a part of. */
export const atNight = process.env["NIGHT"] !== undefined;

/** So many of a list, spread over it; all of it by night. */
export function shareOf<T>(list: readonly T[], count: number): readonly T[] {
  if (atNight || list.length <= count) return list;
  return Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)]!);
}

/** The draws of a property: a third of them by day, ten times as many by night. */
export function draws(count: number): { readonly numRuns: number } {
  return { numRuns: atNight ? count * 10 : Math.ceil(count / 3) };
}
