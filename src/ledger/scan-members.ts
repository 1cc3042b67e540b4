const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING = 0x7d;
const SPACE = 0x20;
/** The bytes of U+00A0, the only space between U+0021 and U+02FF. */
const NO_BREAK_SPACE = [0xc2, 0xa0] as const;
/**
 * The first byte of U+0300, the first combining mark: text with smaller bytes only is in NFC (UAX #15). Added to a byte, `BELOW_MARKS`
 * gives more than a byte holds if it is not smaller.
 */
const FIRST_MARK = 0xcc;
const BELOW_MARKS = 0x100 - FIRST_MARK;

/** Where the values of some members are in the record scanned last. */
export interface MemberSpans {
  /** By slot: the first byte inside the quotes, or -1 if the record has no such member. */
  readonly starts: Int32Array;
  /** By slot: the place after the last byte inside the quotes. */
  readonly ends: Int32Array;
  /** By slot: 1 if the text is certainly in NFC, without escapes, and without spaces at its ends. */
  readonly isPlain: Uint8Array;
  /** Looks at the record whose JSON text begins at `from`. */
  scan(text: Buffer, from: number): void;
}

/**
 * Finds the values of members in records as they are sent: flat objects of strings, as compact JSON in UTF-8 (RFC
 * 8259). Slots follow the order of `names`; members of other names are ignored.
 */
export function scanMembers(names: readonly string[]): MemberSpans {
  const slots = new Map(names.map((name, slot) => [JSON.stringify(name).slice(1, -1), slot]));
  const starts = new Int32Array(names.length);
  const ends = new Int32Array(names.length);
  const isPlain = new Uint8Array(names.length);
  // Records of one plan have their members in the same order, so the next name is usually recognised by its bytes.
  // Indexed by the slot of the member before it plus two: -1 is none, -2 another name.
  const following: (Known | undefined)[] = Array.from({ length: names.length + 2 });

  function scan(text: Buffer, from: number): void {
    starts.fill(-1);
    let at = from + 1;
    let last = -1;
    while (text[at] !== CLOSING) {
      if (text[at] !== QUOTE) at += 1;
      const nameStart = at + 1;
      const known = following[last + 2];
      let slot: number;
      if (known !== undefined && isAt(text, nameStart, known.bytes)) {
        slot = known.slot;
        at = nameStart + known.bytes.length;
      } else {
        const nameEnd = endOfString(text, nameStart);
        slot = slots.get(text.toString("utf8", nameStart, nameEnd)) ?? -2;
        // Includes the closing quote, so that no name matches the start of a longer one.
        const bytes = Buffer.from(text.subarray(nameStart, nameEnd + 1));
        following[last + 2] = { bytes, slot };
        at = nameEnd + 1;
      }
      last = slot;
      const valueStart = at + 2;
      let end = valueStart;
      let bits = 0;
      let hasEscape = false;
      for (let byte = text[end]!; byte !== QUOTE; byte = text[end]!) {
        bits |= byte + BELOW_MARKS;
        if (byte === BACKSLASH) {
          hasEscape = true;
          end += 1;
        }
        end += 1;
      }
      if (slot >= 0) {
        starts[slot] = valueStart;
        ends[slot] = end;
        isPlain[slot] = bits < 0x100 && !hasEscape && isTrimmed(text, valueStart, end) ? 1 : 0;
      }
      at = end + 1;
    }
  }

  return { starts, ends, isPlain, scan };
}

function isTrimmed(text: Buffer, start: number, end: number): boolean {
  const [first, second] = NO_BREAK_SPACE;
  if (text[start] === SPACE || (text[start] === first && text[start + 1] === second)) return false;
  return text[end - 1] !== SPACE && (text[end - 1] !== second || text[end - 2] !== first);
}

interface Known {
  readonly bytes: Buffer;
  readonly slot: number;
}

function isAt(text: Buffer, start: number, bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (text[start + at] !== bytes[at]) return false;
  return true;
}

function endOfString(text: Buffer, start: number): number {
  let at = start;
  while (text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
