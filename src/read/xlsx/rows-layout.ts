import { FaultyCell } from "../../model/problem-groups.ts";
import type { CellWriter } from "./cell-writer.ts";
import type { SharedStrings } from "./shared-strings.ts";

/** Where the texts of cells come from. */
export type Strings = Pick<SharedStrings, "count" | "find" | "write">;

/** What is known of the rows before they are read. */
export interface RowsLayout {
  readonly strings: Strings;
  readonly merged: MergedCells;
  readonly maxRowBytes: number;
}

/** Merged cells; the value of all is in the first one. Rows and columns are counted from 1 and 0. */
export interface MergedRange {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const REFERENCE = /^\$?([A-Z]{1,3})\$?(\d{1,7})(?::\$?([A-Z]{1,3})\$?(\d{1,7}))?$/;

/** Reads a range such as `A1:B3`; `undefined` for anything else. */
export function readRange(reference: string): MergedRange | undefined {
  const [match, left = "", top, right = left, bottom = top] = REFERENCE.exec(reference) ?? [];
  if (match === undefined) return undefined;
  return { top: Number(top), bottom: Number(bottom), left: columnOf(left), right: columnOf(right) };
}

function columnOf(letters: string): number {
  let column = 0;
  for (const letter of letters) column = 26 * column + letter.charCodeAt(0) - 0x40;
  return column - 1;
}

/**
 * Marks the cells of a row that are merged with a filled one above: the sheet has one value for several rows there, and whether
 * all of them have it is not certain. Cells merged along a row are blank, as in a CSV of the sheet.
 */
export class MergedCells {
  /** By first row, falling, so that the next one is the last. */
  readonly #ranges: MergedRange[];
  #open: MergedRange[] = [];
  #row = 0;
  /** The columns that are marked in the row at hand, falling. */
  #columns: number[] = [];

  constructor(ranges: readonly MergedRange[]) {
    this.#ranges = ranges
      .filter(({ top, bottom }) => bottom > top)
      .sort((one, other) => other.top - one.top || other.left - one.left);
  }

  /** To be called before a cell is written. */
  beforeCell(row: number, column: number, writer: CellWriter): void {
    if (this.#ranges.length === 0 && this.#open.length === 0) return;
    if (row !== this.#row || writer.width === 0) this.#beginRow(row);
    this.#mark(column, writer);
    // A range that begins here, and has a value.
    for (let at = this.#ranges.length - 1; at >= 0 && this.#ranges[at]!.top === row; at--) {
      const range = this.#ranges[at]!;
      if (range.left === column && !this.#open.includes(range)) this.#open.push(range);
    }
  }

  /** To be called after the last cell of a row that holds something. */
  endRow(row: number, writer: CellWriter): void {
    if (this.#open.length > 0 && row === this.#row) this.#mark(Infinity, writer);
  }

  #beginRow(row: number): void {
    this.#row = row;
    this.#open = this.#open.filter(({ bottom }) => bottom >= row);
    while (this.#ranges.length > 0 && this.#ranges.at(-1)!.top < row) this.#ranges.pop();
    this.#columns = this.#open
      .filter(({ top }) => top < row)
      .flatMap(({ left, right }) => Array.from({ length: right - left + 1 }, (_, at) => left + at))
      .sort((one, other) => other - one);
  }

  #mark(before: number, writer: CellWriter): void {
    while (this.#columns.length > 0 && this.#columns.at(-1)! < before) {
      const column = this.#columns.pop()!;
      if (column < writer.width) continue;
      writer.beginCell(column);
      writer.token(faultToken("MERGED"));
    }
    if (this.#columns.at(-1) === before) this.#columns.pop();
  }
}

const DAY_MS = 86_400_000;
/** A sum of times may miss midnight by this, in milliseconds; Excel keeps about a tenth of it. */
const MIDNIGHT_NOISE_MS = 0.01;
/** Days from the day before the first serial to 1970. */
const BEFORE_1900 = 25_568;
const FIRST_1904 = 24_107;
const FALSE_LEAP_DAY = 60;
/** 31 December 9999 in days since 1970. */
const LAST_DAY = 2_932_896;

/** A serial number in the text that a CSV has for it, or the token of a fault. */
export interface SerialText {
  readonly text: string;
  readonly isFault: boolean;
}

/** A sheet has the same days again and again. */
const MOST_DAYS_KNOWN = 20_000;

/** The texts of whole days, each made once. */
export class KnownDays {
  readonly #texts = new Map<number, string>();
  readonly #is1904: boolean;

  constructor(is1904: boolean) {
    this.#is1904 = is1904;
  }

  /** The date of a day; `undefined` if it has none. */
  textOf(day: number): string | undefined {
    const known = this.#texts.get(day);
    if (known !== undefined) return known;
    const { text, isFault } = dateText(String(day), this.#is1904);
    if (isFault) return undefined;
    if (this.#texts.size < MOST_DAYS_KNOWN) this.#texts.set(day, text);
    return text;
  }
}

/** A date, with its time where it has one: `2024-03-26`, `2024-03-26T14:30:00`. */
export function dateText(source: string, is1904: boolean): SerialText {
  const { day, ms } = takeApart(source);
  if (!(day >= 0)) return fault("DATE", source);
  if (!is1904 && day === FALSE_LEAP_DAY) return fault("LEAPDAY", source);
  // The 1900 system has no day 0, and counts a day too many from 60 on.
  if (!is1904 && day === 0) return fault("DATE", source);
  const since1970 = is1904 ? day - FIRST_1904 : day - BEFORE_1900 - (day > FALSE_LEAP_DAY ? 1 : 0);
  if (since1970 > LAST_DAY) return fault("DATE", source);
  const date = new Date(since1970 * DAY_MS).toISOString().slice(0, 10);
  return { text: ms === 0 ? date : `${date}T${timeOf(ms)}`, isFault: false };
}

/** A time of day: `14:30:00`. A number of a day or more has a date, which its format hides. */
export function timeText(source: string): SerialText {
  const { day, ms } = takeApart(source);
  return day === 0 ? { text: timeOf(ms), isFault: false } : fault("TIME", source);
}

function takeApart(source: string): { day: number; ms: number } {
  const serial = Number(source);
  const day = Math.floor(serial);
  const exactMs = (serial - day) * DAY_MS;
  const ms = Math.round(exactMs);
  if (ms < DAY_MS) return { day, ms };
  return DAY_MS - exactMs < MIDNIGHT_NOISE_MS ? { day: day + 1, ms: 0 } : { day, ms: DAY_MS - 1 };
}

function timeOf(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, 23);
  return text.endsWith(".000") ? text.slice(0, 8) : text;
}

function fault(what: "DATE" | "LEAPDAY" | "TIME", source: string): SerialText {
  return { text: faultToken(what, source), isFault: true };
}

/** Cells that hold a number, or none, and no value that is certain. */
export type FaultKind =
  | "ERROR"
  | "FORMULA"
  | "PERCENT"
  | "DURATION"
  | "DATE"
  | "LEAPDAY"
  | "TIME"
  | "FORMAT"
  | "NUMBER"
  | "CUT"
  | "CURRENCY"
  | "TEXT"
  | "MERGED";

/** A reason with what the cell holds in place of `?`, and how to settle it. */
const FAULTS: Readonly<Record<Exclude<FaultKind, "ERROR">, readonly [reason: string, hint: string]>> = {
  FORMULA: [
    "the formula has no stored value",
    "open the workbook in Excel and save it once: a program wrote it without calculating",
  ],
  PERCENT: [
    "the cell shows ? as a percentage",
    "give the cell a number format, or write what is meant as a text",
  ],
  DURATION: [
    "the cell shows ? as a duration",
    "give the cell a number format, or write what is meant as a text",
  ],
  DATE: [
    "the cell is formatted as a date, and ? is none",
    "mend the number, or give the cell a number format",
  ],
  LEAPDAY: ["it is 29 February 1900, which never was", "mend the date in the workbook"],
  TIME: [
    "the cell shows a time of day only, and ? has a date too",
    "give the cell a format that shows the date, or keep the time alone",
  ],
  FORMAT: ["the cell's format does not say whether ? is a number or a date", "give the cell a plain format"],
  NUMBER: [
    "? is not a number as a workbook holds it",
    "write it in the workbook again, as a text if its zeros count",
  ],
  CUT: [
    "a spreadsheet keeps 15 digits, and ? may have had more",
    "write it in the workbook again, as a text, where it is an identifier",
  ],
  CURRENCY: [
    "the cell shows ?, and those above it another currency",
    "give each currency a column of its own, or a workbook of its own",
  ],
  TEXT: ["the text holds a character that is none", "write the text in the workbook again"],
  MERGED: [
    "the cell is merged with the one above it",
    "unmerge the cells, and write the value into each that has it",
  ],
};

/** How a faulty cell is written among the rows: without quotes, which no text is. */
export function faultToken(kind: Exclude<FaultKind, "ERROR">, source = ""): string {
  return source === "" ? `#${kind}!` : `#${kind}! ${source.replaceAll(/[",\r\n]/g, " ")}`;
}

/** How a cell that is true or false is written. */
export function truthToken(source: string): string {
  const text = source.trim();
  if (text === "1" || text === "true") return "true";
  return text === "0" || text === "false" ? "false" : faultToken("NUMBER", text);
}

/** The token of a cell with an error: the error itself. */
export function errorToken(error: string): string {
  const plain = error.trim().replaceAll(/[",\r\n]/g, " ");
  return plain.startsWith("#") ? plain : `#${plain}`;
}

/** The faulty cell that a token stands for. */
export function readFault(token: string): FaultyCell {
  const [, kind = "", source = ""] = /^#([A-Z]+)!(?: (.*))?$/s.exec(token) ?? [];
  const fault = FAULTS[kind as keyof typeof FAULTS];
  return fault === undefined
    ? new FaultyCell(
        token,
        `the cell holds the error ${token}`,
        "mend the cell or its formula in the workbook",
      )
    : new FaultyCell(token, fault[0].replace("?", source), fault[1]);
}
