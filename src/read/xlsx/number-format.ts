/** What a number means, by the format of its cell. */
export type NumberKind = "number" | "date" | "time" | "duration" | "percent" | "unclear";

/** The kinds for a positive number, a negative one and zero. */
export interface FormatKinds {
  readonly positive: NumberKind;
  readonly negative: NumberKind;
  readonly zero: NumberKind;
  /** Up to how many digits it fills whole numbers up with zeros; 0 if it does not. */
  readonly places?: number | undefined;
  /** The currency that it shows, if it does. */
  readonly currency?: string | undefined;
}

/** Kinds of the built-in formats (ECMA-376 part 1, 18.8.30); all others are numbers. 27 to 36 and 50 to 58 are of East Asia. */
const BUILT_IN: readonly (readonly [number, number, NumberKind])[] = [
  [9, 10, "percent"],
  [14, 17, "date"],
  [18, 21, "time"],
  [22, 22, "date"],
  [27, 31, "date"],
  [32, 35, "time"],
  [36, 36, "date"],
  [45, 47, "duration"],
  [50, 54, "date"],
  [55, 56, "time"],
  [57, 58, "date"],
];

/** Formats from here on are the file's own. */
const FIRST_OWN = 164;
const UNKNOWN: FormatKinds = { positive: "unclear", negative: "unclear", zero: "unclear" };

/** The kinds of a format that the file does not spell out. */
export function builtInKinds(id: number): FormatKinds {
  if (id >= FIRST_OWN) return UNKNOWN;
  const kind = BUILT_IN.find(([first, last]) => id >= first && id <= last)?.[2] ?? "number";
  return { positive: kind, negative: kind, zero: kind };
}

/** The kinds of a format by its code: `dd/mm/yyyy;@`, `[h]:mm`, `0.0%`, `#,##0.00;[Red]-#,##0.00`. */
export function formatKinds(code: string): FormatKinds {
  const written = splitSections(code);
  const sections = written.map(readSection);
  const first = sections[0]?.kind ?? "number";
  const kinds = sections.slice(0, 3).flatMap(({ kind }) => (kind === undefined ? [] : [kind]));
  if (kinds.every((kind) => kind === kinds[0])) {
    const kind = kinds[0] ?? first;
    const places = kind === "number" ? placesOf(written[0] ?? "") : 0;
    return { positive: kind, negative: kind, zero: kind, places, currency: formatCurrency(code) };
  }
  // A section with a condition of its own is not for a sign.
  if (sections.some(({ hasCondition }) => hasCondition)) return UNKNOWN;
  return { positive: first, negative: sections[1]?.kind ?? first, zero: sections[2]?.kind ?? first };
}

/** What a format shows between the digits, which are sent without it: texts, signs, spaces as wide as a sign; and colours. */
const BETWEEN = /"[^"]*"|\\.|[ ()-]|_.|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)\]/gi;

/** The places of a format that fills up with zeros: `00000` shows 1000 as 01000 (ECMA-376 part 1, 18.8.31). */
function placesOf(section: string): number {
  const digits = section.replaceAll(BETWEEN, "");
  // Only zeros before the others fill up.
  return /^0[0#?]+$/.test(digits) ? digits.length : 0;
}

/** Sections are parted by semicolons outside quotes and brackets. */
function splitSections(code: string): string[] {
  return code.match(/(?:"[^"]*"|\\.|\[[^\]]*\]|[^;])+|(?<=;)(?=;|$)/gs) ?? [];
}

interface Section {
  /** `undefined` for one of texts, or an empty one. */
  readonly kind: NumberKind | undefined;
  readonly hasCondition: boolean;
}

/** Literal text, fill and space characters, colours and currencies say nothing. */
const SILENT = /"[^"]*"?|\\.|[_*].|\[\$[^\]]*\]|\[(?![hms]+\])[^\]<>=]*\]/gis;
const CONDITION = /\[[<>=][^\]]*\]/g;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
const GENERAL = /general|standard/gi;
const HALF_DAY = /am\/pm|a\/p/gi;
const EXPONENT = /e[+-]/gi;

function readSection(section: string): Section {
  const plain = section.replaceAll(SILENT, "");
  const hasCondition = CONDITION.test(plain);
  CONDITION.lastIndex = 0;
  const code = plain.replaceAll(CONDITION, "").replaceAll(GENERAL, "0");
  return { kind: kindOf(code), hasCondition };
}

function kindOf(code: string): NumberKind | undefined {
  if (ELAPSED.test(code)) return "duration";
  const hasHalfDay = /am\/pm|a\/p/i.test(code);
  const letters = code.replaceAll(HALF_DAY, "").replaceAll(EXPONENT, "").toLowerCase();
  const hasDay = /[ydgeb]|m{3}/.test(letters);
  const hasHour = letters.includes("h") || hasHalfDay;
  const hasSecond = letters.includes("s");
  const isDate = hasDay || (letters.includes("m") && !hasHour && !hasSecond);
  if (letters.includes("%")) return isDate || hasHour || hasSecond ? "unclear" : "percent";
  if (isDate) return "date";
  if (hasHour) return "time";
  // Minutes and seconds without an hour are how long something took.
  if (hasSecond) return "duration";
  return letters.includes("@") || letters.trim() === "" ? undefined : "number";
}

/** The sign of a currency in brackets, with the language it is written in: `[$€-40C]`. */
const IN_BRACKETS = /\[\$([^\]-]+)(?:-[^\]]*)?\]/;
const SIGN = /\p{Sc}/u;
const SIGN_OF: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£" };

/** The currency that a number format shows (ECMA-376 part 1, 18.8.31); `undefined` if it shows none. */
function formatCurrency(code: string): string | undefined {
  const named = IN_BRACKETS.exec(code)?.[1]?.trim() ?? SIGN.exec(code.replaceAll(/\[[^\]]*\]/g, ""))?.[0];
  return named === undefined || named === "" ? undefined : (SIGN_OF[named] ?? named);
}

/** The currency of each column, by the first of its cells that shows one. */
export class ColumnCurrencies {
  readonly #first = new Map<number, string>();

  /** True for a cell in another currency than those above it. */
  isOther(column: number, currency: string): boolean {
    const first = this.#first.get(column);
    if (first === undefined) this.#first.set(column, currency);
    return first !== undefined && first !== currency;
  }
}
