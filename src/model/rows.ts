/** Rows with the same problem: the same reason in the same column. */
export interface ProblemGroup {
  readonly first: RowProblem;
  readonly rows: number;
  /** The first lines, in order. */
  readonly lines: readonly number[];
  /** The first records, in order, if their lines do not identify them. */
  readonly records?: readonly number[];
  /** The first different values. */
  readonly values: readonly string[];
}

const MOST_GROUPS = 500;
/** As many lines and values of each group as a screen shows. */
const [MOST_LINES, MOST_VALUES] = [4, 3];

/** Groups problems that are alike, in bounded memory. */
export class ProblemGroups {
  readonly #groups = new Map<
    string,
    {
      first: RowProblem;
      rows: number;
      lines: number[];
      records: number[];
      values: string[];
    }
  >();
  /** Number of problems in groups beyond the limit. */
  others = 0;

  add(problem: RowProblem): void {
    const { column, header, field, reason, hint, line, record = line, value } = problem;
    const name = `${column} ${header} ${field} ${reason} ${hint}`;
    let group = this.#groups.get(name);
    if (group === undefined) {
      if (this.#groups.size >= MOST_GROUPS) {
        this.others++;
        return;
      }
      group = { first: problem, rows: 0, lines: [], records: [], values: [] };
      this.#groups.set(name, group);
    }
    group.rows++;
    if (group.lines.length < MOST_LINES) {
      group.lines.push(line);
      group.records.push(record);
    }
    if (value !== undefined && group.values.length < MOST_VALUES && !group.values.includes(value))
      group.values.push(value);
  }

  /** The groups in the order in which they first occurred; `reword` may reword the first problem of each. */
  list(reword: (problem: RowProblem) => RowProblem = (problem) => problem): readonly ProblemGroup[] {
    return Array.from(this.#groups.values(), ({ first, records, ...group }) => ({
      ...group,
      ...(records.some((record, at) => sharesLine({ line: group.lines[at]!, record })) ? { records } : {}),
      first: reword(first),
    }));
  }
}

/**
 * A JSON number as the file wrote it, so that no digit is lost to a float.
 * `source` follows the `number` production of RFC 8259 section 6.
 */
export class JsonNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** A cell that has no value a record could hold, so only a dropped column may have one. */
export abstract class UnusableCell {
  abstract readonly reason: string;
  readonly hint?: string;
}

/** A JSON object or array inside a record. */
export class NestedValue extends UnusableCell {
  readonly what: "object" | "array";
  constructor(what: "object" | "array") {
    super();
    this.what = what;
  }

  get reason(): string {
    return `the ${this.what} has no value of its own`;
  }
}

/** A cell of a workbook that holds an error, or a number whose meaning is not certain. */
export class FaultyCell extends UnusableCell {
  /** As it is shown, and written to a rejects file. */
  readonly text: string;
  readonly reason: string;
  override readonly hint: string;
  constructor(text: string, reason: string, hint: string) {
    super();
    this.text = text;
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * One cell as the file holds it. CSV cells are always strings (blank ones are `""`); a workbook's may be numbers too.
 * JSON cells keep their kind; a member that the record does not have is `undefined`.
 */
export type Cell = string | JsonNumber | boolean | null | undefined | NestedValue | FaultyCell;

/** The content of one record of the file. */
export interface Row {
  /** The first physical line of the row, counted from 1; blank lines, comments and titles count. */
  readonly line: number;
  /** The position of a JSON record among those of its list, counted from 1. */
  readonly record?: number;
  /**
   * The byte of the decoded content at which its text begins, and the one after its end: for CSV, after the line end.
   */
  readonly start: number;
  readonly end: number;
  /** By column position; for JSON by the position of the member in {@link RowChunk.columns}. */
  readonly cells: readonly Cell[];
  /** The same cells as stretches of bytes, `width` of them, the first being cell number `firstCell`. */
  readonly spans: CellSpans;
  readonly firstCell: number;
  readonly width: number;
}

/** The cell of a row in a column; `undefined` for a member that the record lacks. */
export function cellOf({ spans, firstCell, width }: Row, column: number): Cell {
  return column < width ? spans.value(firstCell + column) : undefined;
}

/** The cells of some rows as stretches of UTF-8, without the quotes around them. */
export interface CellSpans {
  readonly bytes: Buffer;
  /** True for the cells of a workbook, which have names: `C12`. */
  readonly isSheet?: boolean;
  /** True if between two rows there is nothing but blank lines, comments and rows that cannot be read. */
  readonly areRowsAdjacent: boolean;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** One set of bits per cell: {@link QUOTED}, {@link ESCAPED}, {@link NO_TEXT}, {@link ABSENT}. */
  readonly marks: Uint8Array;
  /** The text of a cell that has text. */
  text(cell: number): string;
  value(cell: number): Cell;
}

/** Set for a cell in quotes. */
export const QUOTED = 1;
/** Set for a cell with an escape in it, so that its bytes are not its text. */
export const ESCAPED = 2;
/** Set for a number of JSON or a workbook, true, false, null (which takes no bytes), and for a member that the record does not have. */
export const NO_TEXT = 4;
/** Set for a member that the record does not have. */
export const ABSENT = 8;

/** Why a row, or one cell of it, cannot be sent. A value in the stream, never an exception. */
export interface RowProblem {
  readonly line: number;
  /** The position of a JSON record among those of its list, counted from 1. */
  readonly record?: number;
  /** 1-based position of the column, if one cell is at fault; members of JSON have none. */
  readonly column?: number;
  /** The name of that cell in a workbook: `C12`. */
  readonly cell?: string;
  /** The header (CSV) or member name (JSON) of that column, as the file has it. */
  readonly header?: string;
  /** The field the column goes to, if it has one. */
  readonly field?: string;
  /** The cell as the file holds it, whole; shown trimmed. */
  readonly value?: string;
  /** One clause for people: `there is no such day`. */
  readonly reason: string;
  /** How to settle it: an option with its value, or what to mend. */
  readonly hint?: string;
}

/** True for a JSON record whose line does not identify it: more records than lines have begun. */
export function sharesLine({ line, record = 0 }: Pick<RowProblem, "line" | "record">): boolean {
  return record > line;
}

/** A row that could not be read at all. */
export interface UnreadableRow extends RowProblem {
  /** The byte of the decoded content at which its text begins, and the one after its end. */
  readonly start: number;
  readonly end: number;
}

/** A row that cannot be sent, and why. */
export interface RejectedRow {
  /** See {@link Row}. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Only set if its key cell could be read and is not empty. */
  readonly key: string | undefined;
  /** The fields that it fills, without the key; only set with a key. */
  readonly fields?: readonly string[] | undefined;
  /** At least one. */
  readonly problems: readonly RowProblem[];
}

/**
 * Consecutive rows in file order, numbered from 0. Most rows never become objects: their facts can be asked for by number.
 */
export interface RowList<Made extends Row = Row> extends Iterable<Made> {
  readonly length: number;
  row(index: number): Made;
  /** As in {@link Row}. */
  line(index: number): number;
  start(index: number): number;
  end(index: number): number;
  spans(index: number): CellSpans;
  firstCell(index: number): number;
  width(index: number): number;
}

/** Consecutive rows in file order, and the rows among them that could not be read at all. */
export interface RowChunk {
  /** Column names in order. For JSON the array grows while reading and is shared by all chunks of one pass. */
  readonly columns: readonly string[];
  readonly rows: RowList;
  readonly unreadable: readonly UnreadableRow[];
  /** The lines in which a CSV repeats its header; these are not rows. */
  readonly headers?: readonly number[];
  /** What the file says about its rows; in the last chunk. */
  readonly remarks?: readonly string[];
}

const MAX_EXPONENT = 400;

/**
 * Writes a JSON number (RFC 8259 section 6) without exponent, digit for digit: `5.51035e5` is `551035`, `1.50e1` is
 * `15.0`. Returns `undefined` if the exponent is beyond 400 either way, or if the text is not a JSON number.
 */
export function expandJsonNumber(source: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source);
  if (match === null) return undefined;
  const [, sign = "", whole = "", fraction = "", exponentText] = match;
  if (exponentText === undefined) return source;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const left = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  const right = point <= 0 ? "0".repeat(-point) + digits : digits.slice(point);
  return `${sign}${left.replace(/^0+(?=\d)/, "")}${right === "" ? "" : `.${right}`}`;
}
