import { readOrStop } from "../fields/read-as.ts";
import { readFormatTables } from "./format-tables.ts";

const STOPS_EARLY = "right here: the table's parser stops inside the text and loses the rest";

/** Who is right where both read a text, and read it differently. */
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

/** How one table compares. */
interface TableCount {
  agreed: number;
  /** Has a value in the table and is refused, or stops the run as not certain. */
  refused: number;
  /** Has no value in the table and is refused. */
  bothRefuse: number;
  differ: string[];
}

/** What the comparison says, a line each, and the differences that nobody has judged. */
interface Comparison {
  readonly lines: readonly string[];
  readonly unjudged: readonly string[];
}

/** Compares every case with what is read; a line a table, and one for each text that two read differently. */
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

/** Decimal zeros and signs of zero do not count. */
function isSame(read: string, expected: string): boolean {
  return plain(read) === plain(expected);
}

function plain(value: string): string {
  const text = value.includes(".") ? value.replace(/\.?0+$/, "") : value;
  return text.replace(/^-0$/, "0");
}
