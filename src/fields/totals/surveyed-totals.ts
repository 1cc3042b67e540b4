import { showInteger } from "../../model/quantities.ts";
import type { Notice } from "../../model/reading.ts";
import { sharesLine, type Row, type RowProblem } from "../../model/row.ts";
import { showText } from "../../model/visible-text.ts";
import { SuspectList } from "./suspect-list.ts";
import {
  explainSuspicion,
  totalProblem,
  TOTALS_HINT,
  type Suspicion,
  type TotalsAnswer,
} from "./suspicion.ts";

/** If there are more suspects than this, the notice counts the others and does not list them. */
const MOST_LISTED = 20;

/** The suspects of one input under survey, and the answer that the options give for them. */
export class SurveyedTotals {
  readonly answer: TotalsAnswer | undefined;
  readonly #found = new SuspectList();
  readonly #listed: string[] = [];
  #kept = 0;
  /** How many of the last rows so far are suspects, and where the last of these begins. */
  #atEnd = 0;
  #lastStart = 0;

  constructor(answer: TotalsAnswer | undefined) {
    this.answer = answer;
  }

  /** Notes a suspect that would otherwise be a record or invalid; returns its problem if no option decides about it. */
  note({ line, record = 0, start }: Row, suspicion: Suspicion): RowProblem | undefined {
    const reason = explainSuspicion(suspicion);
    const place = sharesLine({ line, record }) ? `record ${record}` : `line ${line}`;
    // Only tables have a footer that can be left out by its number of rows.
    if (record === 0) this.#atEnd++;
    this.#lastStart = start;
    if (this.#listed.length < MOST_LISTED) this.#listed.push(`${place} (${shorten(suspicion)})`);
    if (this.answer === "keep") this.#kept++;
    else this.#found.add({ start, record, reason });
    return this.answer === undefined ? totalProblem(line, record, reason, TOTALS_HINT) : undefined;
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
    if (this.answer === undefined && list.count === this.#atEnd) {
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
    const count = this.#kept + this.#found.count;
    if (this.answer === undefined || count === 0) return [];
    const rows =
      count === 1
        ? "1 row that looks like a total is"
        : `${showInteger(count)} rows that look like totals are`;
    const done = this.answer === "skip" ? "left out" : count === 1 ? "taken as a row" : "taken as rows";
    const more = count > this.#listed.length ? ` and ${count - this.#listed.length} more` : "";
    return [{ text: `${rows} ${done} (--totals ${this.answer}): ${this.#listed.join(", ")}${more}` }];
  }
}

function shorten(suspicion: Suspicion): string {
  if (suspicion.kind === "sum") return `${suspicion.field} is a sum`;
  if (suspicion.kind === "heading") return suspicion.words;
  return showText(suspicion.kind === "phrase" ? suspicion.phrase : suspicion.text, 40);
}
