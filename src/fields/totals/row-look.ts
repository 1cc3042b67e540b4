import { cellOf, NestedValue, type Cell, type Row } from "../../model/row.ts";
import { isFilled } from "./row-fill.ts";
import { textAt } from "./row-text.ts";
import { hasOwnData } from "./watched-cells.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/**
 * Why a row is unlike all others: it lacks most of what they hold, it holds nothing but one object (an action line among
 * records), it calls itself a total and lacks something, or it is a line of dashes.
 */
export type OddKind = "lacks" | "nested" | "phrase" | "rule";

/** A column is core if so many of the proper rows fill it, and usual if so many do. */
const CORE_SHARE = 0.95;
const USUAL_SHARE = 0.3;
const BITS = 16;

const ONLY_RULES = /^[\s\-=_*~#+.·–—|]+$/;
const ONLY_NUMBERS = /^[\d\s.,'()+\-−%€$£]+$/;
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
  /** The columns that nearly all of them fill, and those that many fill. */
  readonly core: readonly number[];
  readonly usual: readonly number[];
  /** The column of the key, or the first core one. */
  readonly lead: number;
  readonly isKeyed: boolean;
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
 * The *look* of a row: what it is at first sight, and which cells it fills, as bits of characters; `undefined` for a row that
 * holds nothing but a key. `phrase`: its first text, if that may name a total.
 */
export function lookOf(row: Row, columns: WatchedColumns, phrase: string | undefined): string | undefined {
  const { width, nullsAt, key } = columns;
  const codes: number[] = [];
  const filled: number[] = [];
  for (let at = 0; at < (row.columns?.length ?? width); at++) {
    const column = row.columns?.[at] ?? at;
    if (!isFilled(row, column, nullsAt[column])) continue;
    filled.push(column);
    const word = Math.floor(column / BITS);
    while (codes.length <= word) codes.push(0);
    codes[word]! |= 1 << (column % BITS);
  }
  if (filled.length === 0 || (filled.length === 1 && filled[0] === key)) return undefined;
  return firstSight(row, filled, columns, phrase) + String.fromCharCode(...codes);
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
  const isNumber = (column: number): boolean => /^\d+$/.test(textAt(row, column));
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
  const keyed = key === undefined ? [] : rows.filter((look) => fills(look, key));
  const proper = keyed.length > 1 ? keyed : rows;
  const counts = proper.map((look) => countFilled(look)).sort((left, right) => left - right);
  const median = counts[counts.length > 3 ? Math.floor(counts.length / 2) : 0] ?? 0;
  const fuller = proper.filter((look) => countFilled(look) >= median);
  const columns = fuller.length === 0 ? [] : Array.from({ length: width }, (_, column) => column);
  // A create has no key: it does not count as something that it lacks.
  const filledBy = (share: number): number[] =>
    columns.filter((column) => column !== key && countThat(fuller, column) >= share * fuller.length);
  const core = filledBy(CORE_SHARE);
  return {
    core,
    usual: filledBy(USUAL_SHARE),
    lead: key ?? core[0] ?? 0,
    isKeyed: key !== undefined,
    compared: fuller.length,
    areRules: 2 * sample.filter((look) => look.startsWith(RULE)).length > sample.length,
    areNested: rows.length === 0,
  };
}

/** Why a row with this look is odd; `undefined` if it is not. */
export function judgeLook(look: string, profile: Profile, width: number): OddKind | undefined {
  const { core, usual, lead, isKeyed, compared, areRules, areNested } = profile;
  if (look.startsWith(NESTED)) return areNested ? undefined : "nested";
  if (look.startsWith(RULE)) return areRules ? undefined : "rule";
  if (isOwn(look) || core.length === 0 || width === 1) return undefined;
  const holds = (column: number): boolean => fills(look, column);
  const got = core.filter(holds).length;
  if (got === core.length) return undefined;
  if (look.startsWith(PHRASE)) return "phrase";
  const isLed = holds(lead);
  // One to three rows say little about the next one.
  if (compared < 4 && isLed) return compared > 1 && got < 2 && core.length > 2 ? "lacks" : undefined;
  if (look.startsWith(NUMBERS) && !isLed && compared > 1) return "lacks";
  if (compared === 1 || core.length < 4) return usual.some(holds) ? undefined : "lacks";
  // A create has no key.
  const least = core.length / (isLed || isKeyed ? 3 : 2);
  return got < least ? "lacks" : undefined;
}

function countThat(looks: readonly string[], column: number): number {
  return looks.reduce((count, look) => (fills(look, column) ? count + 1 : count), 0);
}

function fills(look: string, column: number): boolean {
  return (look.charCodeAt(1 + (column >> 4)) & (1 << (column & 15))) !== 0;
}

function countFilled(look: string): number {
  let count = 0;
  for (let at = 1; at < look.length; at++)
    for (let bits = look.charCodeAt(at); bits !== 0; bits &= bits - 1) count++;
  return count;
}
