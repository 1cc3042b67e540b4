function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function skipDigits(bytes: Buffer, i: number): number {
  while (isDigit(bytes[i])) i++;
  return i;
}

/**
 * The index after the number that begins at `start` (RFC 8259 section 6); for a malformed one `~index` of the byte that
 * should be a digit, or `~start` if it has leading zeros.
 */
export function endOfNumber(bytes: Buffer, start: number): number {
  let i = bytes[start] === 0x2d ? start + 1 : start;
  if (!isDigit(bytes[i])) return ~i;
  if (bytes[i] === 0x30 && isDigit(bytes[i + 1])) return ~start;
  i = skipDigits(bytes, i);
  if (bytes[i] === 0x2e) {
    if (!isDigit(bytes[++i])) return ~i;
    i = skipDigits(bytes, i);
  }
  if (bytes[i] === 0x65 || bytes[i] === 0x45) {
    i++;
    if (bytes[i] === 0x2b || bytes[i] === 0x2d) i++;
    if (!isDigit(bytes[i])) return ~i;
    i = skipDigits(bytes, i);
  }
  return i;
}
