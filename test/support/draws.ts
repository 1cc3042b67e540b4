/** `npm run night`: all of what `npm test` takes a part of. */
export const atNight = process.env["NIGHT"] !== undefined;

/** The draws of a property; ten times as many by night. */
export function draws(count: number): { readonly numRuns: number } {
  return { numRuns: atNight ? count * 10 : count };
}
