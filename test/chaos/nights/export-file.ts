import type { Draw } from "../random.ts";
import type { Cells } from "./shop.ts";

/** The style in which a night's file is written: as far as the ledger has to know its records again. */
export interface FileStyle {
  readonly format: "csv" | "json" | "ndjson";
  readonly delimiter: string;
  readonly isReversed: boolean;
  /** How the header spells the client. */
  readonly clientHeader: string;
  readonly hasIsoDates: boolean;
}

/** A file as bytes, the line of each row, and the options for reading it. */
export interface ExportBytes {
  readonly bytes: Buffer;
  readonly lines: readonly number[];
  readonly options: readonly string[];
}

/** The style of a shop's files until something changes. */
export const PLAIN: FileStyle = {
  format: "csv",
  delimiter: ";",
  isReversed: false,
  clientHeader: "client",
  hasIsoDates: false,
};

/** Draws a style that differs from the plain one in up to three points. */
export function drawStyle(draw: Draw): FileStyle {
  const changes = Array.from({ length: draw.between(1, 3) }, () => drawChange(draw));
  return Object.assign({}, PLAIN, ...changes) as FileStyle;
}

function drawChange(draw: Draw): Partial<FileStyle> {
  const changes: readonly Partial<FileStyle>[] = [
    { format: draw.oneOf(["json", "ndjson"] as const) },
    { delimiter: draw.oneOf([",", "\t", "|"]) },
    { isReversed: true },
    { clientHeader: draw.oneOf(["Client", "Nom du client"]) },
    { hasIsoDates: true },
  ];
  return draw.oneOf(changes);
}

/** Writes rows in a style. */
export function writeExport(rows: readonly Cells[], hasNumbers: boolean, style: FileStyle): ExportBytes {
  const fields: (keyof Cells)[] = [
    ...(hasNumbers ? (["num_commande"] as const) : []),
    "date_billed",
    "actual_billable_amount",
    "client",
  ];
  if (style.isReversed) fields.reverse();
  const names = fields.map((field) => (field === "client" ? style.clientHeader : field));
  const table = rows.map((row) => fields.map((field) => spell(field, row[field], style)));
  const options = style.clientHeader === "Nom du client" ? ["--map", "Nom du client=client"] : [];
  const isCsv = style.format === "csv";
  const text = isCsv ? asCsv([names, ...table], style) : asJson(names, table, style);
  return { bytes: Buffer.from(text), lines: rows.map((_, at) => at + (isCsv ? 2 : 1)), options };
}

function spell(field: keyof Cells, value: string, { format, delimiter, hasIsoDates }: FileStyle): string {
  if (field === "date_billed" && !hasIsoDates) return value.split("-").toReversed().join("/");
  if (field === "actual_billable_amount" && format === "csv" && delimiter === ";")
    return value.replace(".", ",");
  return value;
}

function asJson(
  names: readonly string[],
  table: readonly (readonly string[])[],
  { format }: FileStyle,
): string {
  const objects = table.map((cells) =>
    JSON.stringify(Object.fromEntries(names.map((name, at) => [name, cells[at]]))),
  );
  return format === "json" ? `[${objects.join(",\n")}]\n` : objects.map((line) => `${line}\n`).join("");
}

function asCsv(table: readonly (readonly string[])[], { delimiter }: FileStyle): string {
  const quote = (text: string): string => (text.includes(delimiter) ? `"${text}"` : text);
  return table.map((cells) => `${cells.map(quote).join(delimiter)}\n`).join("");
}
