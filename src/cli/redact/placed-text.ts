/** Bytes that form no character are represented by units from here on, so that they equal none. */
export const FIRST_BYTE = 0x110000;

/** A text as UTF-16 units and, for each of them, the part of the source in which it is written. */
export interface PlacedText {
  readonly length: number;
  readonly units: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** A text as it is written: each unit is its own part of the source. */
export function placeText(text: string): PlacedText {
  const { length } = text;
  const units = new Int32Array(length);
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  for (let at = 0; at < length; at++) {
    units[at] = text.charCodeAt(at);
    starts[at] = at;
    ends[at] = at + 1;
  }
  return { length, units, starts, ends };
}
