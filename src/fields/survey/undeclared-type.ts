import { quoteText } from "../../model/refer-to-sheets.ts";
import type { ColumnLook, TypeDoubt } from "../columns/column-faults.ts";
import type { NameKind } from "../columns/name-kinds.ts";

/**
 * What a value is by itself. `moment`: a date, year first, with a time of day; `clocked`: any other date with one; `zeros`: digits
 * with a leading zero or kept as text; `plain`: a number with a decimal point; `styled`: any other amount; `priced` and `lettered`:
 * an amount only if the letters before it are a currency, with and without a mark.
 */
export type ValueForm =
  | "date"
  | "moment"
  | "clocked"
  | "whole"
  | "signed"
  | "zeros"
  | "plain"
  | "styled"
  | "priced"
  | "lettered"
  | "percent"
  | "null"
  | "text";

/** What was seen of the values of a column. */
export interface SeenValues {
  readonly name: NameKind;
  readonly filled: number;
  /** Values that can be read as digits. */
  readonly digits: number;
  readonly counts: Readonly<Record<ValueForm, number>>;
  /** The first value of each form. */
  readonly first: Readonly<Partial<Record<ValueForm, string>>>;
  /** The length of all whole numbers; -1 if they have several, 0 if there is none. */
  readonly width: number;
  /** Whole numbers that are dates without separators. */
  readonly compact: number;
  /** A date of three numbers of one or two digits. */
  readonly short: string | undefined;
  /** A value that begins like what the name says, although it is none. */
  readonly begun: string | undefined;
  /** The texts, if they are a few words; empty for others. */
  readonly words: readonly string[];
}

type Judgement = Pick<ColumnLook, "kind" | "doubt">;

/** Excel's days and the seconds and milliseconds of Unix have so many digits in our times. */
const DAYS: Readonly<Record<number, string>> = { 5: "date:excel", 10: "date:epoch", 13: "date:epoch-ms" };
/** Codes of one length are no amounts from so many digits on. */
const CODE_WIDTH = 4;

/** The type of an undeclared column by all of its values and its name, or why only the user can say it. */
export function judgeType(seen: SeenValues): Judgement {
  const { counts, name, width, first } = seen;
  const filled = seen.filled - counts.null;
  if (filled === 0) return judgeNothing(seen);
  const dates = counts.date + counts.moment + counts.clocked;
  if (dates === filled) return judgeDates(seen);
  const whole = counts.whole + counts.signed + counts.zeros;
  const isDigits = counts.whole + counts.zeros === filled && seen.digits === filled;
  if (whole + counts.plain + counts.styled === filled) {
    if (name === "date") return judgeNumbersAsDates(seen, filled);
    const isCode = name === "number" || (width >= CODE_WIDTH && name !== "amount");
    if (counts.zeros === 0) return certain(isDigits && isCode ? "digits" : "amount");
    if (isDigits && (name !== "amount" || width > 0)) return certain("digits");
    const types = isDigits ? ["digits", "amount", "text"] : ["amount", "text"];
    return ask(`${quoteText(first.zeros!)} has a leading zero, which an amount loses`, types);
  }
  return counts.percent > 0 && counts.percent + whole === filled
    ? certain("text")
    : judgeMixture(seen, filled);
}

function judgeNothing({ filled, first }: SeenValues): Judgement {
  return filled === 0 ? certain("text") : ask(`all that it holds is ${quoteText(first.null!)}`, ["text"]);
}

function judgeDates({ counts, name, short, first }: SeenValues): Judgement {
  if (counts.clocked > 0) {
    return ask(`${quoteText(first.clocked!)} has a time of day, which a date loses`, ["date", "text"]);
  }
  // Every program reads such a moment, and without its time it would be another value.
  if (counts.moment > 0) return certain("text");
  if (short === undefined || name === "date") return certain("date");
  return ask(`${quoteText(short)} may be a number of another kind`, ["date", "text"]);
}

function judgeNumbersAsDates({ counts, compact, width, first }: SeenValues, filled: number): Judgement {
  if (compact === filled) return certain("date");
  const example = first.whole ?? first.zeros ?? first.styled ?? first.plain ?? first.signed!;
  const days = counts.whole === filled ? DAYS[width] : undefined;
  return ask(
    `its name says dates, and ${quoteText(example)} is none as it stands`,
    [days ?? [], "text"].flat(),
  );
}

/** Values of several forms: text, unless the name or many of the values say something else. */
function judgeMixture(seen: SeenValues, filled: number): Judgement {
  const { counts, name, first, begun, words } = seen;
  const dates = counts.date + counts.moment + counts.clocked;
  const styled = counts.styled + counts.priced;
  const amounts = styled + counts.lettered + counts.plain + counts.whole + counts.signed + counts.zeros;
  const isMany = dates + styled >= 2 && (dates + styled) * 3 >= filled;
  const byName = (name === "date" && dates > 0) || (name === "amount" && amounts > 0) || begun !== undefined;
  if (!byName && !isMany) return certain("text");
  const kind = name === "date" || (name !== "amount" && dates > styled) ? "date" : "amount";
  const fitting = kind === "date" ? dates : amounts;
  const odd = first.text ?? first.percent ?? (kind === "date" ? (first.whole ?? first.styled) : first.date);
  const why =
    fitting === 0 && begun !== undefined
      ? `its name says ${kind}s, and ${quoteText(begun)} is none as it stands`
      : `${fitting.toLocaleString("en")} of its ${filled.toLocaleString("en")} values read as ${kind}s${odd === undefined ? "" : `, and ${quoteText(odd)} does not`}`;
  if (fitting === 0) return ask(why, ["text"]);
  return ask(why, fitting * 2 >= filled ? [kind, "text"] : ["text", kind], words);
}

function certain(kind: ColumnLook["kind"]): Judgement {
  return { kind, doubt: undefined };
}

function ask(why: string, types: TypeDoubt["types"], words: TypeDoubt["words"] = []): Judgement {
  return { kind: "text", doubt: { why, types, words } };
}
