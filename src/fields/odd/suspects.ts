import { showInteger } from "../../model/counts.ts";
import { type Row, type RowProblem, sharesLine } from "../../model/rows.ts";
import type { Notice } from "../../model/reading.ts";
import { quoteWord, showText } from "../../model/text.ts";

/**
 * Why a row is odd: it lacks most cells of the others, it is nothing but numbers or one object, it calls itself a total, it
 * is a line of dashes, or it numbers the columns.
 */
const REASONS = {
  lacks: "the row is unlike all others: it lacks most of what they hold",
  numbers: "the row is unlike all others: it holds nothing but numbers",
  nested: "the row is unlike all others: it holds nothing but an object",
  phrase: "the row looks like a total",
  rule: "the row is a line of signs",
  numbering: "the row numbers the columns",
} as const;
export type OddKind = keyof typeof REASONS;

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

/** Why a row is odd, with the text that shows it. */
export interface Suspicion {
  readonly kind: OddKind;
  readonly text: string;
}

/** The option that answers for rows of a kind. */
export function optionFor(kind: OddKind): "totals" | "sparse" {
  return kind === "lacks" || kind === "numbers" || kind === "nested" ? "sparse" : "totals";
}

/** The option that accepts rows with a text. */
export function keepOption(text: string): string {
  return `--totals ${quoteWord(`keep=${text}`)}`;
}

/** Odd rows that no option decides about. */
interface OpenRows {
  rows: number;
  /** The first lines. */
  readonly lines: number[];
  /** The first texts of those that look like totals. */
  readonly texts: Set<string>;
}

/**
 * The odd rows of an input that are not sent, in file order. Plain data, and little for each row, because a file may have
 * many.
 */
export interface Suspects {
  /** The bytes of the content at which they begin. */
  readonly starts: number[];
  /** Why they are invalid; `undefined` if an option leaves them out. */
  readonly kinds: (OddKind | undefined)[];
  readonly open: Readonly<Record<"totals" | "sparse", OpenRows>>;
}

/** The problem of an odd row; `text` shows it; a row in a file of rejects needs none. */
export function oddProblem(
  { line, record }: Pick<Row, "line" | "record">,
  kind: OddKind,
  text?: string,
): RowProblem {
  const isSparse = optionFor(kind) === "sparse";
  const keep = isSparse
    ? ", --sparse keep sends them"
    : text === undefined
      ? ""
      : `, ${keepOption(text)} sends those with this text`;
  return {
    line,
    ...(record !== undefined && { record }),
    ...(text !== undefined && { value: text }),
    reason: REASONS[kind],
    hint: `--${optionFor(kind)} skip leaves such rows out${keep}`,
  };
}

/** The most lines, and texts, of open rows that are kept. */
export const MOST_LINES = 4;
export const MOST_TEXTS = 8;
/** In more rows than these, a fifth is no footer: the file is read wrongly. */
const MANY_ROWS = 20;
const FIFTH = 5;

/** The odd rows of one input under survey, and the answers that the options give for them. */
export class SurveyedOdd {
  readonly #answers: OddAnswers;
  readonly #isTable: boolean;
  readonly #found: Suspects = { starts: [], kinds: [], open: { totals: openRows(), sparse: openRows() } };
  /** By answer: how many rows it decided about, and the first of them. */
  readonly #decided = new Map<string, { count: number; readonly first: string }>();

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
    if (answer !== undefined) this.#decide(`--${optionFor(kind)} ${answer}`, row, text);
    if (answer === "keep") return undefined;
    this.#found.starts.push(row.start);
    this.#found.kinds.push(answer === "skip" ? undefined : kind);
    if (answer === "skip") return undefined;
    const open = this.#found.open[optionFor(kind)];
    open.rows++;
    if (open.lines.length < MOST_LINES) open.lines.push(row.line);
    if (open.texts.size <= MOST_TEXTS) open.texts.add(text);
    return oddProblem(row, kind, text);
  }

  /** The rows that are not sent; `undefined` if there are none. */
  get suspects(): Suspects | undefined {
    return this.#found.starts.length === 0 ? undefined : this.#found;
  }

  /** Rewords a problem with the advice that settles all odd rows of the file, which has so many rows. */
  reword(problem: RowProblem, rows: number): RowProblem {
    const { hint = "" } = problem;
    const isOdd = /^--(?:totals|sparse) /.test(hint);
    if (!isOdd || rows <= MANY_ROWS || FIFTH * this.#found.starts.length <= rows) return problem;
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

  #answerFor({ kind, text }: Suspicion): "skip" | "keep" | undefined {
    const { totals, sparse } = this.#answers;
    if (optionFor(kind) === "sparse") return sparse;
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

function openRows(): OpenRows {
  return { rows: 0, lines: [], texts: new Set() };
}
