import type { AddAlike, EvidenceColumn } from "../../kernel/evidence.ts";
import { showCount } from "../../model/decimal-of.ts";
import type { Cell } from "../../model/problem-groups.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import type { PlannedColumn } from "../columns/column-faults.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import { readDigits } from "../digits.ts";
import { findDamage, isCutNumber, keyReader } from "../key.ts";
import type { TakeCell } from "../record/field-plan.ts";
import { isFormulaText, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { type FieldType, type FormatPins, quoteListed, readText } from "../type-text.ts";
import { collectEvidence, type TypedColumn } from "./settle.ts";
import { looksTyped } from "./typed-look.ts";
import { WidthWatch } from "./width-watch.ts";

const SAMPLES = 3;
/** Stands for a wire value that is not known yet and is not empty. */
const NOT_YET_KNOWN = "?";

/** What the survey knows about one used column, in memory that does not grow with the rows. */
export interface ColumnWatch {
  readonly column: PlannedColumn;
  readonly type: FieldType;
  /**
   * Takes a cell for the survey; for dates and amounts this only decides whether the cell can be read, because the wire
   * value is not known yet.
   */
  readonly take: TakeCell;
  /** See {@link EvidenceColumn}. */
  readonly alike: EvidenceColumn["alike"];
  readonly isIdle: EvidenceColumn["isIdle"];
  /** True if no cell becomes a sample any more. */
  readonly isSampled: () => boolean;
  /** Present if the format has to be settled from all values. */
  readonly typed: TypedColumn | undefined;
  /** The type that a text column seems to have. */
  readonly looksLike: () => "date" | "amount" | undefined;
  readonly samples: readonly Cell[];
  /** Likely damage by a spreadsheet or an earlier export, as sentences that name lines. */
  readonly damage: () => readonly ColumnNote[];
}

/** Begins to watch a column that goes to a field. */
export function watchColumn(column: PlannedColumn, type: FieldType, pins: FormatPins): ColumnWatch {
  const samples: Cell[] = [];
  const field = column.field!;
  const watch = {
    column,
    type,
    samples,
    alike: () => undefined,
    isIdle: () => false,
    isSampled: () => samples.length >= SAMPLES,
    typed: undefined,
    looksLike: () => undefined,
    damage: () => [],
  };
  if (field === KEY_FIELD) {
    return { ...watch, take: sampling(keyReader(pins.keyLiterals), samples) };
  }
  if (type.kind === "text") {
    const look = looksTyped();
    const damage = new TextDamage(field);
    let twice: string | undefined;
    const take: TakeCell = (cell, line) => {
      look.add(cell);
      damage.add(cell, line);
      if (twice === undefined && typeof cell === "string" && isDecodedTwice(cell)) {
        twice = `line ${line} holds ${quoteText(cell)}, which looks like text decoded twice: export the file again, with one encoding`;
      }
      return readText(cell);
    };
    return {
      ...watch,
      take: sampling(take, samples),
      isIdle: (bytes, start, end) => look.isClosed && isUnremarkable(bytes, start, end),
      looksLike: () => (type.isCertain === true ? undefined : look.verdict()),
      damage: () => [
        ...(twice === undefined ? [] : [{ text: twice, isAlwaysShown: true as const }]),
        ...damage.notices(
          samples.some((cell) => typeof cell === "string"),
          type.isCertain === true,
        ),
      ],
    };
  }
  if (type.kind === "digits") {
    const widths = new WidthWatch();
    const take: TakeCell = (cell, line) => {
      const digits = readDigits(cell);
      if (typeof digits === "string") widths.add(digits.length, line);
      return digits;
    };
    const damage = (): ColumnNote[] => {
      const short = widths.describeShort();
      return short === undefined
        ? []
        : [{ text: `${short}: a spreadsheet may have taken leading zeros away` }];
    };
    const alike = (cell: Cell): AddAlike | undefined => {
      const digits = showCell(cell).replaceAll(/\D/g, "");
      return readDigits(cell) === digits
        ? { isSum: false, add: (_, line) => widths.add(digits.length, line) }
        : undefined;
    };
    return { ...watch, take: sampling(take, samples), alike, damage };
  }
  const evidence = collectEvidence(type, pins, field);
  const take: TakeCell = (cell, line) => evidence.add(cell, line) ?? NOT_YET_KNOWN;
  return {
    ...watch,
    take: sampling(take, samples),
    // A date that came before is no new evidence.
    alike: evidence instanceof AmountEvidence ? (cell) => evidence.alike(cell) : () => addNothing,
    typed: { name: column.name, field, type, evidence },
  };
}

const addNothing: AddAlike = { isSum: false, add: () => {} };

// Keeps the first different cells that can be taken.
function sampling(take: TakeCell, samples: Cell[]): TakeCell {
  return (cell, line) => {
    const taken = take(cell, line);
    if (samples.length < SAMPLES && typeof taken === "string" && !isSampled(cell, samples))
      samples.push(cell);
    return taken;
  };
}

function isSampled(cell: Cell, samples: readonly Cell[]): boolean {
  return samples.some((sample) => sample === cell || showCell(sample) === showCell(cell));
}

// UTF-8 bytes of two or three, read as windows-1252: Ã or Â, or â€, and what a continuation byte looks like in it.
const DECODED_TWICE = /[ÃÂ][\u00a0-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸŽ\u0080-\u009f]|â€[™˜œ“”¦¢\u009d]|â‚¬/;

/** True for text such as `Ã©`, which an earlier export decoded wrongly. */
function isDecodedTwice(text: string): boolean {
  // Most text has none of these letters, and checking that is faster.
  return (text.includes("Ã") || text.includes("Â") || text.includes("â")) && DECODED_TWICE.test(text);
}

type Kind = "error" | "noValue" | "false" | "formula" | "apostrophe" | "cut";

interface Seen {
  count: number;
  readonly first: string;
  /** The first lines where it occurs. */
  readonly lines: number[];
}

const MOST_LINES = 3;
const KINDS = ["error", "noValue", "false", "formula", "apostrophe", "cut"] as const;
/** What spreadsheets put before a number to keep it as text; `'t Hof` is a name. */
const KEPT_AS_TEXT = /^'[\d+\-=(@]/;

/** A sentence about a column. */
export interface ColumnNote {
  readonly text: string;
  readonly isAlwaysShown?: true;
}

// Only texts that no person would write: "None" and "-" may be ordinary words.
const NO_VALUE = /^(?:\\N|[([<]?null[)\]>]?|undefined|\[object Object\])$/i;
const LONGEST = "[object Object]".length;
const NO_NUMBER: ReadonlySet<string> = new Set(["NaN", "nan", "NaT", "<NA>"]);

/** Watches a text column for what spreadsheets and databases write in place of a value, in bounded memory. */
export class TextDamage {
  readonly #field: string;
  readonly #seen = new Map<Kind, Seen>();
  #hasTrue = false;

  constructor(field: string) {
    this.#field = field;
  }

  add(cell: Cell, line: number): void {
    if (cell === true) this.#hasTrue = true;
    if (cell === false) this.#note("false", "false", line);
    if (typeof cell !== "string") return;
    const text = trimSpaces(cell);
    const kind = kindOf(text);
    if (kind !== undefined) this.#note(kind, text, line);
  }

  #note(kind: Kind, text: string, line: number): void {
    const seen = this.#seen.get(kind);
    if (seen === undefined) this.#seen.set(kind, { count: 1, first: text, lines: [line] });
    else {
      seen.count++;
      if (seen.lines.length < MOST_LINES) seen.lines.push(line);
    }
  }

  /**
   * One sentence for each kind that occurred; `hasTexts`: whether the column holds texts; `isCertain`: the user said that
   * signs of a spreadsheet are part of them.
   */
  notices(hasTexts: boolean, isCertain = false): ColumnNote[] {
    return KINDS.flatMap((kind) => {
      if (kind === "false" && (this.#hasTrue || !hasTexts)) return [];
      const isSign = kind === "formula" || kind === "apostrophe";
      const seen = this.#seen.get(kind);
      if (seen === undefined || (isSign && isCertain)) return [];
      const text = describe(kind, seen, this.#field);
      return [isSign ? { text, isAlwaysShown: true } : { text }];
    });
  }
}

/**
 * True for bytes in which neither damage nor text decoded twice can be: they begin with a letter, but not as a word for "no
 * value" does, and hold none of the letters `Ã`, `Â` and `â`.
 */
function isUnremarkable(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start]! | 0x20;
  if (first < 0x61 || first > 0x7a || first === 0x6e || first === 0x75) return false;
  for (let at = start; at < end; at++) {
    const next = bytes[at] === 0xc3 ? bytes[at + 1] : 0;
    if (next === 0x83 || next === 0x82 || next === 0xa2) return false;
  }
  return true;
}

/** The first character is enough to classify most text. */
function kindOf(text: string): Kind | undefined {
  const first = text.charCodeAt(0);
  if (first === 0x23) return findDamage(text) === undefined ? undefined : "error";
  if (first === 0x27) return KEPT_AS_TEXT.test(text) ? "apostrophe" : undefined;
  if (first === 0x3d) return isFormulaText(text) ? "formula" : undefined;
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d)
    return isCutNumber(text) ? "cut" : undefined;
  return text.length <= LONGEST && (NO_NUMBER.has(text) || NO_VALUE.test(text)) ? "noValue" : undefined;
}

function describe(kind: Kind, { count, first, lines }: Seen, field: string): string {
  const more = count > lines.length ? " ..." : "";
  const cells =
    count === 1
      ? `line ${lines[0]} holds ${quoteText(first)}`
      : `${showCount(count, "cell")} hold ${quoteText(first)} or the like (lines ${lines.join(", ")}${more})`;
  const leftOut = `--null ${quoteListed(first)} leaves it out`;
  return `${cells}, sent as it is: ${adviceOn(kind, leftOut, field)}`;
}

function adviceOn(kind: Kind, leftOut: string, field: string): string {
  switch (kind) {
    case "error":
      return `a spreadsheet wrote it instead of a value; ${leftOut}`;
    case "noValue":
      return leftOut;
    case "false":
      return `Odoo writes it for no value; ${leftOut}, in every column`;
    case "formula":
      return `spreadsheets keep numbers this way; --type ${field}=digits sends the number inside, --type ${field}=text! says that it is meant`;
    case "apostrophe":
      return `a spreadsheet puts the apostrophe before a number to keep it as text; export the column without it, or --type ${field}=text! says that it is meant`;
    case "cut":
      return "a spreadsheet has cut it, its last digits are lost; export the column again as text";
  }
}
