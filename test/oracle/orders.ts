import { gzipSync } from "node:zlib";
import type { Draw } from "../chaos/random.ts";
import { toWorkbook } from "../chaos/rows.ts";
import { REFUSED } from "./record-service.ts";

/** A row of an export, by header; an empty text is an empty cell. */
export type OrderRow = Readonly<Record<string, string>>;

export type OrderFormat = "csv" | "semicolon" | "json" | "ndjson" | "xlsx" | "csv.gz";
export const FORMATS: readonly OrderFormat[] = [
  "csv",
  "csv",
  "semicolon",
  "json",
  "ndjson",
  "xlsx",
  "csv.gz",
];

/** A cell that is not an amount, and the text that mends it. */
export const BAD = "sur devis";
export const MENDED = "7,50";
/** The column that no option declares by itself. */
export const DECLARED = ["--type", "etat=text"];

/** What an export is drawn from. */
export interface OrderKind {
  readonly rows: number;
  /** Rows without a key, in a hundred. */
  readonly creates: number;
  /** Rows that repeat a key, in a hundred. */
  readonly repeats: number;
  readonly bad: number;
  readonly refused: number;
}

/** Orders from this number on; the same draw gives the same ones. */
export function drawOrders(draw: Draw, kind: OrderKind, first = 100_000): OrderRow[] {
  return Array.from({ length: kind.rows }, (_, at) => {
    const number = first + at;
    const key = `C${draw.percent(kind.repeats) ? first + draw.between(0, at) : number}`;
    const amount = `${draw.between(1, 999)},${draw.between(10, 99)}`;
    const day = String(draw.between(13, 28));
    return {
      cle: draw.percent(kind.creates) ? "" : key,
      num_commande: String(number),
      date_billed: `${day}/0${draw.between(1, 9)}/2025`,
      actual_billable_amount: draw.percent(kind.bad) ? BAD : amount,
      num_invoice: String(70_000_000 + number),
      etat: draw.percent(kind.refused) ? REFUSED : draw.oneOf(["ouvert", "soldé", "à revoir"]),
    };
  });
}

/** The rows without a column. */
export function leaveOut(column: string, rows: readonly OrderRow[]): OrderRow[] {
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([header]) => header !== column)));
}

/** The name of a file in this format. */
export function fileName(stem: string, format: OrderFormat): string {
  return `${stem}.${format === "semicolon" ? "csv" : format}`;
}

/** Rows as a file. */
export function writeOrders(rows: readonly OrderRow[], format: OrderFormat): Buffer {
  const headers = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => headers.map((header) => row[header] ?? ""));
  const lines = (delimiter: string, end: string): Buffer => {
    const quote = (cell: string): string => (cell.includes(delimiter) ? `"${cell}"` : cell);
    return Buffer.from([headers, ...cells].map((row) => `${row.map(quote).join(delimiter)}${end}`).join(""));
  };
  switch (format) {
    case "csv":
      return lines(",", "\n");
    case "csv.gz":
      return gzipSync(lines(",", "\n"));
    case "semicolon":
      return lines(";", "\r\n");
    case "json":
      return Buffer.from(`[\n${rows.map((row) => JSON.stringify(row)).join(",\n")}\n]\n`);
    case "ndjson":
      return Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    case "xlsx":
      return toWorkbook([headers, ...cells]);
  }
}
