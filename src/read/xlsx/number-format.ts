import type { FaultKind } from "./cell-faults.ts";

/** What a number means by the format of its cell, or why that is not certain. */
type NumberKind = "number" | "date" | "time" | Extract<FaultKind, "PERCENT" | "DURATION" | "FORMAT">;

/** How the numbers of a cell format are read. */
export interface NumberFormat {
  readonly kind: NumberKind;
  /** Up to how many digits it fills whole numbers up with zeros; 0 if it does not. */
  readonly places: number;
}

/** Kinds of the built-in formats (ECMA-376 part 1, 18.8.30); all others are numbers. 27 to 36 and 50 to 58 are of East Asia. */
const BUILT_IN: readonly (readonly [number, number, NumberKind])[] = [
  [9, 10, "PERCENT"],
  [14, 17, "date"],
  [18, 21, "time"],
  [22, 22, "date"],
  [27, 31, "date"],
  [32, 35, "time"],
  [36, 36, "date"],
  [45, 47, "DURATION"],
  [50, 54, "date"],
  [55, 56, "time"],
  [57, 58, "date"],
];

/** Formats from here on are the file's own. */
const FIRST_OWN = 164;

/** A format that the file does not spell out. */
export function builtInFormat(id: number): NumberFormat {
  if (id >= FIRST_OWN) return { kind: "FORMAT", places: 0 };
  return { kind: BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2] ?? "number", places: 0 };
}

/** Sections are parted by semicolons outside quotes and brackets. */
const SECTIONS = /(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)/gs;

/**
 * The format of a code: `dd/mm/yyyy;@`, `[h]:mm`, `0.0%`, `#,##0.00;[Red]-#,##0.00`. Its sections for positive and negative
 * numbers and zero have to agree; one of texts alone says nothing.
 */
export function formatOf(code: string): NumberFormat {
  const sections = code.match(SECTIONS) ?? [];
  const kinds = sections.slice(0, 3).flatMap((section) => kindOf(section) ?? []);
  const kind = kinds[0] ?? "number";
  if (kinds.some((other) => other !== kind)) return { kind: "FORMAT", places: 0 };
  return { kind, places: kind === "number" ? placesOf(sections[0] ?? "") : 0 };
}

/** What a format shows between the digits, which are sent without it: texts, signs, spaces as wide as a sign; and colours. */
const BETWEEN = /"[^"]*"|\\.|[ ()-]|_.|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]/gi;

/** The places of a format that fills up with zeros: `00000` shows 1000 as 01000 (ECMA-376 part 1, 18.8.31). */
function placesOf(section: string): number {
  const digits = section.replaceAll(BETWEEN, "");
  // Only zeros before the others fill up.
  return /^0[0#?]+$/.test(digits) ? digits.length : 0;
}

/** Literal text, fill and space characters, colours, conditions and currencies say nothing. */
const SILENT = /"[^"]*"?|\\.|[_*].|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gis;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const HALF_DAY = /am\/pm|a\/p/g;

/** The kind of a section; `undefined` for one of texts, or an empty one. */
function kindOf(section: string): NumberKind | undefined {
  const code = section.replaceAll(SILENT, "").toLowerCase();
  if (ELAPSED.test(code)) return "DURATION";
  const letters = code
    .replaceAll(/general|standard/g, "0")
    .replaceAll(HALF_DAY, "h")
    .replaceAll(/e[+-]/g, "");
  const hasHour = letters.includes("h");
  const hasSecond = letters.includes("s");
  const isDate = /[ydgeb]|m{3}/.test(letters) || (letters.includes("m") && !hasHour && !hasSecond);
  if (letters.includes("%")) return isDate || hasHour || hasSecond ? "FORMAT" : "PERCENT";
  if (isDate) return "date";
  if (hasHour) return "time";
  // Minutes and seconds without an hour are how long something took.
  if (hasSecond) return "DURATION";
  return letters.includes("@") || letters.trim() === "" ? undefined : "number";
}
