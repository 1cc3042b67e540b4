import type { RecordKind } from "../../src/model/settlement.ts";
import { columnName, escapeXml, workbookOf } from "../support/workbook.ts";
import type { Draw } from "./random.ts";

/** A row of a chaos file. Its number identifies it in the service. */
export interface ChaosRow {
  readonly line: number;
  readonly kind: RecordKind;
  /** Its position among the updates or the creates. */
  readonly ordinal: number;
  readonly key: string | undefined;
  readonly number: string;
  /** The service refuses it in every batch. */
  readonly isBad: boolean;
}

/** Creates, updates and, unless `areDistinct`, repeated keys in any order, a few of them bad. */
export function drawRows(draw: Draw, areDistinct = false): ChaosRow[] {
  const keys = draw.between(10, 120);
  const createsPercent = draw.between(10, 80);
  const counts = { create: 0, update: 0 };
  return Array.from({ length: draw.between(150, 500) }, (_, at) => {
    const kind = draw.percent(createsPercent) ? "create" : "update";
    return {
      line: at + 2,
      kind,
      ordinal: counts[kind]++,
      key: kind === "update" ? `K${areDistinct ? at : draw.between(1, keys)}` : undefined,
      number: String(100_000 + at),
      isBad: draw.percent(1),
    };
  });
}

/** A column that is left out of the records. It makes the file so large that a thread prepares them. */
export const FILLER = "remplissage";
const LARGE_BYTES = 5_000_000;

/** The format in which the rows are written. */
export type ChaosFormat = "csv" | "xlsx";

/** The rows as a file of that format. */
export function toFile(rows: readonly ChaosRow[], isLarge: boolean, format: ChaosFormat): Buffer {
  const filler = "x".repeat(isLarge ? LARGE_BYTES / rows.length : 1);
  const cells = rows.map(({ key = "", number, isBad }) => [key, number, isBad ? "bad" : "good", filler]);
  const all = [["cle", "num_commande", "etat", FILLER], ...cells];
  return format === "csv" ? Buffer.from(`${all.map((row) => row.join(",")).join("\n")}\n`) : toWorkbook(all);
}

/** The rows as a CSV file. */
export function toCsv(rows: readonly ChaosRow[], isLarge: boolean): string {
  return toFile(rows, isLarge, "csv").toString();
}

/** Numbers are written as numbers, and every third text is a shared string. */
function toWorkbook(rows: readonly (readonly string[])[]): Buffer {
  const shared: string[] = [];
  const cell = (text: string, place: string, isShared: boolean): string => {
    if (text === "") return "";
    if (/^\d+$/.test(text)) return `<c r="${place}"><v>${text}</v></c>`;
    if (!isShared) return `<c r="${place}" t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`;
    return `<c r="${place}" t="s"><v>${shared.push(text) - 1}</v></c>`;
  };
  const xml = rows.map(
    (texts, at) =>
      `<row r="${at + 1}">${texts.map((text, column) => cell(text, `${columnName(column)}${at + 1}`, at % 3 === 0)).join("")}</row>`,
  );
  const strings = shared.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join("");
  return workbookOf({ sheets: [{ rows: xml.join("") }], strings });
}
