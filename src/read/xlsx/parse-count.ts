const ZERO = 0x30;

/** The number that digits of ASCII write; `NaN` for anything else, and for none. */
export function parseCount(bytes: Buffer, start: number, end: number): number {
  if (start === end) return Number.NaN;
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    count = 10 * count + digit;
  }
  return count;
}
