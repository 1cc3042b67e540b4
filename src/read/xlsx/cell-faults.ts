import { FaultyCell } from "../../model/rows.ts";

/** Cells whose value is not certain: a reason, with what the cell holds in place of `?`, and how to settle it. */
const FAULTS = {
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
    "the cell is formatted as a date or a time, and ? is neither",
    "mend the number, or give the cell another format",
  ],
  FORMAT: ["the cell's format does not say whether ? is a number or a date", "give the cell a plain format"],
  NUMBER: [
    "? is not a number as a workbook holds it",
    "write it in the workbook again, as a text if its zeros count",
  ],
  CUT: [
    "a spreadsheet keeps 15 digits of a number, and ? has more",
    "write it in the workbook again, as a text, where it is an identifier",
  ],
  TEXT: ["the text holds an invalid character", "write the text in the workbook again"],
  MERGED: [
    "the cell is merged with the one above it",
    "unmerge the cells, and write the value into each that has it",
  ],
} as const satisfies Readonly<Record<string, readonly [reason: string, hint: string]>>;

export type FaultKind = keyof typeof FAULTS;

/** The text of a faulty cell among the rows: without quotes, unlike any text. */
export function faultToken(kind: FaultKind, source = ""): string {
  return source === "" ? `#${kind}!` : `#${kind}! ${withoutMarks(source)}`;
}

/** The token of a cell with an error: the error itself. */
export function errorToken(error: string): string {
  const plain = withoutMarks(error.trim());
  return plain.startsWith("#") ? plain : `#${plain}`;
}

function withoutMarks(text: string): string {
  return text.replaceAll(/[",\r\n]/g, " ");
}

/** The faulty cell that a token stands for. */
export function readFault(token: string): FaultyCell {
  const [, kind = "", source = ""] = /^#([A-Z]+)!(?: (.*))?$/s.exec(token) ?? [];
  const [reason, hint] = Object.hasOwn(FAULTS, kind)
    ? FAULTS[kind as FaultKind]
    : [`the cell holds the error ${token}`, "mend the cell or its formula in the workbook"];
  return new FaultyCell(
    token,
    reason.replace("?", () => source),
    hint,
  );
}
