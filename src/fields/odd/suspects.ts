import { showInteger } from "../../model/counts.ts";
import { type Row, type RowProblem, sharesLine } from "../../model/rows.ts";
import type { Notice } from "../../model/reading.ts";
import { quoteText, quoteWord, showText } from "../../model/text.ts";

/**
 * Why a row is unlike all others: it lacks most of their cells, it is nothing but numbers or one object, it calls itself a
 * total, it is a line of dashes, or it numbers the columns.
 */
export type OddKind = (typeof KINDS)[number];
const KINDS = ["lacks", "numbers", "nested", "phrase", "rule", "numbering"] as const;

/** The answer for rows that call themselves totals, and the like; without an answer they are invalid. */
export interface TotalsAnswer {
  readonly isSkip: boolean;
  /** The texts of rows that are records all the same. */
  readonly kept: ReadonlySet<string>;
}

/** The answers for odd rows. */
export interface OddAnswers {
  readonly totals?: TotalsAnswer;
  /** For rows that lack most cells of the others. */
  readonly sparse?: "skip" | "keep";
}

/** Why a row is odd, with the text that shows it; for a row that lacks cells, its first cells in quotes. */
export interface Suspicion {
  readonly kind: OddKind;
  readonly text: string;
}

/** True for rows that `--sparse` answers for. */
function isSparse(kind: OddKind): boolean {
  return kind === "lacks" || kind === "numbers" || kind === "nested";
}

/** True if an answer accepts all rows of a kind. */
export function isKept(kind: OddKind, { sparse }: OddAnswers): boolean {
  return isSparse(kind) && sparse === "keep";
}

/**
 * The odd rows of an input that are not sent, in file order. Plain data, and a few numbers for each row, because a file may have
 * many.
 */
export interface Suspects {
  /** The bytes of the content at which they begin. */
  readonly starts: number[];
  /** The numbers of their kinds; below 0 if an option leaves them out; the others are invalid. */
  readonly kinds: number[];
  /** The question to a person; `undefined` if no single answer settles all of them. */
  question: OddQuestion | undefined;
}

/** Finds the odd rows of an input in a further pass, which asks for each row in file order. */
export class SuspectSearch {
  readonly #suspects: Suspects;
  #next = 0;

  constructor(suspects: Suspects) {
    this.#suspects = suspects;
  }

  /** True if the row that begins there is the next odd one. */
  isNext(start: number): boolean {
    return this.#suspects.starts[this.#next] === start;
  }

  /** Passes the next odd row; returns why it is invalid, `undefined` if an option leaves it out. */
  pass({ line, record = 0 }: Pick<Row, "line" | "record">): RowProblem | undefined {
    const kind = this.#suspects.kinds[this.#next++]!;
    return kind < 0 ? undefined : { line, ...oddProblem(record, KINDS[kind]!) };
  }
}

/** The problem of an odd row; `text` shows it; a row in a file of rejects needs none. */
function oddProblem(record: number, kind: OddKind, text?: string): Omit<RowProblem, "line"> {
  const hint = isSparse(kind)
    ? SPARSE_HINT
    : text === undefined
      ? SKIPS_TOTALS
      : `${SKIPS_TOTALS}, ${keepOption(text)} sends those with this text`;
  return { ...(record === 0 ? {} : { record }), reason: explain(kind, text), hint };
}

/** The reason for a suspicion, in one clause. */
function explain(kind: OddKind, text: string | undefined): string {
  const quoted = text === undefined ? "" : quoteText(text, kind === "rule" ? 20 : undefined);
  const shows = (how: string, what = quoted): string => (text === undefined ? "" : `${how} ${what}`);
  switch (kind) {
    case "phrase":
      return `the row looks like a total${shows(": it calls itself")}`;
    case "rule":
      return `the row is a line of signs${shows(":")}`;
    case "numbering":
      return `the row numbers the columns${shows(": it begins with")}`;
    case "nested":
      return `the row is unlike all others: it holds nothing but ${text === undefined ? "an object" : `the object ${quoted}`}`;
    case "numbers":
      return `the row is unlike all others: it holds nothing but numbers${shows(",", text)}`;
    case "lacks":
      return `the row is unlike all others: it${shows(" holds", `${text}, and`)} lacks most of what they hold`;
  }
}

const SKIPS_TOTALS = "--totals skip leaves such rows out";
const SPARSE_HINT = "--sparse skip leaves such rows out, --sparse keep sends them";

/** The option that accepts rows with a text. */
function keepOption(text: string): string {
  return `--totals ${quoteWord(`keep=${text}`)}`;
}

/** With more texts that look like totals, a person is asked no question. */
const MOST_ASKED = 8;
/** In more rows than these, a fifth is no footer: the file is read wrongly. */
const MANY_ROWS = 20;
const FIFTH = 5;

/** The question to a person about odd rows that no option decides about. */
export interface OddQuestion {
  readonly rows: number;
  readonly isSparse: boolean;
  /** The options that accept them; none if these are too many. */
  readonly keep: readonly string[];
}

/** The odd rows of one input under survey, and the answers that the options give for them. */
export class SurveyedOdd {
  readonly #answers: OddAnswers;
  readonly #isTable: boolean;
  readonly #found: Suspects = { starts: [], kinds: [], question: undefined };
  /** By answer: how many rows it decided about, and the first of them. */
  readonly #decided = new Map<string, { count: number; readonly first: string }>();
  /** The rows that no option decides about, and their texts if they look like totals. */
  readonly #open = { totals: 0, sparse: 0, texts: new Set<string>() };
  /** `isTable`: the file has lines of cells. */
  constructor(answers: OddAnswers, isTable: boolean) {
    this.#answers = answers;
    this.#isTable = isTable;
  }

  /** True if an option accepts an odd row. */
  isKept(suspicion: Suspicion | undefined): boolean {
    return suspicion !== undefined && this.#answerFor(suspicion) === "keep";
  }

  /** Notes an odd row that would otherwise be a record or invalid; returns its problem if no option decides about it. */
  note(row: Row, suspicion: Suspicion): RowProblem | undefined {
    const { kind, text } = suspicion;
    const answer = this.#answerFor(suspicion);
    const option = isSparse(kind) ? "sparse" : "totals";
    if (answer !== undefined) this.#decide(`--${option} ${answer}`, row, text);
    if (answer === "keep") return undefined;
    const number = KINDS.indexOf(kind);
    this.#found.starts.push(row.start);
    this.#found.kinds.push(answer === "skip" ? ~number : number);
    if (answer === "skip") return undefined;
    this.#open[option]++;
    if (option === "totals" && this.#open.texts.size <= MOST_ASKED) this.#open.texts.add(text);
    return { line: row.line, ...oddProblem(row.record ?? 0, kind, text) };
  }

  /** The rows that are not sent; `undefined` if there are none. */
  finish(): Suspects | undefined {
    if (this.#found.starts.length === 0) return undefined;
    this.#found.question = this.#question();
    return this.#found;
  }

  /** Rewords a problem with the advice that settles all odd rows of the file, which has so many rows. */
  reword(problem: RowProblem, rows: number): RowProblem {
    const { hint } = problem;
    if (hint !== SPARSE_HINT && hint?.startsWith(SKIPS_TOTALS) !== true) return problem;
    if (rows <= MANY_ROWS || FIFTH * this.#found.starts.length <= rows) return problem;
    const header = this.#isTable ? ", or say with --header-line which line holds the names" : "";
    const lead = `so many rows are unlike the others: mend what they lack in the file${header}`;
    return { ...problem, hint: `${lead}; ${hint}` };
  }

  /** Names the odd rows that an option decided about. */
  get notices(): Notice[] {
    return [...this.#decided].map(([answer, { count, first }]) => {
      const isSkipped = answer.endsWith("skip");
      const [what, are] = count === 1 ? ["1 row", "is"] : [`${showInteger(count)} rows`, "are"];
      const done = isSkipped ? "left out" : count === 1 ? "taken as a row" : "taken as rows";
      const more = count > 1 ? ` and ${showInteger(count - 1)} more` : "";
      const text = `${what} unlike all others ${are} ${done} (${answer}): ${first}${more}`;
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

  #decide(answer: string, { line, record = 0 }: Row, text: string): void {
    const where = sharesLine({ line, record }) ? `record ${record}` : `line ${line}`;
    const decided = this.#decided.get(answer) ?? { count: 0, first: `${where} (${showText(text, 60)})` };
    this.#decided.set(answer, decided);
    decided.count++;
  }
}
