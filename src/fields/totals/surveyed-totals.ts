import { showInteger } from "../../model/quantities.ts";
import type { Notice } from "../../model/reading.ts";
import { sharesLine, type Row, type RowProblem } from "../../model/row.ts";
import { showText } from "../../model/visible-text.ts";
import { SuspectList } from "./suspect-list.ts";
import {
  answerFor,
  explainSuspicion,
  SPARSE_HINT,
  totalProblem,
  TOTALS_HINT,
  type Suspicion,
  type SuspectAnswers,
  type TotalsAnswer,
} from "./suspicion.ts";

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
