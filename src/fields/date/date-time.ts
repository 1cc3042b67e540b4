import { isSpace } from "../spreadsheet-text.ts";
import type { DateScan } from "./short-years.ts";

const COLON = 0x3a;
const COMMA = 0x2c;
const DASH = 0x2d;
const DOT = 0x2e;
const PLUS = 0x2b;

const NOT_A_TIME = "what follows the date is not a time";

/**
 * Reads the time and the zone after a date, to the end of the text: ISO 8601 (`T14:30:00.5Z`, `T143000+0200`) and
 * `14:30`, `1:05 PM`, `14h30` after a space and perhaps a word (`à`, `at`, `um`). Returns the reason for other text.
 */
export function scanTime(scan: DateScan): string | undefined {
  const { text } = scan;
  const isIso = (text.charCodeAt(scan.at) | 0x20) === 0x74;
  if (isIso) scan.at++;
  else {
    if (text.charCodeAt(scan.at) === COMMA) scan.at++;
    if (!passSpaces(scan)) return NOT_A_TIME;
    passWord(scan);
  }
  const reason = scanClock(scan, isIso);
  if (reason !== undefined) return reason;
  passSpaces(scan);
  if (scan.at === text.length) return undefined;
  return scanZone(scan);
}

/** A word before a time in the languages of the months, with the space after it. */
const WORD = /(?:a las?|alle(?: ore)?|[àa]s|a\u0300|[àa]|at|um|om)\s+/iuy;

function passWord(scan: DateScan): void {
  const code = scan.text.charCodeAt(scan.at);
  if (code >= 0x30 && code <= 0x39) return;
  WORD.lastIndex = scan.at;
  scan.at += WORD.exec(scan.text)?.[0].length ?? 0;
}

function scanClock(scan: DateScan, isIso: boolean): string | undefined {
  const { text } = scan;
  let hour: number;
  let minute: number;
  let second = 0;
  let fraction = 0;
  const start = scan.at;
  const width = countDigits(text, start);
  if (isIso && (width === 4 || width === 6)) {
    hour = twoDigits(text, start);
    minute = twoDigits(text, start + 2);
    if (width === 6) second = twoDigits(text, start + 4);
    scan.at = start + width;
    if (width === 6) fraction = passFraction(scan);
  } else {
    if (width < 1 || width > 2) return NOT_A_TIME;
    hour = width === 1 ? text.charCodeAt(start) - 0x30 : twoDigits(text, start);
    scan.at = start + width;
    const isColon = text.charCodeAt(scan.at) === COLON;
    if (isColon) scan.at++;
    else if (!passHourSign(scan)) return NOT_A_TIME;
    const minuteWidth = countDigits(text, scan.at);
    if (minuteWidth !== 2 && (isColon || minuteWidth !== 0)) return NOT_A_TIME;
    minute = minuteWidth === 0 ? 0 : twoDigits(text, scan.at);
    scan.at += minuteWidth;
    if (isColon && text.charCodeAt(scan.at) === COLON) {
      if (countDigits(text, scan.at + 1) !== 2) return NOT_A_TIME;
      second = twoDigits(text, scan.at + 1);
      scan.at += 3;
      fraction = passFraction(scan);
    }
  }
  const half = passHalf(scan);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return "its hour does not fit AM or PM";
    hour = (hour % 12) + half;
  }
  if (hour === 24) return "hour 24 may be meant for either day";
  // A leap second is written 23:59:60 (ISO 8601).
  if (hour > 23 || minute > 59 || second > 60 || fraction < 0) return "its time does not exist";
  scan.timeMs = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
  return undefined;
}

/** Skips the `h` of `14h30`, `14 h 30` and `14h`, with the spaces around it. */
function passHourSign(scan: DateScan): boolean {
  passSpaces(scan);
  if ((scan.text.charCodeAt(scan.at) | 0x20) !== 0x68) return false;
  scan.at++;
  passSpaces(scan);
  return true;
}

/**
 * Reads `.5` or `,500` after the seconds, in milliseconds rounded up so that only zeros are midnight; -1 without
 * digits.
 */
function passFraction(scan: DateScan): number {
  const mark = scan.text.charCodeAt(scan.at);
  if (mark !== DOT && mark !== COMMA) return 0;
  const width = countDigits(scan.text, scan.at + 1);
  if (width === 0) return -1;
  const seconds = Number(`0.${scan.text.slice(scan.at + 1, scan.at + 1 + width)}`);
  scan.at += 1 + width;
  return Math.min(Math.ceil(seconds * 1000), 999);
}

/** Reads `AM`, `p.m.` and the like; returns the hours to add. */
function passHalf(scan: DateScan): 0 | 12 | undefined {
  let at = scan.at;
  while (isSpace(scan.text.charCodeAt(at))) at++;
  const letter = scan.text.charCodeAt(at) | 0x20;
  if (letter !== 0x61 && letter !== 0x70) return undefined;
  const match = /^[ap](?:m|\.\s?m\.?)(?![a-z])/i.exec(scan.text.slice(at, at + 6));
  if (match === null) return undefined;
  scan.at = at + match[0].length;
  return letter === 0x70 ? 12 : 0;
}

/** Reads `Z`, `UTC`, `GMT`, `+02:00`, `+0200`, `+02`, `GMT+0200` to the end of the text. */
function scanZone(scan: DateScan): string | undefined {
  const { text } = scan;
  const rest = text.slice(scan.at);
  let at = scan.at;
  if (rest === "Z" || rest === "z") at = text.length;
  else if (rest.startsWith("UTC") || rest.startsWith("GMT")) at += 3;
  scan.at = at;
  if (at === text.length) {
    scan.offsetMinutes = 0;
    return undefined;
  }
  const sign = text.charCodeAt(at);
  if (sign !== PLUS && sign !== DASH)
    return isZoneName(rest) ? "its time zone is not written as a number" : NOT_A_TIME;
  const colon = text.charCodeAt(at + 3) === COLON ? 1 : 0;
  const width = text.length - at - 1 - colon;
  const hours = countDigits(text, at + 1) >= 2 ? twoDigits(text, at + 1) : 99;
  const minutes = width === 2 && colon === 0 ? 0 : twoDigits(text, at + 3 + colon);
  if (
    (width !== 4 && width !== 2) ||
    hours > 14 ||
    !(minutes <= 59) ||
    countDigits(text, text.length - 2) !== 2
  ) {
    return "its time zone does not exist";
  }
  scan.offsetMinutes = (hours * 60 + minutes) * (sign === DASH ? -1 : 1);
  scan.at = text.length;
  return undefined;
}

function isZoneName(rest: string): boolean {
  return /^[A-Za-z]{2,5}$|^[A-Z][A-Za-z_]+\/[A-Za-z_/]+$/.test(rest);
}

function passSpaces(scan: DateScan): boolean {
  const start = scan.at;
  while (isSpace(scan.text.charCodeAt(scan.at))) scan.at++;
  return scan.at > start;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 0x30) * 10 + text.charCodeAt(at + 1) - 0x30;
}

/** Counts the digits from a position onwards. */
function countDigits(text: string, at: number): number {
  let end = at;
  let code = text.charCodeAt(end);
  while (code >= 0x30 && code <= 0x39) code = text.charCodeAt(++end);
  return end - at;
}
