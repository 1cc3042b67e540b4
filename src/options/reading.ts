import type { TotalsAnswer } from "../fields/odd/suspects.ts";
import type { SurveyReport } from "../model/counts.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { type Dialect, isTabular, SHEET_FILE_DIALECT } from "../model/reading.ts";
import { badOptionValue } from "../model/text.ts";
import { nameDelimiter, ONE_COLUMN } from "../read/csv/csv-dialect.ts";
import {
  parseComment,
  parseDelimiter,
  parseEncoding,
  parseEscape,
  parseFormat,
  parseQuote,
} from "../read/parse-read-option.ts";
import { DEFAULT_MAX_ROW_BYTES } from "../read/read-options.ts";
import {
  ADD_UP,
  AS_TEXTS,
  asGiven,
  choice,
  flag,
  IN_TABLE,
  NEGATED,
  option,
  replaceUnless,
  type SettledPush,
  text,
  texts,
} from "./declaration.ts";
import { numberFrom, parseBytes } from "./quantities.ts";

/**
 * Options for reading a file. A run keeps them, because another reading gives other records. The mended file is read as the
 * first one, and so are later ones.
 */
const READING = {
  group: "Reading:",
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  config: IN_TABLE,
  journal: "text",
  records: "settled",
  mended: "repeated",
  init: "given",
} as const;

/** The dialect of a CSV, and of the rejects of a workbook. */
function csvDialect({ reading: { format, dialect } }: SurveyReport): Dialect | undefined {
  if (format === "xlsx") return SHEET_FILE_DIALECT;
  return format === "csv" ? dialect : undefined;
}

/** A rejects file in CSV has the dialect of its input. */
function settledInCsv(spell: (dialect: Dialect) => string) {
  return ({ survey }: SettledPush): readonly string[] => {
    const dialect = csvDialect(survey);
    return dialect === undefined ? [] : [spell(dialect)];
  };
}

/** `init` writes the marks of a CSV; a workbook has none. */
function pinnedInCsv(spell: (dialect: Dialect) => string) {
  return ({ reading: { format, dialect } }: SurveyReport): string | undefined =>
    format === "csv" && dialect !== undefined ? spell(dialect) || undefined : undefined;
}

/** A rejects file does not need it: it is CSV with a header, or has one record a line. */
const notInRejects = (): readonly string[] => [];

/** The encoding with which the file was read; forced if the option forced it. */
function spellEncoding({ reading }: SurveyReport, { encoding }: OptionTexts): string {
  return typeof encoding === "string" && encoding.endsWith("!") ? `${reading.encoding}!` : reading.encoding;
}

export const READING_OPTIONS = {
  format: option({
    ...READING,
    form: text("<name>", parseFormat),
    help: "csv, json, ndjson or xlsx (default: detected from the content)",
    mended: ({ survey, merged }) => {
      if (csvDialect(survey) === undefined) return ["ndjson"];
      return merged["format"] === undefined ? [] : ["csv"];
    },
    // The content shows the format, and another program may write the table in another one.
    init: "given",
  }),
  sheet: option({
    ...READING,
    form: text("<name>", asGiven<string>),
    help: "sheet of a workbook (default: the first that holds a table)",
    // The rows of another sheet are other content.
    records: "none",
    mended: notInRejects,
    // A sheet that was not chosen among others may have another name tomorrow, such as that of the month.
    init: ({ reading: { sheet, pins } }, _, texts) =>
      texts["sheet"] !== undefined || pins.some(({ what }) => what === "sheet") ? sheet : undefined,
  }),
  jsonPath: option({
    ...READING,
    form: text("<member>", asGiven<string>),
    help: "member that holds the records, or the one record: data, result.items",
    records: { describe: (member = "") => member },
    mended: notInRejects,
  }),
  flatten: option({
    ...READING,
    form: flag(),
    help: "send the members of objects in a JSON record: customer.email goes to customer_email",
    records: { describe: (isSet) => (isSet === true ? "yes" : "no") },
  }),
  encoding: option({
    ...READING,
    form: text("<name>", parseEncoding),
    help: "utf-8, windows-1252, cp850 ...; NAME! is used even if the content disproves it (default: detected from the content)",
    mended: ({ survey, merged }) =>
      survey.reading.encoding === "utf-8" && merged["encoding"] === undefined
        ? []
        : [spellEncoding(survey, merged)],
    // A later file may have letters that show its encoding.
    init: (survey, _, texts) =>
      survey.reading.isPlainAscii === true ? undefined : spellEncoding(survey, texts),
  }),
  delimiter: option({
    ...READING,
    form: text("<char>", parseDelimiter),
    help: "separator of cells: ',' ';' '|' tab, or none for one column (default: detected from the content)",
    mended: settledInCsv(({ delimiter }) => nameDelimiter(delimiter)),
    init: ({ reading: { format, dialect, columns } }) => {
      if (format !== "csv" || dialect === undefined) return undefined;
      if (columns.length === 1) return ONE_COLUMN;
      return dialect.delimiter === "\t" ? "tab" : dialect.delimiter;
    },
  }),
  quote: option({
    ...READING,
    form: text("<char>", parseQuote),
    help: "quotes around cells: '\"' or \"'\" or none",
    mended: settledInCsv(({ quote }) => (quote === "" ? "none" : quote)),
    init: pinnedInCsv(({ quote }) => quote),
  }),
  escape: option({
    ...READING,
    form: text("<char>", parseEscape),
    help: "escape of a quote inside quotes: the quote itself or a backslash (default: detected from the content)",
    commands: {},
    mended: "leftOut",
    init: pinnedInCsv(({ escape }) => escape),
  }),
  headerLine: option({
    ...READING,
    form: text("<n>", numberFrom(1)),
    help: "line of the header",
    merge: replaceUnless((more) => more["header"] === false),
    mended: settledInCsv(({ headerLine, dataLine }) => String(headerLine ?? dataLine)),
  }),
  header: option({
    ...READING,
    form: NEGATED,
    help: "the file has no header; columns are named by position: --map 3=field",
    merge: replaceUnless((more) => more["headerLine"] !== undefined),
    // Without a header, --header-line names the first line of the data.
    mended: notInRejects,
    init: ({ reading }) => (isTabular(reading.format) && reading.headerless ? false : undefined),
  }),
  skipLines: option({
    ...READING,
    form: text("<n>", numberFrom(0)),
    help: "lines to leave out at the top",
    // The rejects of a workbook begin with the header.
    mended: ({ survey, line, merged: { skipLines = "0" } }) => {
      if (survey.reading.format !== "xlsx") return textsOf(line, "skipLines");
      return Number(skipLines) > 0 ? ["0"] : [];
    },
  }),
  skipFooter: option({
    ...READING,
    form: text("<n>", numberFrom(0)),
    help: "rows to leave out at the end",
    records: { describe: (rows = 0) => String(rows) },
    // The last line of the rejects file is a reject.
    mended: ({ survey, merged: { skipFooter = "0" } }) =>
      csvDialect(survey) !== undefined && Number(skipFooter) > 0 ? ["0"] : [],
  }),
  shortRows: option({
    ...READING,
    form: flag(),
    help: "cells that a row lacks at its end are empty (default: the row is rejected)",
    records: { describe: (isSet) => (isSet === true ? "yes" : "no") },
  }),
  whole: option({
    ...READING,
    form: flag(),
    help: "the file is complete, although its last cell looks cut",
    config: [],
    records: "none",
    mended: "leftOut",
    init: "none",
  }),
  totals: option({
    ...READING,
    form: texts("<answer>", AS_TEXTS, parseTotals),
    help: "rows that look like totals: skip leaves them out, keep=TEXT sends those with this text (default: they are invalid)",
    merge: ADD_UP,
    records: { describe: describeTotals },
  }),
  sparse: option({
    ...READING,
    form: choice("<answer>", ["skip", "keep"]),
    help: "rows that lack most cells of the others: skip leaves them out, keep sends them (default: they are invalid)",
    records: { describe: (answer) => answer ?? "" },
  }),
  comment: option({
    ...READING,
    form: text("<char>", parseComment),
    help: "leave out lines that begin with this",
  }),
  maxRowBytes: option({
    ...READING,
    form: text("<size>", parseBytes),
    help: "longest row (default: 1MiB)",
    commands: {},
    records: { describe: (bytes = DEFAULT_MAX_ROW_BYTES) => String(bytes) },
  }),
  maxInputBytes: option({
    ...READING,
    form: text("<size>", parseBytes),
    help: "longest standard input or pipe, which is copied before it is read (default: 64GiB)",
    commands: {},
    journal: "nothing",
    records: "none",
    mended: "leftOut",
    init: "none",
  }),
};

const KEEP = "keep=";

/** `skip`, and `keep=TEXT` for each text that belongs to a record. */
function parseTotals(answers: readonly string[], option: string): TotalsAnswer {
  const kept = new Set<string>();
  for (const answer of answers) {
    const text = answer.startsWith(KEEP) ? answer.slice(KEEP.length).trim() : "";
    if (text !== "") kept.add(text);
    else if (answer !== "skip")
      throw badOptionValue(option, answer, "skip, or keep=TEXT with the text of the row");
  }
  return { isSkip: answers.includes("skip"), kept };
}

function describeTotals(answer: TotalsAnswer | undefined): string {
  if (answer === undefined) return "";
  return [...(answer.isSkip ? ["skip"] : []), ...Array.from(answer.kept, (text) => KEEP + text)]
    .sort()
    .join(", ");
}
