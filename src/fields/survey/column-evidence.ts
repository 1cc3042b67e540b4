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
import { isAsciiLetter } from "../plain-texts.ts";
import { isFormulaText, showCell, trimSpaces } from "../spreadsheet-text.ts";
import { type FieldType, type FormatPins, readText, type Unreadable } from "../type-text.ts";
import type { ColumnEvidence, ColumnFormat, Example, TypedColumn } from "./column-format.ts";

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
      return new TextEvidence(field, type.isCertain === true);
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
    if (!("code" in found)) {
      formats.push(found);
      continue;
    }
    const { code, line, text, options } = found;
    faults.push({
      code,
      line,
      text: `${noun} ${quoteText(column.name)}: ${text}`,
      answers: options.length > 1 ? options : undefined,
      remark: options.join(" or "),
    });
  }
  return { formats, faults };
}

/**
 * Evidence from a column of text: damage by an earlier export or a spreadsheet, and whether all of its values read as
 * another type in a style that the service does not take.
 */
class TextEvidence implements ColumnEvidence {
  readonly #field: string;
  /** True if the user has confirmed the text as it is. */
  readonly #isCertain: boolean;
  /** True as long as all values read as dates with `/`, or as amounts. */
  #mayBeDate: boolean;
  #mayBeAmount: boolean;
  /** True once an amount has a decimal comma or groups. */
  #isMarked = false;
  #isSeen = false;
  readonly #damage = new Map<Damage, { count: number; readonly first: Example }>();

  constructor(field: string, isCertain: boolean) {
    this.#field = field;
    this.#isCertain = isCertain;
    this.#mayBeDate = !isCertain;
    this.#mayBeAmount = !isCertain;
  }

  take(cell: Cell, line: number): string | Unreadable {
    const text = typeof cell === "string" ? trimSpaces(cell) : "";
    this.#watchType(text);
    const damage = damageOf(text);
    if (damage !== undefined && (damage === "twice" || !this.#isCertain)) {
      const found = this.#damage.get(damage) ?? { count: 0, first: { line, value: text } };
      found.count++;
      this.#damage.set(damage, found);
    }
    return readText(cell);
  }

  alike(): undefined {}

  settle(): ColumnFormat {
    return { spec: { kind: "text" } };
  }

  // A field, as the kernel calls it without its object.
  readonly isIdle = (bytes: Buffer, start: number, end: number): boolean =>
    !this.#mayBeDate && !this.#mayBeAmount && isUnremarkable(bytes, start, end);

  notices(lead: string): readonly Notice[] {
    const field = this.#field;
    const kind = this.#mayBeDate ? "date" : this.#mayBeAmount && this.#isMarked ? "amount" : undefined;
    const texts =
      kind === undefined || !this.#isSeen
        ? []
        : [
            `all values of ${field} read as ${kind}s and are sent as text, unchanged: --type ${field}=${kind} converts them, --type ${field}=text! says that they are meant so`,
          ];
    for (const [damage, { count, first }] of this.#damage) {
      const cells =
        count === 1
          ? `line ${first.line} holds ${quoteText(first.value)}`
          : `${showCount(count, "cell")} hold ${quoteText(first.value)} or the like (the first in line ${first.line})`;
      texts.push(`${lead}: ${cells}, sent as it is: ${DAMAGE[damage](field)}`);
    }
    return texts.map((text) => ({ text, isAlwaysShown: true }));
  }

  #watchType(text: string): void {
    if (!this.#mayBeDate && !this.#mayBeAmount) return;
    this.#isSeen = true;
    this.#mayBeDate &&= text.includes("/") && scanDate(text) instanceof ScannedDate;
    const amount = this.#mayBeAmount ? scanAmount(text) : "";
    this.#mayBeAmount = typeof amount !== "string";
    if (typeof amount === "string") return;
    const hasComma = amount.mark !== -1 && (amount.marks === COMMA || amount.isAmbiguous());
    this.#isMarked ||= amount.group !== "" || hasComma;
  }
}

// UTF-8 bytes of two or three, read as windows-1252: Ã or Â, or â€, and what a continuation byte looks like in it.
const DECODED_TWICE = /[ÃÂ][\u00a0-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸŽ\u0080-\u009f]|â€[™˜œ“”¦¢\u009d]|â‚¬/;

/** Damage to a text by an earlier export or a spreadsheet, and the advice on it. */
const DAMAGE = {
  twice: () => "it looks like text decoded twice; export the file again, with one encoding",
  formula: (field: string) =>
    `spreadsheets keep numbers this way; --type ${field}=digits sends the number inside, --type ${field}=text! says that it is meant`,
  apostrophe: (field: string) =>
    `a spreadsheet puts the apostrophe before a number to keep it as text; export the column without it, or --type ${field}=text! says that it is meant`,
} as const;
type Damage = keyof typeof DAMAGE;

/** Signs before which spreadsheets put an apostrophe to keep a number as text; `'t Hof` is a name. */
const KEPT_AS_TEXT = /^'[\d+\-=(@]/;

function damageOf(text: string): Damage | undefined {
  // Most text has none of these letters, and looking for them is faster.
  const mayBeTwice = text.includes("Ã") || text.includes("Â") || text.includes("â");
  if (mayBeTwice && DECODED_TWICE.test(text)) return "twice";
  if (text.startsWith("'")) return KEPT_AS_TEXT.test(text) ? "apostrophe" : undefined;
  return text.startsWith("=") && isFormulaText(text) ? "formula" : undefined;
}

/** True for bytes in which no damage can be: they begin with a letter, and hold none of the letters `Ã`, `Â` and `â`. */
function isUnremarkable(bytes: Buffer, start: number, end: number): boolean {
  if (!isAsciiLetter(bytes[start]!)) return false;
  for (let at = start; at < end; at++) {
    const next = bytes[at] === 0xc3 ? bytes[at + 1] : 0;
    if (next === 0x83 || next === 0x82 || next === 0xa2) return false;
  }
  return true;
}
