/** Shorter names are one letter from too many others. */
const LEAST = 5;

/** The field that a normalised name is one edit away from; `undefined` if there are several. `fields`: normalised names too. */
export function nearestField(normal: string, fields: ReadonlyMap<string, string>): string | undefined {
  if (normal.length < LEAST) return undefined;
  let near: string | undefined;
  for (const [field, other] of fields) {
    if (other.length < LEAST || !isOneEdit(normal, other)) continue;
    if (near !== undefined) return undefined;
    near = field;
  }
  return near;
}

/** Whether one letter inserted, deleted or changed, or two neighbours swapped, make one name of the other. */
export function isOneEdit(left: string, right: string): boolean {
  if (left === right || Math.abs(left.length - right.length) > 1) return false;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  const isRest = (from: number, fromRight: number): boolean => left.slice(from) === right.slice(fromRight);
  if (left.length !== right.length)
    return left.length < right.length ? isRest(at, at + 1) : isRest(at + 1, at);
  const isSwap = left[at] === right[at + 1] && left[at + 1] === right[at];
  return isRest(at + 1, at + 1) || (isSwap && isRest(at + 2, at + 2));
}
