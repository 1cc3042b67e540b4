import { isSpace } from "../../fields/spaces.ts";
import type { PlacedText } from "./placed-text.ts";

const PLUS = 0x2b;
/** Stands for any run of spaces in a folded text. */
export const SPACE = 0x20;

/**
 * A text in lower case in which any run of spaces and `+` is one space: URLs write a space as `+`, web pages and
 * terminals join spaces, and some services answer in capitals.
 */
export interface FoldedText {
  readonly length: number;
  readonly units: Int32Array;
  /** For each unit, the first and the last of its run, as indexes in the text that was folded. */
  readonly firsts: Int32Array;
  readonly lasts: Int32Array;
}

/** The unit in lower case, if that is a single unit. */
export function lowerCase(unit: number): number {
  if (unit < 0x80) return unit >= 0x41 && unit <= 0x5a ? unit + 0x20 : unit;
  if (unit > 0xffff) return unit;
  const lower = String.fromCharCode(unit).toLowerCase();
  return lower.length === 1 ? lower.charCodeAt(0) : unit;
}

/** Joins every run of spaces, and converts capitals to lower case. */
export function foldSpaces(text: PlacedText): FoldedText {
  const units = new Int32Array(text.length);
  const firsts = new Int32Array(text.length);
  const lasts = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const written = text.units[at]!;
    const unit = written === PLUS || isSpace(written) ? SPACE : lowerCase(written);
    if (unit !== SPACE || length === 0 || units[length - 1] !== SPACE) {
      units[length] = unit;
      firsts[length] = at;
      length++;
    }
    lasts[length - 1] = at;
  }
  return { length, units, firsts, lasts };
}
