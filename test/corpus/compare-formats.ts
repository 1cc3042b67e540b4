import { readOrStop } from "../fields/read-as.ts";
import { readFormatTables } from "./format-tables.ts";

const STOPS_EARLY = "right here: the table's parser stops inside the text and loses the rest";

/** Texts that the table and rec-push read differently, and which of them is right. */
const VERDICTS: Readonly<Record<string, string>> = {
  "icu78_number 123,456": STOPS_EARLY,
  "icu78_number 123.456": "right here: its block takes whole numbers only",
  "icu78_number 123-": STOPS_EARLY,
  "icu78_number 123 -": STOPS_EARLY,
  "icu78_number 9\u00a0999": STOPS_EARLY,
  "icu78_number 9\u202f999": STOPS_EARLY,
  "icu78_number 9 999": STOPS_EARLY,
  "French_NumberModel.json -92321312.0": "right here: the table has the value of another text",
  "French_NumberModel.json 43894.0": "right here: the table has the value of another text",
  "French_NumberModel.json -8,954302433": "right here: the table has digits that the text does not have",
};

/** The result for one table. */
interface TableCount {
  agreed: number;
  /** Texts with a value in the table that rec-push refuses, or stops at because it is not certain. */
  refused: number;
  /** Texts without a value in the table that rec-push refuses. */
  bothRefuse: number;
  differ: string[];
}

/** The result in lines, and the differences without a verdict. */
interface Comparison {
  readonly lines: readonly string[];
  readonly unjudged: readonly string[];
}

/** Compares every case with what rec-push reads; one line per table, and one per text that is read differently. */
export function compareFormats(directory: string): Comparison {
  const unjudged: string[] = [];
  const tables = new Map<string, TableCount>();
  for (const { table, text, type, pins, expected } of readFormatTables(directory)) {
    const count = tables.get(table) ?? { agreed: 0, refused: 0, bothRefuse: 0, differ: [] };
    tables.set(table, count);
    const read = readOrStop(text, type, pins);
    const isRefused = read === "stopped" || read.startsWith("refused: ");
    if (isRefused && expected === undefined) count.bothRefuse += 1;
    else if (isRefused) count.refused += 1;
    else if (expected !== undefined && isSame(read, expected)) count.agreed += 1;
    else {
      const verdict = VERDICTS[`${table} ${text}`];
      const difference = `${JSON.stringify(text)} is ${read}, ${table} says ${expected ?? "nothing"}`;
      if (verdict === undefined) unjudged.push(difference);
      count.differ.push(`${difference}: ${verdict ?? "not judged"}`);
    }
  }
  const lines: string[] = [];
  for (const [table, { agreed, refused, bothRefuse, differ }] of tables) {
    lines.push(
      `${table}: ${agreed} read alike, ${refused} refused here only, ${bothRefuse} refused by both, ${differ.length} read differently`,
    );
    for (const text of differ) lines.push(`  ${text}`);
  }
  return { lines, unjudged };
}

/** Zeros after the decimals and the sign of zero make no difference. */
function isSame(read: string, expected: string): boolean {
  return plain(read) === plain(expected);
}

function plain(value: string): string {
  const text = value.includes(".") ? value.replace(/\.?0+$/, "") : value;
  return text.replace(/^-0$/, "0");
}
