import type { Draw } from "../random.ts";
import type { Cells } from "./shop.ts";

/** The style in which a night's file is written. */
export interface FileStyle {
  readonly format: "csv" | "json" | "ndjson";
  readonly delimiter: string;
  readonly encoding: "utf-8" | "utf-8 with mark" | "windows-1252";
  readonly lineEnd: string;
  readonly title: string | undefined;
  /** A blank line follows after this many rows. */
  readonly blankAfter: number | undefined;
  readonly isReversed: boolean;
  /** How the header spells the client. */
  readonly clientHeader: string;
  readonly hasIsoDates: boolean;
  readonly endsLastLine: boolean;
  readonly isQuoted: boolean;
  /** True if there is a column that earlier files do not have. */
  readonly hasRemarks: boolean;
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
  encoding: "utf-8",
  lineEnd: "\n",
  title: undefined,
  blankAfter: undefined,
  isReversed: false,
  clientHeader: "client",
  hasIsoDates: false,
  endsLastLine: true,
  isQuoted: false,
  hasRemarks: false,
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
    { encoding: draw.oneOf(["utf-8 with mark", "windows-1252"] as const) },
    { lineEnd: "\r\n" },
    { title: `Export du soir ${draw.between(1, 400)}` },
    { blankAfter: draw.between(0, 20) },
    { isReversed: true },
    { clientHeader: draw.oneOf(["Client", "Nom du client"]) },
    { hasIsoDates: true },
    { endsLastLine: false },
    { isQuoted: true },
  ];
  return draw.oneOf(changes);
}

/** Writes rows in a style. */
export function writeExport(rows: readonly Cells[], hasNumbers: boolean, style: FileStyle): ExportBytes {
  const fields: (keyof Cells | "note")[] = [
    ...(hasNumbers ? (["num_commande"] as const) : []),
    "date_billed",
    "actual_billable_amount",
    "client",
    ...(style.hasRemarks ? (["note"] as const) : []),
  ];
  if (style.isReversed) fields.reverse();
  const names = fields.map((field) => (field === "client" ? style.clientHeader : field));
  const table = rows.map((row) =>
    fields.map((field) => (field === "note" ? "remarque" : spell(field, row[field], style))),
  );
  const options = [
    ...(style.clientHeader === "Nom du client" ? ["--map", "Nom du client=client"] : []),
    ...(style.hasRemarks ? ["--type", "note=text"] : []),
    ...(style.encoding === "windows-1252" && style.format === "csv" ? ["--encoding", "windows-1252"] : []),
  ];
  return { ...(style.format === "csv" ? asCsv(names, table, style) : asJson(names, table, style)), options };
}

function spell(field: keyof Cells, value: string, { format, delimiter, hasIsoDates }: FileStyle): string {
  if (field === "date_billed" && !hasIsoDates) return value.split("-").toReversed().join("/");
  if (field === "actual_billable_amount" && format === "csv" && delimiter === ";")
    return value.replace(".", ",");
  return value;
}

type Written = Omit<ExportBytes, "options">;

function asJson(
  names: readonly string[],
  table: readonly (readonly string[])[],
  { format }: FileStyle,
): Written {
  const objects = table.map((cells) =>
    JSON.stringify(Object.fromEntries(names.map((name, at) => [name, cells[at]]))),
  );
  const text = format === "json" ? `[${objects.join(",\n")}]\n` : objects.map((line) => `${line}\n`).join("");
  return { bytes: Buffer.from(text), lines: objects.map((_, at) => at + 1) };
}

function asCsv(names: readonly string[], table: readonly (readonly string[])[], style: FileStyle): Written {
  const { delimiter, title, blankAfter, lineEnd, endsLastLine, isQuoted, encoding } = style;
  const quote = (text: string): string => (isQuoted || text.includes(delimiter) ? `"${text}"` : text);
  const all = [...(title === undefined ? [] : [title]), names.join(delimiter)];
  const lines: number[] = [];
  for (const [at, cells] of table.entries()) {
    if (at === blankAfter) all.push("");
    all.push(cells.map(quote).join(delimiter));
    lines.push(all.length);
  }
  const text = all.join(lineEnd) + (endsLastLine ? lineEnd : "");
  switch (encoding) {
    case "utf-8":
      return { bytes: Buffer.from(text), lines };
    case "utf-8 with mark":
      return { bytes: Buffer.from(`\ufeff${text}`), lines };
    case "windows-1252":
      // The only letter of the shop's files whose byte in windows-1252 is not that of Latin-1.
      return { bytes: Buffer.from(text.replaceAll("œ", "\u009c"), "latin1"), lines };
  }
}
