import { FIRST_BYTE } from "./placed-text.ts";

/** An escape at the end of some units: how many of them it takes, and the character or byte that it stands for. */
interface Escape {
  readonly taken: number;
  readonly code: number;
}

/** Reads the escape at the end of the units from `floor` to `end`, if there is one. */
export type Notation = (units: Int32Array, floor: number, end: number) => Escape | undefined;

/** The notations in which a service or a proxy may write a secret: those of URLs, JSON and HTML. */
export const NOTATIONS: readonly Notation[] = [readPercent, readBackslash, readEntity];

/** Those that can be undone repeatedly; backslashes that are left afterwards mean nothing. */
export const REPEATED_NOTATIONS: readonly Notation[] = [readPercent, readCodeUnit, readEntity];

const AMPERSAND = 0x26;
const PERCENT = 0x25;
const SEMICOLON = 0x3b;
/** Precedes characters that mean something else without it. */
export const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const FIRST_BEYOND_ASCII = 0x80;
/** The characters with which an escape begins. */
export const ESCAPE_SIGNS: ReadonlySet<number> = new Set([AMPERSAND, PERCENT, BACKSLASH]);
/** Nobody writes a number with more leading zeros. */
const LONGEST_ENTITY = 40;

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ["b", 0x08],
  ["t", 0x09],
  ["n", 0x0a],
  ["f", 0x0c],
  ["r", 0x0d],
]);

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** `%2F`, a byte in UTF-8. */
function readPercent(units: Int32Array, floor: number, end: number): Escape | undefined {
  if (end - floor < 3 || units[end - 3] !== PERCENT) return undefined;
  const byte = readHex(units, end - 2, end);
  if (byte === undefined) return undefined;
  return { taken: 3, code: byte < FIRST_BEYOND_ASCII ? byte : FIRST_BYTE + byte };
}

/** `\u002f`, `\n`, and any other character after a backslash. */
function readBackslash(units: Int32Array, floor: number, end: number): Escape | undefined {
  if (end - floor < 2 || units[end - 2] !== BACKSLASH) return readCodeUnit(units, floor, end);
  const last = units[end - 1]!;
  const code = isAlphanumeric(last) ? CONTROLS.get(String.fromCharCode(last)) : last;
  return code === undefined ? undefined : { taken: 2, code };
}

function readCodeUnit(units: Int32Array, floor: number, end: number): Escape | undefined {
  if (end - floor < 6 || units[end - 6] !== BACKSLASH || units[end - 5] !== LOWER_U) return undefined;
  const code = readHex(units, end - 4, end);
  return code === undefined ? undefined : { taken: 6, code };
}

/** `&amp;`, `&#38;`, `&#x26;`. */
function readEntity(units: Int32Array, floor: number, end: number): Escape | undefined {
  if (units[end - 1] !== SEMICOLON) return undefined;
  const least = Math.max(floor, end - LONGEST_ENTITY);
  let start = end - 2;
  while (start >= least && units[start] !== AMPERSAND && units[start] !== SEMICOLON) start--;
  if (start < least || units[start] !== AMPERSAND) return undefined;
  const code = readReference(String.fromCharCode(...units.subarray(start + 1, end - 1)));
  return code === undefined || code >= FIRST_BYTE ? undefined : { taken: end - start, code };
}

function readReference(text: string): number | undefined {
  const [, decimal, hexadecimal] = /^#(?:(\d+)|[xX]([\dA-Fa-f]+))$/.exec(text) ?? [];
  if (decimal !== undefined) return Number(decimal);
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  return NAMED[text]?.charCodeAt(0);
}

function readHex(units: Int32Array, start: number, end: number): number | undefined {
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = hexDigit(units[at]!);
    if (digit === undefined) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(unit: number): number | undefined {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined;
}

function isAlphanumeric(unit: number): boolean {
  const lower = unit | 0x20;
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
