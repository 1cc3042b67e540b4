import { RecPushError } from "../../model/failure.ts";
import { type Cell, cellOf, NestedValue, type Row } from "../../model/problem-groups.ts";
import { quoteText } from "../../model/refer-to-sheets.ts";
import { showCell } from "../spreadsheet-text.ts";
import { filledColumns, hasOwnData, isFilled, textAt, type WatchedColumns } from "./rows-so-far.ts";
import type { SuspectAnswers, Suspicion } from "./surveyed-totals.ts";
import { isTotalPhrase } from "./total-phrase.ts";

/** The odd rows of an input in file order: where each begins, and why it is odd. */
export type FoundOdd = ReadonlyMap<number, OddKind>;

/** The rows that say what a proper row holds. */
const SAMPLE = 256;
/** In a smaller sample, a row is compared with the others and not with itself. */
const FEW_ROWS = 20;
/** So many odd rows are no slip of a program: they stop the run, and need not be kept. */
const MOST_ODD = 100_000;
const MOST_VERDICTS = 4096;

/**
 * Finds the rows of one input that are unlike all others, in one pass, by the looks of a sample. Each row is judged by the
 * sample so far, and those that were found are judged once more at the end, by the sample of the whole file. Rows that are
 * surveyed many at a time have a key, or a date and a number of their own, and are never odd. Once odd rows are known, it
 * only names them.
 */
export class OddRows {
  #columns: WatchedColumns;
  readonly #file: string;
  readonly #answers: SuspectAnswers;
  readonly #known: FoundOdd | undefined;
  readonly #sample: string[] = [];
  /** The rows of the first sample, which are judged at the end. */
  readonly #first: { readonly look: string; readonly start: number }[] = [];
  readonly #found: { readonly look: string; readonly start: number }[] = [];
  readonly #verdicts = new Map<string, OddKind | undefined>();
  #profile: Profile | undefined;
  #count = 0;
  /** The number of the row that is sampled next. */
  #next = 0;

  /** `known`: what an earlier survey of the same rows found. */
  constructor(columns: WatchedColumns, file: string, answers: SuspectAnswers, known: FoundOdd | undefined) {
    this.#columns = columns;
    this.#file = file;
    this.#answers = answers;
    this.#known = known;
  }

  /** True if some rows are known to be odd: then each has to be compared. */
  get areKnown(): boolean {
    return this.#known !== undefined && this.#known.size > 0;
  }

  /** Why a row is known to be odd; `names`: those of the columns. */
  suspect(row: Row, names: () => readonly string[]): Suspicion | undefined {
    const kind = this.#known?.get(row.start);
    return kind && explainOdd(row, kind, names());
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
  }

  /** Notes the next row in file order, which is not blank; `phrase`: its first text, if that may name a total. */
  note(row: Row, phrase: string | undefined): void {
    if (this.#known !== undefined) return;
    const isSampled = this.#count === this.#next;
    const look = lookOf(row, this.#columns, phrase, isSampled);
    if (look === undefined) return;
    this.#count++;
    if (isSampled) this.#take(look);
    const { start } = row;
    if (this.#count <= SAMPLE) {
      if (!isOwn(look)) this.#first.push({ look, start });
    } else if (!isOwn(look) && this.#verdict(look) !== undefined) {
      if (this.#found.length === MOST_ODD) throw tooMany(this.#file, row.line);
      this.#found.push({ look, start });
    }
  }

  /** Notes so many rows that were surveyed many at a time. */
  noteAll(count: number, rowAt: (at: number) => Row): void {
    if (this.#known !== undefined) return;
    while (this.#next < this.#count + count) {
      const look = lookOf(rowAt(this.#next - this.#count), this.#columns, undefined, true);
      if (look === undefined) this.#next++;
      else this.#take(look);
    }
    this.#count += count;
  }

  /** The odd rows that no option takes as rows, once all rows were noted. */
  finish(): FoundOdd {
    this.#forget();
    const odd = new Map<number, OddKind>();
    for (const { look, start } of [...this.#first, ...this.#found]) {
      const kind = this.#verdict(look);
      if (kind !== undefined && this.#answers[isSparse(kind) ? "sparse" : "totals"] !== "keep")
        odd.set(start, kind);
    }
    return odd;
  }

  /** Puts a look into the sample: the first ones, and later ones further and further apart, so that no part of the file weighs more. */
  #take(look: string): void {
    const at = this.#next;
    if (at < SAMPLE) {
      this.#sample.push(look);
      this.#next++;
    } else {
      const random = scatter(at);
      this.#sample[random % SAMPLE] = look;
      this.#next += 1 + (random % Math.ceil((2 * at) / SAMPLE));
    }
    if (at >= SAMPLE && Math.log2(this.#next) % 1 < Math.log2(at) % 1) this.#forget();
  }

  #forget(): void {
    this.#verdicts.clear();
    this.#profile = undefined;
  }

  #verdict(look: string): OddKind | undefined {
    if (this.#verdicts.has(look)) return this.#verdicts.get(look);
    if (this.#verdicts.size === MOST_VERDICTS) this.#verdicts.clear();
    const kind = judgeLook(look, this.#profileFor(look), this.#columns.width);
    this.#verdicts.set(look, kind);
    return kind;
  }

  #profileFor(look: string): Profile {
    if (this.#sample.length > FEW_ROWS) return (this.#profile ??= profileOf(this.#sample, this.#columns));
    const own = this.#sample.indexOf(look);
    return profileOf(
      this.#sample.filter((_, at) => at !== own),
      this.#columns,
    );
  }
}

/** Why a row is odd, for people; `names`: those of the columns. */
function explainOdd(row: Row, kind: OddKind, names: readonly string[]): Suspicion {
  const filled = [...names.keys()].filter((column) => isFilled(row, column, undefined));
  const texts = filled.slice(0, 3).map((column) => showCell(cellOf(row, column)).trim());
  if (kind === "nested") return { kind: "nested", member: names[filled[0]!] ?? "" };
  if (kind === "rule") return { kind: "rule", text: texts[0] ?? "" };
  if (kind === "phrase")
    return { kind: "phrase", phrase: texts.find((text) => isTotalPhrase(text)) ?? texts[0] ?? "" };
  return { kind: "sparse", words: texts.map((text) => quoteText(text, 40)).join(", ") };
}

/** A number that looks random: rows that alternate are not sampled in step. */
function scatter(at: number): number {
  const mixed = Math.imul(at ^ (at >>> 15), 0x2c1b3c6d);
  return (Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 4) & 0xffffff;
}

function isSparse(kind: OddKind): boolean {
  return kind === "lacks" || kind === "nested";
}

function tooMany(file: string, line: number): RecPushError {
  const message = `${file}:${line}: more than ${MOST_ODD} rows are unlike the others: the file may hold two tables`;
  return new RecPushError("input", "second-table", message, {
    place: { file, line },
    hint: "split the file, or --sparse keep takes such rows as rows",
  });
}

/**
 * Why a row is unlike all others: it lacks most of what they hold, it holds nothing but one object (an action line among
 * records), it calls itself a total and lacks something, or it is a line of dashes.
 */
export type OddKind = "lacks" | "nested" | "phrase" | "rule";

/** A column is core if so many of the proper rows fill it, and of a kind if so many of its cells are. */
const CORE_SHARE = 0.95;
const KIND_SHARE = 0.9;

/** What a cell is: `BITS` of a character, of `CELLS` cells each. */
const EMPTY = 0;
const TEXT = 1;
const NUMBER = 2;
const DATE = 3;
const CODE = 4;
/** A number that may be a code. */
const INTEGER = 5;
const BITS = 3;
const CELLS = 5;

const ONLY_RULES = /^[\s\-=_*~#+.·–—|]+$/;
const ONLY_DIGITS = /^\d+$/;
const ONLY_NUMBERS = /^[\d\s.,'()+\-−%€$£]*\d[\d\s.,'()+\-−%€$£]*$/;
const MAY_BE_DATE = /\d{1,4}[-/. ]\d{1,2}[-/. ]\d{2,4}/;

/**
 * What a row is at first sight: it has a key or a number of its own; or it is a line of dashes, nothing but one object, a
 * total's phrase without a date, nothing but numbers; or none of these.
 */
const OWN = "o";
const RULE = "r";
const NESTED = "n";
const PHRASE = "p";
const NUMBERS = "m";
const OTHER = " ";

/** What proper rows hold. */
export interface Profile {
  /** The columns that nearly all of them fill. */
  readonly core: readonly number[];
  /** By column: what nearly all of its cells are, if that is one thing. */
  readonly kinds: readonly (typeof NUMBER | typeof DATE | typeof CODE | undefined)[];
  /** The column of the key, or the first core one. */
  readonly lead: number;
  readonly isKeyed: boolean;
  /** How many cells a proper row fills. */
  readonly filled: number;
  /** How many rows say so. */
  readonly compared: number;
  /** True if most rows are lines of dashes, such as a column of stars, or if all are single objects. */
  readonly areRules: boolean;
  readonly areNested: boolean;
}

/** True for a row that is certainly one, whatever the others hold. */
function isOwn(look: string): boolean {
  return look.startsWith(OWN);
}

/**
 * The *look* of a row: what it is at first sight, and what its cells are; `undefined` for a row that holds nothing but a key.
 * `phrase`: its first text, if that may name a total; `isSampled`: other rows are compared with it, so that a row that is
 * certainly one has to show its cells as well.
 */
function lookOf(
  row: Row,
  columns: WatchedColumns,
  phrase: string | undefined,
  isSampled: boolean,
): string | undefined {
  const filled = filledColumns(columns, row);
  if (filled.length === 0 || (filled.length === 1 && filled[0] === columns.key)) return undefined;
  const sight = firstSight(row, filled, columns, phrase);
  return sight === OWN && !isSampled ? OWN : sight + showCells(row, filled);
}

function showCells(row: Row, filled: readonly number[]): string {
  const codes: number[] = [];
  for (const column of filled) {
    const word = Math.floor(column / CELLS);
    while (codes.length <= word) codes.push(0);
    codes[word]! |= whatIs(textAt(row, column)) << (BITS * (column % CELLS));
  }
  return String.fromCharCode(...codes);
}

function whatIs(text: string): number {
  if (!/\d/.test(text)) return TEXT;
  if (ONLY_DIGITS.test(text)) return INTEGER;
  if (MAY_BE_DATE.test(text)) return DATE;
  if (ONLY_NUMBERS.test(text)) return NUMBER;
  return /\s/.test(text) ? TEXT : CODE;
}

function firstSight(
  row: Row,
  filled: readonly number[],
  columns: WatchedColumns,
  phrase: string | undefined,
): string {
  const { key, digits } = columns;
  if (filled.length === 1 && isObject(cellOf(row, filled[0]!))) return NESTED;
  if (mayBeRule(row, filled[0]!) && filled.every((column) => ONLY_RULES.test(textAt(row, column))))
    return RULE;
  const isNumber = (column: number): boolean => ONLY_DIGITS.test(textAt(row, column));
  const hasKey = key !== undefined && filled.includes(key);
  if (hasKey || hasOwnData(columns, row) || digits.some(isNumber)) return OWN;
  const isDated = (): boolean => filled.some((column) => MAY_BE_DATE.test(textAt(row, column)));
  if (phrase !== undefined && !isDated()) return PHRASE;
  const areNumbers = filled.every((column) => ONLY_NUMBERS.test(textAt(row, column)));
  return areNumbers && !isDated() ? NUMBERS : OTHER;
}

/** False if its first byte already shows that a cell is more than signs: no text has to be made of it. */
function mayBeRule({ spans, firstCell = 0 }: Row, column: number): boolean {
  return (
    spans === undefined ||
    !/[\dA-Za-z]/.test(String.fromCharCode(spans.bytes[spans.starts[firstCell + column]!]!))
  );
}

function isObject(cell: Cell): boolean {
  return cell instanceof NestedValue && cell.what === "object";
}

/** What proper rows hold: the fuller half of a sample, of the rows with a key where there are some. */
function profileOf(sample: readonly string[], { width, key }: WatchedColumns): Profile {
  const rows = sample.filter((look) => !look.startsWith(RULE) && !look.startsWith(NESTED));
  const keyed = key === undefined ? [] : rows.filter((look) => cellIn(look, key) !== EMPTY);
  const proper = keyed.length > 1 ? keyed : rows;
  const counts = proper.map((look) => countFilled(look)).sort((left, right) => left - right);
  const median = counts[counts.length > 3 ? Math.floor(counts.length / 2) : 0] ?? 0;
  const fuller = proper.filter((look) => countFilled(look) >= median);
  const core: number[] = [];
  const kinds: (typeof NUMBER | typeof DATE | typeof CODE | undefined)[] = [];
  for (let column = 0; column < width && fuller.length > 0; column++) {
    const cells = fuller.map((look) => cellIn(look, column)).filter((cell) => cell !== EMPTY);
    // A create has no key: it does not count as something that it lacks.
    if (column !== key && cells.length >= CORE_SHARE * fuller.length) core.push(column);
    const kind = kindOf(cells);
    if (kind !== undefined) kinds[column] = kind;
  }
  return {
    core,
    kinds,
    lead: key ?? core[0] ?? 0,
    isKeyed: key !== undefined,
    filled: median,
    compared: fuller.length,
    areRules: 2 * sample.filter((look) => look.startsWith(RULE)).length > sample.length,
    areNested: rows.length === 0,
  };
}

/** What nearly all cells of a column are; a number that may be a code is both. */
function kindOf(cells: readonly number[]): typeof NUMBER | typeof DATE | typeof CODE | undefined {
  const areMostly = (...wanted: readonly number[]): boolean =>
    cells.length > 0 && cells.filter((cell) => wanted.includes(cell)).length >= KIND_SHARE * cells.length;
  if (areMostly(DATE)) return DATE;
  if (areMostly(NUMBER, INTEGER) && !areMostly(INTEGER)) return NUMBER;
  return areMostly(CODE, INTEGER) ? CODE : undefined;
}

/** Why a row with this look is odd; `undefined` if it is not. */
function judgeLook(look: string, profile: Profile, width: number): OddKind | undefined {
  const { core, kinds, lead, isKeyed, filled, compared, areRules, areNested } = profile;
  if (look.startsWith(NESTED)) return areNested ? undefined : "nested";
  if (look.startsWith(RULE)) return areRules ? undefined : "rule";
  if (isOwn(look) || core.length === 0 || width === 1) return undefined;
  const fits = (column: number): boolean => isOfKind(cellIn(look, column), kinds[column], column === lead);
  const got = core.filter(fits).length;
  if (got === core.length) return undefined;
  if (look.startsWith(PHRASE)) return "phrase";
  const isLed = fits(lead);
  // One to three rows say little about the next one.
  if (compared < 4 && isLed) return compared > 1 && got < 2 && core.length > 2 ? "lacks" : undefined;
  if (look.startsWith(NUMBERS) && !isLed && compared > 1 && core.some((column) => kinds[column] !== NUMBER))
    return "lacks";
  const dates = core.filter((column) => kinds[column] === DATE);
  const hasCode = core.some((column) => kinds[column] === CODE && cellIn(look, column) === CODE);
  const isProper = isLed && (kinds[lead] === CODE || dates.length === 0 || dates.some(fits));
  if (3 * got < core.length) return "lacks";
  if (isProper || hasCode || 2 * got > core.length) return undefined;
  // Of texts without a code some may be blank; a row with a number and little else is more often a total.
  const count = countFilled(look);
  const most = holdsNumber(look, width) ? filled : filled - 1;
  // A create has no key.
  return count === 1 || (!isKeyed && 2 * count <= most) ? "lacks" : undefined;
}

function holdsNumber(look: string, width: number): boolean {
  for (let column = 0; column < width; column++) if (cellIn(look, column) === NUMBER) return true;
  return false;
}

/** Whether a cell is filled with what its column holds; a word may stand among codes, but not where a row begins. */
function isOfKind(cell: number, kind: number | undefined, isLead: boolean): boolean {
  if (cell === EMPTY || kind === undefined) return cell !== EMPTY;
  if (kind === CODE) return !isLead || cell === CODE || cell === INTEGER;
  return cell === kind || (kind === NUMBER && cell === INTEGER);
}

/** What the cell of a column is in a look. */
function cellIn(look: string, column: number): number {
  return (look.charCodeAt(1 + Math.floor(column / CELLS)) >> (BITS * (column % CELLS))) & 7;
}

function countFilled(look: string): number {
  let count = 0;
  for (let at = 1; at < look.length; at++)
    for (let cells = look.charCodeAt(at); cells !== 0; cells >>= BITS) if ((cells & 7) !== EMPTY) count++;
  return count;
}
