/** True if the bytes from `start` to `end` are exactly `value`; for short stretches a loop is faster than a call into Node. */
export function isAt(bytes: Buffer, start: number, end: number, value: Buffer): boolean {
  if (end - start !== value.length) return false;
  for (let at = 0; at < value.length; at++) if (bytes[start + at] !== value[at]) return false;
  return true;
}
