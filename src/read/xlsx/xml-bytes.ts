const SPACE = 0x20;

/** True for letters, the underscore and everything beyond ASCII: a name may begin with it. */
export function beginsName(byte: number): boolean {
  return byte >= 0x80 || byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

/** By byte, 1 for what a name may hold: also digits, the colon before its own part, the point and the hyphen. */
export const NAME_BYTES = Uint8Array.from({ length: 256 }, (_, byte) =>
  (byte >= 0x30 && byte <= 0x3a) || byte === 0x2d || byte === 0x2e || beginsName(byte) ? 1 : 0,
);

export function startsWith(bytes: Buffer, at: number, mark: Buffer): boolean {
  return bytes.subarray(at, at + mark.length).equals(mark);
}

/** True if something else than spaces and line ends is among the bytes. */
export function holdsText(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! > SPACE) return true;
  return false;
}
