import type { AddAlike } from "../../kernel/evidence.ts";
import { showCount } from "../../model/counts.ts";
import type { Notice } from "../../model/reading.ts";
import type { Cell } from "../../model/rows.ts";
import { quoteText } from "../../model/text.ts";
import { AmountEvidence } from "../amount/amount-evidence.ts";
import { COMMA, scanAmount } from "../amount/amount.ts";
import type { ColumnFault, ColumnsPlace } from "../columns/column-faults.ts";
import { KEY_FIELD } from "../columns/other-columns.ts";
import type { PackedDate } from "../date/calendar.ts";
import { agreeOnOrder, DateEvidence } from "../date/date-evidence.ts";
import { scanDate, ScannedDate } from "../date/date.ts";
import { keyReader, readDigits } from "../key.ts";
import { isFormulaText, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { type FieldType, type FormatPins, readText } from "../type-text.ts";
import type { ColumnDoubt, ColumnEvidence, ColumnFormat, TypedColumn } from "./column-format.ts";

/** Begins the evidence of one column; the field's name makes the hints ready to paste. */
export function collectEvidence(
  type: FieldType,
  pins: FormatPins,
  field: string,
  today: PackedDate,
): ColumnEvidence {
  if (field === KEY_FIELD) {
    const spec = { kind: "key", literals: pins.keyLiterals } as const;
    return { take: keyReader(pins.keyLiterals), alike: () => undefined, settle: () => ({ spec }) };
  }
  switch (type.kind) {
    case "date":
      return new DateEvidence(type, pins, field, today);
    case "amount":
      return new AmountEvidence(type, pins);
    case "digits":
      return { take: readDigits, alike: digitsAlike, settle: () => ({ spec: { kind: "digits" } }) };
    case "text":
      return textEvidence(field, type.isCertain === true);
  }
}

/** Cells of one shape are digits with the same signs between them. */
function digitsAlike(cell: Cell): AddAlike | undefined {
  return readDigits(cell) === showCell(cell).replaceAll(/\D/g, "") ? "nothing" : undefined;
}

/** The formats of the columns of one file, which are settled together, and the questions that only the user can answer. */
export function settleColumns(
  columns: readonly TypedColumn[],
  noun: ColumnsPlace["noun"],
): { readonly formats: readonly ColumnFormat[]; readonly faults: readonly ColumnFault[] } {
  const agreed = agreeOnOrder(columns);
  const formats: ColumnFormat[] = [];
  const faults: ColumnFault[] = [];
  for (const column of columns) {
    const found = column.evidence.settle(column, agreed);
    if ("code" in found) faults.push(askAbout(column, found, noun));
    else formats.push(found);
  }
  return { formats, faults };
}

function askAbout(
  { name }: TypedColumn,
  { code, line, text, options }: ColumnDoubt,
  noun: ColumnsPlace["noun"],
): ColumnFault {
  return {
    code,
    line,
    text: `${noun} ${quoteText(name)}: ${text}`,
    answers: options.length > 1 ? options : undefined,
    remark: options.join(" or "),
  };
}

/** `isCertain`: the user has confirmed the text as it is. */
function textEvidence(field: string, isCertain: boolean): ColumnEvidence {
  const look = new TypedLook();
  const damage = new TextDamage(field);
  return {
    take: (cell, line) => {
      look.add(cell);
      damage.add(cell, line);
      return readText(cell);
    },
    alike: () => undefined,
    settle: () => ({ spec: { kind: "text" } }),
    isIdle: (bytes, start, end) => look.isClosed && isUnremarkable(bytes, start, end),
    notices: (lead) => {
      const notes = damage
        .notices(isCertain)
        .map((note) => Object.assign({}, note, { text: `${lead}: ${note.text}` }));
      const kind = isCertain ? undefined : look.verdict();
      if (kind === undefined) return notes;
      const text = `all values of ${field} read as ${kind}s and are sent as text, unchanged: --type ${field}=${kind} converts them, --type ${field}=text! says that they are meant so`;
      return [{ text, isAlwaysShown: true }, ...notes];
    },
  };
}

// UTF-8 bytes of two or three, read as windows-1252: Ã or Â, or â€, and what a continuation byte looks like in it.
const DECODED_TWICE = /[ÃÂ][\u00a0-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸŽ\u0080-\u009f]|â€[™˜œ“”¦¢\u009d]|â‚¬/;

/** True for text such as `Ã©`, which an earlier export decoded wrongly. */
function isDecodedTwice(text: string): boolean {
  // Most text has none of these letters, and checking that is faster.
  return (text.includes("Ã") || text.includes("Â") || text.includes("â")) && DECODED_TWICE.test(text);
}

/** Damage to a text by an earlier export or a spreadsheet, and the advice on it. */
const DAMAGE = {
  twice: () => "it looks like text decoded twice; export the file again, with one encoding",
  formula: (field: string) =>
    `spreadsheets keep numbers this way; --type ${field}=digits sends the number inside, --type ${field}=text! says that it is meant`,
  apostrophe: (field: string) =>
    `a spreadsheet puts the apostrophe before a number to keep it as text; export the column without it, or --type ${field}=text! says that it is meant`,
} as const;
type Kind = keyof typeof DAMAGE;
const KINDS = Object.keys(DAMAGE) as Kind[];

/** Signs before which spreadsheets put an apostrophe to keep a number as text; `'t Hof` is a name. */
const KEPT_AS_TEXT = /^'[\d+\-=(@]/;

/** Watches a text column for damage. */
export class TextDamage {
  readonly #field: string;
  readonly #seen = new Map<Kind, { count: number; readonly first: string; readonly line: number }>();

  constructor(field: string) {
    this.#field = field;
  }

  add(cell: Cell, line: number): void {
    if (typeof cell !== "string") return;
    const text = trimSpaces(cell);
    const kind = kindOf(text);
    if (kind === undefined) return;
    const seen = this.#seen.get(kind);
    if (seen === undefined) this.#seen.set(kind, { count: 1, first: text, line });
    else seen.count++;
  }

  /** One sentence for each kind that occurred; `isCertain`: the user has confirmed signs of a spreadsheet. */
  notices(isCertain = false): Notice[] {
    return KINDS.flatMap((kind) => {
      const seen = this.#seen.get(kind);
      if (seen === undefined || (kind !== "twice" && isCertain)) return [];
      const { count, first, line } = seen;
      const cells =
        count === 1
          ? `line ${line} holds ${quoteText(first)}`
          : `${showCount(count, "cell")} hold ${quoteText(first)} or the like (the first in line ${line})`;
      return [{ text: `${cells}, sent as it is: ${DAMAGE[kind](this.#field)}`, isAlwaysShown: true }];
    });
  }
}

/** True for bytes in which no damage can be: they begin with a letter, and hold none of the letters `Ã`, `Â` and `â`. */
function isUnremarkable(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start]! | 0x20;
  if (first < 0x61 || first > 0x7a) return false;
  for (let at = start; at < end; at++) {
    const next = bytes[at] === 0xc3 ? bytes[at + 1] : 0;
    if (next === 0x83 || next === 0x82 || next === 0xa2) return false;
  }
  return true;
}

/** Besides text decoded twice, the first character is enough to classify most text. */
function kindOf(text: string): Kind | undefined {
  if (isDecodedTwice(text)) return "twice";
  const first = text.charCodeAt(0);
  if (first === 0x27) return KEPT_AS_TEXT.test(text) ? "apostrophe" : undefined;
  return first === 0x3d && isFormulaText(text) ? "formula" : undefined;
}

/**
 * Watches a text column for a type of its own style: all of its values read as dates with `/`, or as amounts of which at
 * least one has a decimal comma or grouping. The first value that is neither ends the watch.
 */
export class TypedLook {
  #mayBeDate = true;
  #mayBeAmount = true;
  #isMarked = false;
  #isSeen = false;

  /** True once the column certainly holds neither. */
  get isClosed(): boolean {
    return !this.#mayBeDate && !this.#mayBeAmount;
  }

  /** Adds one cell that is not blank. */
  add(cell: Cell): void {
    if (this.isClosed) return;
    const text = typeof cell === "string" ? trimSpaces(cell) : "";
    this.#isSeen = true;
    this.#mayBeDate &&= text.includes("/") && scanDate(text) instanceof ScannedDate;
    const amount = this.#mayBeAmount ? scanAmount(text) : "";
    this.#mayBeAmount = typeof amount !== "string";
    if (typeof amount === "string") return;
    const hasComma = amount.mark !== -1 && (amount.marks === COMMA || amount.isAmbiguous());
    this.#isMarked ||= amount.group !== "" || hasComma;
  }

  /** The type that a notice should propose. */
  verdict(): "date" | "amount" | undefined {
    if (!this.#isSeen) return undefined;
    if (this.#mayBeDate) return "date";
    return this.#mayBeAmount && this.#isMarked ? "amount" : undefined;
  }
}
