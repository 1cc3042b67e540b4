import type { AmountScan } from "./amount-scan.ts";
import { ANY_MARK, COMMA, DOT } from "./decimal-mark.ts";
import { earlier, isEarlier, type Example } from "../survey/example.ts";

const POINT = 0x2e;
const COMMA_SIGN = 0x2c;
/** Spaces and apostrophes, which are never decimal marks. */
const OTHER = 0;
/** A column that groups its digits would group a number of at least this many digits. */
const LEAST_UNGROUPED = 4;

/** A cell such as `1.459` in a column whose decimal mark is the comma, and the cell that speaks against grouping. */
export interface LoneGroup {
  readonly lone: Example;
  readonly against: Example | undefined;
  readonly isUngrouped: boolean;
}

/**
 * Evidence from a column of amounts about the grouping of its digits: the first cells, whatever the order in which they
 * are read.
 */
export class GroupEvidence {
  /** By the character that certainly groups, treated as the mark that it could be. */
  readonly #grouping: (Example | undefined)[] = [];
  #ungrouped: Example | undefined;
  /** Cells whose only mark may group three digits or begin three decimals, by that mark. */
  readonly #lone: (Example | undefined)[] = [];

  /** For each mark, the first cell that the two marks read differently: as a group or as decimals. */
  get ambiguous(): Example[] {
    const [point, comma] = [this.#lone[DOT], this.#lone[COMMA]];
    const first = earlier(point, comma);
    return [first, first === point ? comma : point].filter((example) => example !== undefined);
  }

  /** Adds what was scanned, unless it is a JSON number. */
  add(scan: AmountScan, line: number): void {
    const { text, group, mark } = scan;
    if (scan.isAmbiguous()) keep(this.#lone, signOf(text.charCodeAt(mark)), line, text);
    else if (group !== 0) keep(this.#grouping, signOf(group), line, text);
    else if ((mark === -1 ? scan.end : mark) - scan.start >= LEAST_UNGROUPED) {
      if (isEarlier(line, text, this.#ungrouped)) this.#ungrouped = { line, value: text };
    }
  }

  /** The first lone group under a decimal mark, if the column does not consistently group by its sign. */
  doubtUnder(mark: number): LoneGroup | undefined {
    const sign = ANY_MARK & ~mark;
    const lone = this.#lone[sign];
    if (lone === undefined) return undefined;
    const against = earlier(this.#ungrouped, this.#grouping[OTHER]);
    if (against === undefined && this.#grouping[sign] !== undefined) return undefined;
    return { lone, against, isUngrouped: against !== undefined && against === this.#ungrouped };
  }
}

function signOf(code: number): number {
  if (code === POINT) return DOT;
  return code === COMMA_SIGN ? COMMA : OTHER;
}

function keep(examples: (Example | undefined)[], sign: number, line: number, value: string): void {
  if (isEarlier(line, value, examples[sign])) examples[sign] = { line, value };
}
