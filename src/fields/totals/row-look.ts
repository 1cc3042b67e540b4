import { cellOf, NestedValue, type Cell, type Row } from "../../model/row.ts";
import { textAt } from "./row-text.ts";
import { filledColumns, hasOwnData } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

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
export function isOwn(look: string): boolean {
  return look.startsWith(OWN);
}

/**
 * The *look* of a row: what it is at first sight, and what its cells are; `undefined` for a row that holds nothing but a key.
 * `phrase`: its first text, if that may name a total; `isSampled`: other rows are compared with it, so that a row that is
 * certainly one has to show its cells as well.
 */
export function lookOf(
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
export function profileOf(sample: readonly string[], { width, key }: WatchedColumns): Profile {
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
export function judgeLook(look: string, profile: Profile, width: number): OddKind | undefined {
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
