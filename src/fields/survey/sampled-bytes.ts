import type { Cell } from "../../model/row.ts";

/** True if some bytes of UTF-8 are certainly the text of one of the samples. */
export function isAmong(samples: readonly Cell[], bytes: Buffer, start: number, end: number): boolean {
  for (const sample of samples) if (isSame(sample, bytes, start, end)) return true;
  return false;
}

function isSame(sample: Cell, bytes: Buffer, start: number, end: number): boolean {
  if (typeof sample !== "string" || sample.length > end - start) return false;
  let place = start;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    if (code < 0x80) {
      if (bytes[place] !== code) return false;
      place += 1;
    } else if (code < 0x800) {
      if (bytes[place] !== (0xc0 | (code >> 6)) || bytes[place + 1] !== (0x80 | (code & 0x3f))) return false;
      place += 2;
    } else return false;
  }
  return place === end;
}
