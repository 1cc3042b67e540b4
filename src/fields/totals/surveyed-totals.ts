import { showInteger } from "../../model/decimal-of.ts";
import { type Row, type RowProblem, sharesLine } from "../../model/problem-groups.ts";
import type { Notice } from "../../model/reading.ts";
import { quoteText, showText } from "../../model/refer-to-sheets.ts";

const FIRST_BYTES = 64;
const SEVEN_BITS = 0x80;
/** Maximum number of different reasons kept; later ones become a general one, because a file may have one per group. */
const MOST_REASONS = 1000;
const ANY_REASONS = [
  { reason: "the row looks like a total", isSparse: false },
  { reason: "the row is unlike all others", isSparse: true },
] as const;

/** A row that looks like a total, or holds too little for a row. */
export interface SuspectRow {
  /** The byte of the content at which it begins. */
  readonly start: number;
  /** The position of a JSON record among those of its list; 0 for other rows. */
  readonly record: number;
  readonly reason: string;
  /** True for a row that holds too little: another option answers for it. */
  readonly isSparse: boolean;
}

/** The rows of an input that look like totals, in file order; each takes a few bytes, because a file may have many. */
export class SuspectList {
  /** The hint that names the options that settle those that look like totals. */
  hint = TOTALS_HINT;
  count = 0;
  /** How many of them hold too little. */
  sparse = 0;
  #bytes = Buffer.alloc(FIRST_BYTES);
  #used = 0;
  #last = 0;
  #lastRecord = 0;
  readonly #reasons: Pick<SuspectRow, "reason" | "isSparse">[] = [...ANY_REASONS];
  readonly #numbers = new Map<string, number>();

  /** Adds the next row in file order. */
  add({ start, record, reason, isSparse }: SuspectRow): void {
    this.count++;
    if (isSparse) this.sparse++;
    this.#write(start - this.#last);
    this.#last = start;
    this.#write(record - this.#lastRecord);
    this.#lastRecord = record;
    let number = this.#numbers.get(reason) ?? (isSparse ? 1 : 0);
    if (number < ANY_REASONS.length && this.#reasons.length < MOST_REASONS) {
      number = this.#reasons.push({ reason, isSparse }) - 1;
      this.#numbers.set(reason, number);
    }
    this.#write(number);
  }

  /** The rows in file order. */
  *rows(): Generator<SuspectRow> {
    let at = 0;
    const bytes = this.#bytes;
    const read = (): number => {
      let number = 0;
      for (let factor = 1; ; factor *= SEVEN_BITS) {
        const byte = bytes[at++]!;
        number += (byte % SEVEN_BITS) * factor;
        if (byte < SEVEN_BITS) return number;
      }
    };
    let start = 0;
    let record = 0;
    while (at < this.#used) {
      start += read();
      record += read();
      yield { start, record, ...this.#reasons[read()]! };
    }
  }

  #write(number: number): void {
    if (this.#used + 8 > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], 2 * this.#bytes.length);
    let rest = number;
    for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS)) {
      this.#bytes[this.#used++] = (rest % SEVEN_BITS) + SEVEN_BITS;
    }
    this.#bytes[this.#used++] = rest;
  }
}

/** Why a row looks like a total or a remark. */
export type Suspicion =
  | { readonly kind: "phrase"; readonly phrase: string }
  /** A field holds the sum of rows above. */
  | { readonly kind: "sum"; readonly field: string }
  /** Its only cell is text, unlike in all rows before. */
  | { readonly kind: "remark"; readonly text: string }
  /** Few words, and nothing that makes the rows before what they are; each in quotes. */
  | { readonly kind: "heading"; readonly words: string }
  /** A line of dashes. */
  | { readonly kind: "rule"; readonly text: string }
  /** A JSON record that holds nothing but one object. */
  | { readonly kind: "nested"; readonly member: string }
  /** It lacks most of what the other rows hold; its first cells, in quotes. */
  | { readonly kind: "sparse"; readonly words: string };

/** True for a row of words, which ends no stretch of rows that a total adds up. */
export function isWords({ kind }: Suspicion): boolean {
  return kind === "remark" || kind === "heading";
}

/** The user's choice for suspects; without it they are invalid. */
export type TotalsAnswer = "skip" | "keep";

/** The answers for rows that look like totals, and for rows that hold too little. */
export interface SuspectAnswers {
  readonly totals?: TotalsAnswer;
  readonly sparse?: TotalsAnswer;
}

/** The hints that settle any suspect. */
export const TOTALS_HINT = "--totals skip leaves such rows out, --totals keep takes them as rows";
export const SPARSE_HINT = "--sparse skip leaves such rows out, --sparse keep takes them as rows";

/** The problem of a row that looks like a total; `record` is 0, or absent, for a row that is not of JSON. */
export function totalProblem(
  line: number,
  record: number | undefined,
  reason: string,
  hint: string,
): RowProblem {
  return record === undefined || record === 0 ? { line, reason, hint } : { line, record, reason, hint };
}

/** The answer for a suspect. */
export function answerFor(isSparse: boolean, { totals, sparse }: SuspectAnswers): TotalsAnswer | undefined {
  return isSparse ? sparse : totals;
}

/** The reason for a suspicion, in one clause. */
function explainSuspicion(suspicion: Suspicion): string {
  switch (suspicion.kind) {
    case "phrase":
      return `the row looks like a total: it begins with ${quoteText(suspicion.phrase)}`;
    case "sum":
      return `the row looks like a total: its ${suspicion.field} is the sum of rows above, and it holds little else`;
    case "remark":
      return `the row looks like a remark: it holds ${quoteText(suspicion.text, 60)} alone, and the rows before hold more`;
    case "heading":
      return `the row looks like a heading or a remark: it holds only ${suspicion.words}, no date and no amount`;
    case "rule":
      return `the row is a line of signs: ${quoteText(suspicion.text, 20)}`;
    case "nested":
      return `the row is unlike all others: it holds nothing but the object ${quoteText(suspicion.member)}`;
    case "sparse":
      return `the row is unlike all others: it holds ${suspicion.words}, and lacks most of what they hold`;
  }
}

/** If there are more suspects than this, the notice counts the others and does not list them. */
const MOST_LISTED = 20;

/** The suspects that one option decided about. */
interface Decided {
  count: number;
  readonly listed: string[];
}

/** The suspects of one input under survey, and the answers that the options give for them. */
export class SurveyedTotals {
  readonly #answers: SuspectAnswers;
  readonly #found = new SuspectList();
  readonly #decided = {
    totals: { count: 0, listed: [] } as Decided,
    sparse: { count: 0, listed: [] } as Decided,
  };
  /** How many of the last rows so far are suspects, and where the last of these begins. */
  #atEnd = 0;
  #lastStart = 0;

  constructor(answers: SuspectAnswers) {
    this.#answers = answers;
  }

  /** True if an option takes a suspect as a row. */
  isKept(suspicion: Suspicion | undefined): boolean {
    return suspicion !== undefined && answerFor(isSparse(suspicion), this.#answers) === "keep";
  }

  /** Notes a suspect that would otherwise be a record or invalid; returns its problem if no option decides about it. */
  note({ line, record = 0, start }: Row, suspicion: Suspicion): RowProblem | undefined {
    const reason = explainSuspicion(suspicion);
    const isOfSparse = isSparse(suspicion);
    const answer = answerFor(isOfSparse, this.#answers);
    const place = sharesLine({ line, record }) ? `record ${record}` : `line ${line}`;
    // Only tables have a footer that can be left out by its number of rows.
    if (record === 0) this.#atEnd++;
    this.#lastStart = start;
    if (answer !== undefined) {
      const decided = this.#decided[isOfSparse ? "sparse" : "totals"];
      decided.count++;
      if (decided.listed.length < MOST_LISTED) decided.listed.push(`${place} (${shorten(suspicion)})`);
    }
    if (answer !== "keep") this.#found.add({ start, record, reason, isSparse: isOfSparse });
    const hint = isOfSparse ? SPARSE_HINT : TOTALS_HINT;
    return answer === undefined ? totalProblem(line, record, reason, hint) : undefined;
  }

  /**
   * Notes that a row has passed that is neither a suspect nor blank, or that cannot be read; for several unreadable
   * rows, only the last has to be noted.
   */
  pass(start: number): void {
    if (start > this.#lastStart) this.#atEnd = 0;
  }

  /**
   * The rows that are not sent; `undefined` if there are none. The hints in `problems` are replaced by the one for the
   * whole list.
   */
  finish(problems: RowProblem[]): SuspectList | undefined {
    const list = this.#found;
    if (list.count === 0) return undefined;
    if (this.#answers.totals === undefined && list.count === this.#atEnd) {
      const hint = `${TOTALS_HINT}; --skip-footer ${list.count} leaves out the last ${list.count === 1 ? "row" : `${list.count} rows`}`;
      list.hint = hint;
      for (const [at, problem] of problems.entries()) {
        if (problem.hint === TOTALS_HINT) problems[at] = { ...problem, hint };
      }
    }
    return list;
  }

  /** Names the suspects that an option decided about. */
  get notices(): Notice[] {
    const { totals, sparse } = this.#answers;
    return [
      ...notice(this.#decided.totals, "totals", totals, ["looks like a total", "look like totals"]),
      ...notice(this.#decided.sparse, "sparse", sparse, ["is unlike all others", "are unlike all others"]),
    ];
  }
}

function notice(
  { count, listed }: Decided,
  option: string,
  answer: TotalsAnswer | undefined,
  [one, several]: readonly [string, string],
): Notice[] {
  if (count === 0) return [];
  const rows = count === 1 ? `1 row that ${one} is` : `${showInteger(count)} rows that ${several} are`;
  const done = answer === "skip" ? "left out" : count === 1 ? "taken as a row" : "taken as rows";
  const more = count > listed.length ? ` and ${count - listed.length} more` : "";
  const text = `${rows} ${done} (--${option} ${answer}): ${listed.join(", ")}${more}`;
  return [{ text, ...(answer === "skip" ? { isAlwaysShown: true } : {}) }];
}

function isSparse({ kind }: Suspicion): boolean {
  return kind === "sparse" || kind === "nested";
}

function shorten(suspicion: Suspicion): string {
  if (suspicion.kind === "sum") return `${suspicion.field} is a sum`;
  if (suspicion.kind === "nested") return suspicion.member;
  if (suspicion.kind === "heading" || suspicion.kind === "sparse") return suspicion.words;
  return showText(suspicion.kind === "phrase" ? suspicion.phrase : suspicion.text, 40);
}
