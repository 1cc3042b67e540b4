import { FaultyCell } from "../../model/row.ts";

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
