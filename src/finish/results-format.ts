import type { Outcome } from "../model/outcome.ts";
import type { RowOutcome } from "./outcome-log.ts";
import type { RowPieces } from "./plain-results.ts";
import { quoteCell } from "./quote-cell.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The last columns of a row: the outcome of its batch, or none for a row that was not sent. */
export type RowEnd = Partial<Omit<RowOutcome, "outcome">> & {
  readonly outcome: Outcome;
  readonly msg: string;
};

/** How the rows of one file are written; those of one batch share their last columns, which are formatted once. */
export interface RowFormat {
  readonly row: (
    line: number,
    key: string | undefined,
    identity: readonly (string | null)[] | undefined,
    end: RowEnd,
  ) => string;
  readonly pieces: RowPieces;
  /** The last columns and the line end, for a row without identity. */
  readonly end: (end: RowEnd) => string;
}

/** One line of JSON for each row. */
export function inJson(head: string, identity: readonly string[]): RowFormat {
  const formatEnd = once(
    ({ outcome, batch = null, status = null, msg, attempts = null }) =>
      `${JSON.stringify({ outcome, batch, status, msg, attempts }).slice(1)}\n`,
  );
  return {
    row(line, key, values = [], end) {
      const text = `${head}"line":${line},"cle":${JSON.stringify(key ?? null)},${formatEnd(end)}`;
      if (identity.length === 0) return text;
      const fields = Object.fromEntries(identity.map((field, at) => [field, values[at] ?? null]));
      return `${text.slice(0, -2)},"identity":${JSON.stringify(fields)}}\n`;
    },
    pieces: {
      beforeLine: `${head}"line":`,
      beforeKey: ',"cle":"',
      afterKey: '",',
      withoutKey: ',"cle":null,',
      mayHold: (byte) => byte >= 0x20 && byte < 0x7f && byte !== QUOTE && byte !== BACKSLASH,
    },
    end: formatEnd,
  };
}

/** One line of CSV for each row. */
export function inCsv(head: string, delimiter: string, identity: readonly string[]): RowFormat {
  const quoted = (value: string | number | null | undefined): string =>
    quoteCell(String(value ?? ""), delimiter);
  const formatEnd = once(
    ({ outcome, batch, status, msg, attempts }) =>
      delimiter + [outcome, batch, status, msg, attempts].map(quoted).join(delimiter),
  );
  const isDelimiter = new Set(Buffer.from(delimiter));
  return {
    row(line, key, values = [], end) {
      const begin = `${head}${line}${delimiter}${key === undefined ? "" : quoteCell(key, delimiter)}`;
      const cells = identity.map((_, at) => delimiter + quoted(values[at])).join("");
      return `${begin}${formatEnd(end)}${cells}\r\n`;
    },
    pieces: {
      beforeLine: head,
      beforeKey: delimiter,
      afterKey: "",
      withoutKey: delimiter,
      mayHold: (byte, isFirst) =>
        !isDelimiter.has(byte) && (isFirst ? isWordByte(byte) : byte >= 0x20 && byte !== QUOTE),
    },
    end: (end) => `${formatEnd(end)}\r\n`,
  };
}

/** True for a byte with which no formula begins, so that nothing has to be put before it. */
function isWordByte(byte: number): boolean {
  return /[0-9A-Za-z]/.test(String.fromCharCode(byte));
}

/** Formats each end once: updates and creates have different ones, and follow each other in any order. */
function once(format: (end: RowEnd) => string): (end: RowEnd) => string {
  const texts = new WeakMap<RowEnd, string>();
  return (end) => {
    let text = texts.get(end);
    if (text === undefined) texts.set(end, (text = format(end)));
    return text;
  };
}
