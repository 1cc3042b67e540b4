import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FieldType, FormatPins } from "../../src/fields/type-text.ts";
import { AMOUNT, DATE } from "../fields/read-as.ts";

/** One text and the value that a public table gives it; `undefined` if the table says that it has none. */
export interface FormatCase {
  readonly table: string;
  readonly text: string;
  readonly type: FieldType;
  readonly pins: FormatPins;
  readonly expected: string | undefined;
}

interface Price {
  readonly price_raw: string | null;
  readonly decimal_separator: string | null;
  readonly amount: string | null;
}

interface Recognized {
  readonly Input: string;
  readonly Results: readonly {
    readonly Text: string;
    readonly Resolution?: { readonly value?: string | null } | null;
    readonly Value?: { readonly Timex?: string } | null;
  }[];
}

/** The cases of all tables in a directory that give one date or amount for a text. */
export function* readFormatTables(directory: string): Generator<FormatCase> {
  const json = (name: string): unknown =>
    JSON.parse(readFileSync(join(directory, name), "utf8").replace(/^\uFEFF/, ""));
  const dates = json("date-cases.json") as { input: string; expected: string | null }[];
  const icuDates = json("icu77_datetime.json") as Record<string, string>[];
  const prices = json("price-parser-cases.json") as Price[];
  for (const { input, expected } of dates) {
    yield dateCase("date-cases", input, expected?.slice(0, 10));
  }
  for (const entry of icuDates) {
    if (entry["locale"] !== "en" || entry["calendar"] !== "gregorian" || entry["dateLength"] === undefined)
      continue;
    yield dateCase("icu77_datetime", entry["expected"] ?? "", entry["input"]?.slice(0, 10));
  }
  for (const { price_raw: text, decimal_separator: mark, amount } of prices) {
    if (text !== null)
      yield amountCase("price-parser", text, amount ?? undefined, mark === "," || mark === "." ? mark : null);
  }
  yield* readIcuParsing(readFileSync(join(directory, "icu78_numberformattestspecification.txt"), "utf8"));
  for (const name of readdirSync(join(directory, "recognizers-text")).toSorted()) {
    for (const { Input, Results } of json(join("recognizers-text", name)) as Recognized[]) {
      const [only] = Results;
      if (only === undefined || Input.trim() !== only.Text) continue;
      if (/Date/.test(name)) {
        const timex = only.Value?.Timex ?? "";
        if (/^\d{4}-\d\d-\d\d$/.test(timex)) yield dateCase(name, Input, timex);
      } else if (typeof only.Resolution?.value === "string") {
        // Some of these tables write values with the decimal mark of their language.
        yield amountCase(name, Input, only.Resolution.value.replace(",", "."), null);
      }
    }
  }
}

function dateCase(table: string, text: string, expected: string | undefined): FormatCase {
  return { table, text, type: DATE, pins: {}, expected };
}

function amountCase(
  table: string,
  text: string,
  expected: string | undefined,
  decimal: "," | "." | null,
): FormatCase {
  return { table, text, type: AMOUNT, pins: decimal === null ? {} : { decimal }, expected };
}

/** The blocks of the specification whose tests parse a text in a locale with a known decimal mark. */
function* readIcuParsing(text: string): Generator<FormatCase> {
  let settings = "";
  let columns: readonly string[] | undefined;
  for (const raw of text.split("\n")) {
    const line = raw.replaceAll(/\\u([0-9A-Fa-f]{4})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (line.trim() === "") {
      settings = "";
      columns = undefined;
    } else if (line.startsWith("//") || line === "begin") {
      continue;
    } else if (/^(?:test|set) /.test(line)) {
      settings += `${line}\n`;
    } else if (columns === undefined) {
      columns = line.split("\t");
    } else {
      // Other settings of a block (integers only, strict patterns, a currency) cannot be seen in the text.
      if (/^set (?!locale |pattern )|%/m.test(settings)) continue;
      const cells = new Map(line.split("\t").map((cell, at) => [columns?.[at], cell]));
      if (cells.get("output") === "fail" && (cells.has("currency") || cells.has("outputCurrency"))) continue;
      const locale = /set locale (\w\w)/.exec(settings)?.[1] ?? cells.get("locale")?.slice(0, 2) ?? "";
      const decimal = { en: ".", fr: ",", de: ",", es: ",", it: "," }[locale] as "," | "." | undefined;
      const parsed = cells.get("parse");
      const output = cells.get("output");
      if (decimal === undefined || parsed === undefined || output === undefined) continue;
      yield amountCase("icu78_number", parsed, output === "fail" ? undefined : output, decimal);
    }
  }
}
