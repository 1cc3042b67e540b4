import { showInteger } from "../../model/counts.ts";
import { type Row, type RowProblem, sharesLine } from "../../model/rows.ts";
import type { Notice } from "../../model/reading.ts";
import { quoteText, quoteWord, showText } from "../../model/text.ts";
import type { OddKind } from "./judge-rows.ts";

/** What happens to rows that call themselves totals, and the like; without an answer they are invalid. */
export interface TotalsAnswer {
  readonly isSkip: boolean;
  /** The texts of rows that are records all the same. */
  readonly kept: ReadonlySet<string>;
}

/** The answers for odd rows. */
export interface OddAnswers {
  readonly totals?: TotalsAnswer;
  /** For rows that lack most of what the others hold. */
  readonly sparse?: "skip" | "keep";
}

/** Why a row is odd, with the text that shows it; a row that lacks something has its first cells, in quotes. */
export interface Suspicion {
  readonly kind: OddKind;
  readonly text: string;
}

/** True for rows that `--sparse` answers for. */
function isSparse(kind: OddKind): boolean {
  return kind === "lacks" || kind === "numbers" || kind === "nested";
}

/** True if an answer takes all rows of a kind as rows. */
export function isKept(kind: OddKind, { sparse }: OddAnswers): boolean {
  return isSparse(kind) && sparse === "keep";
}

/** An odd row that is not sent. */
export interface SuspectRow {
  /** The byte of the content at which it begins. */
  readonly start: number;
  /** The position of a JSON record among those of its list; 0 for other rows. */
  readonly record: number;
  readonly reason: string;
  readonly hint: string;
  /** True if an option leaves it out; otherwise it is invalid. */
  readonly isSkipped: boolean;
}

/** Maximum number of different reasons kept; later ones become a general one, because a file may have one per group. */
const MOST_REASONS = 1000;
const ANY_REASON = { reason: "the row is unlike all others", hint: "look at it in the file" };

/** The odd rows of an input that are not sent, in file order; each takes a few numbers, because a file may have many. */
export class SuspectList {
  /** What a person is asked about them; `undefined` if no single answer settles them. */
  question: OddQuestion | undefined;
  readonly #starts: number[] = [];
  /** Of JSON; otherwise without any. */
  readonly #records: number[] = [];
  /** The number of each row's reason. */
  readonly #reasonOf: number[] = [];
  readonly #reasons: Pick<SuspectRow, "reason" | "hint" | "isSkipped">[] = [
    { ...ANY_REASON, isSkipped: true },
    { ...ANY_REASON, isSkipped: false },
  ];
  readonly #numbers = new Map<string, number>();

  get count(): number {
    return this.#starts.length;
  }

  /** Adds the next row in file order. */
  add({ start, record, reason, hint, isSkipped }: SuspectRow): void {
    if (record > 0) this.#records[this.count] = record;
    this.#starts.push(start);
    const name = `${isSkipped} ${reason}`;
    let number = this.#numbers.get(name);
    if (number === undefined && this.#reasons.length < MOST_REASONS) {
      number = this.#reasons.push({ reason, hint, isSkipped }) - 1;
      this.#numbers.set(name, number);
    }
    this.#reasonOf.push(number ?? (isSkipped ? 0 : 1));
  }

  /** The rows in file order. */
  *rows(): Generator<SuspectRow> {
    for (const [at, start] of this.#starts.entries())
      yield { start, record: this.#records[at] ?? 0, ...this.#reasons[this.#reasonOf[at]!]! };
  }
}

/** The problem of an odd row; `record` is 0, or absent, for a row that is not of JSON. */
export function oddProblem(
  line: number,
  record: number | undefined,
  { reason, hint }: Pick<SuspectRow, "reason" | "hint">,
): RowProblem {
  return record === undefined || record === 0 ? { line, reason, hint } : { line, record, reason, hint };
}

/** The reason for a suspicion, in one clause. */
function explain({ kind, text }: Suspicion): string {
  switch (kind) {
    case "phrase":
      return `the row looks like a total: it calls itself ${quoteText(text)}`;
    case "rule":
      return `the row is a line of signs: ${quoteText(text, 20)}`;
    case "numbering":
      return `the row numbers the columns: it begins with ${quoteText(text)}`;
    case "nested":
      return `the row is unlike all others: it holds nothing but the object ${quoteText(text)}`;
    case "numbers":
      return `the row is unlike all others: it holds nothing but numbers, ${text}`;
    case "lacks":
      return `the row is unlike all others: it holds ${text}, and lacks most of what they hold`;
  }
}

const SKIPS_TOTALS = "--totals skip leaves such rows out";
const SPARSE_HINT = "--sparse skip leaves such rows out, --sparse keep takes them as rows";

/** The option that takes rows with a text as rows. */
function keepOption(text: string): string {
  return `--totals ${quoteWord(`keep=${text}`)}`;
}

/** If there are more odd rows than this, the notice counts the others and does not list them. */
const MOST_LISTED = 20;
/** So many texts that look like totals are one question to a person. */
const MOST_ASKED = 8;
/** Of more rows than these a fifth is no footer: something is read otherwise than it was meant. */
const MANY_ROWS = 20;
const FIFTH = 5;

/** The odd rows that one option decided about. */
interface Decided {
  readonly answer: string;
  count: number;
  readonly listed: string[];
}

/** The question to a person about odd rows that no option decides about. */
export interface OddQuestion {
  readonly rows: number;
  readonly isSparse: boolean;
  /** The options that take them as rows; none if these are too many. */
  readonly keep: readonly string[];
}

/** The odd rows of one input under survey, and the answers that the options give for them. */
export class SurveyedOdd {
  readonly #answers: OddAnswers;
  readonly #isTable: boolean;
  readonly #found = new SuspectList();
  readonly #decided = new Map<string, Decided>();
  /** The rows that no option decides about, and their texts if they look like totals. */
  readonly #open = { totals: 0, sparse: 0, texts: new Set<string>() };
  /** How many of the last rows so far are suspects, and where the last of these begins. */
  #atEnd = 0;
  #lastStart = 0;

  /** `isTable`: the file has lines of cells. */
  constructor(answers: OddAnswers, isTable: boolean) {
    this.#answers = answers;
    this.#isTable = isTable;
  }

  /** True if an option takes an odd row as a row. */
  isKept(suspicion: Suspicion | undefined): boolean {
    return suspicion !== undefined && this.#answerFor(suspicion) === "keep";
  }

  /** Notes an odd row that would otherwise be a record or invalid; returns its problem if no option decides about it. */
  note({ line, record = 0, start }: Row, suspicion: Suspicion): RowProblem | undefined {
    const { kind, text } = suspicion;
    const answer = this.#answerFor(suspicion);
    const option = isSparse(kind) ? "sparse" : "totals";
    this.#lastStart = start;
    this.#atEnd++;
    if (answer !== undefined) this.#decide(`--${option} ${answer}`, { line, record }, text);
    if (answer === "keep") return undefined;
    const hint = isSparse(kind)
      ? SPARSE_HINT
      : `${SKIPS_TOTALS}, ${keepOption(text)} takes those with this text as rows`;
    const row = { start, record, reason: explain(suspicion), hint, isSkipped: answer === "skip" };
    this.#found.add(row);
    if (answer === "skip") return undefined;
    this.#open[option]++;
    if (option === "totals" && this.#open.texts.size <= MOST_ASKED) this.#open.texts.add(text);
    return oddProblem(line, record, row);
  }

  /**
   * Notes that a row has passed that is neither a suspect nor blank, or that cannot be read; for several unreadable
   * rows, only the last has to be noted.
   */
  pass(start: number): void {
    if (start > this.#lastStart) this.#atEnd = 0;
  }

  /** The rows that are not sent; `undefined` if there are none. */
  finish(): SuspectList | undefined {
    if (this.#found.count === 0) return undefined;
    this.#found.question = this.#question();
    return this.#found;
  }

  /** Says of a problem what settles all odd rows of the file, which has so many rows. */
  reword(problem: RowProblem, rows: number): RowProblem {
    const { hint } = problem;
    if (hint !== SPARSE_HINT && hint?.startsWith(SKIPS_TOTALS) !== true) return problem;
    const { count } = this.#found;
    if (rows > MANY_ROWS && FIFTH * count > rows) {
      const header = this.#isTable ? ", or say with --header-line which line holds the names" : "";
      return {
        ...problem,
        hint: `so many rows are unlike the others: mend what they lack in the file${header}; ${hint}`,
      };
    }
    // Only tables have a footer that can be left out by its number of rows.
    if (!this.#isTable || count !== this.#atEnd) return problem;
    const last = count === 1 ? "the last row" : `the last ${count} rows`;
    return { ...problem, hint: `${hint}; --skip-footer ${count} leaves out ${last}` };
  }

  /** Names the odd rows that an option decided about. */
  get notices(): Notice[] {
    return [...this.#decided.values()].map(({ answer, count, listed }) => {
      const isSkipped = answer.endsWith("skip");
      const [what, are] = count === 1 ? ["1 row", "is"] : [`${showInteger(count)} rows`, "are"];
      const done = isSkipped ? "left out" : count === 1 ? "taken as a row" : "taken as rows";
      const more = count > listed.length ? ` and ${showInteger(count - listed.length)} more` : "";
      const text = `${what} unlike all others ${are} ${done} (${answer}): ${listed.join(", ")}${more}`;
      return isSkipped ? { text, isAlwaysShown: true } : { text };
    });
  }

  #question(): OddQuestion | undefined {
    const { totals, sparse, texts } = this.#open;
    if (totals > 0 && sparse > 0) return undefined;
    if (sparse > 0) return { rows: sparse, isSparse: true, keep: ["--sparse keep"] };
    const keep = texts.size > MOST_ASKED ? [] : [...texts].map(keepOption);
    return totals > 0 ? { rows: totals, isSparse: false, keep } : undefined;
  }

  #answerFor({ kind, text }: Suspicion): "skip" | "keep" | undefined {
    const { totals, sparse } = this.#answers;
    if (isSparse(kind)) return sparse;
    if (totals?.kept.has(text) === true) return "keep";
    return totals?.isSkip === true ? "skip" : undefined;
  }

  #decide(answer: string, place: { readonly line: number; readonly record: number }, text: string): void {
    const decided = this.#decided.get(answer) ?? { answer, count: 0, listed: [] };
    this.#decided.set(answer, decided);
    decided.count++;
    if (decided.listed.length >= MOST_LISTED) return;
    const where = sharesLine(place) ? `record ${place.record}` : `line ${place.line}`;
    decided.listed.push(`${where} (${showText(text, 60)})`);
  }
}
