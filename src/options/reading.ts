import type { TotalsAnswer } from "../fields/odd/suspects.ts";
import type { SurveyReport } from "../model/decimal-of.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { type Dialect, isTabular, SHEET_FILE_DIALECT } from "../model/reading.ts";
import { badOptionValue } from "../model/refer-to-sheets.ts";
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
  AS_NUMBER,
  AS_QUANTITY,
  AS_FLAG,
  AS_LIST,
  asText,
  inTable,
  option,
  REPLACE,
  replaceUnless,
  type SettledPush,
} from "./declaration.ts";
import {
  AS_TEXTS,
  asGiven,
  choice,
  DECIDES_NOTHING,
  flag,
  KEPT,
  LEFT_OUT,
  negated,
  NO_VARIABLE,
  NOT_IN_CONFIG,
  NOT_PINNED,
  pinned,
  PINNED_AS_GIVEN,
  REPEATED,
  SETTLED_BY_SURVEY,
  settledAnew,
  text,
  texts,
  unwritten,
  yesOrNo,
} from "./output.ts";
import { countFrom, parseBytes } from "./values.ts";

/** Options for reading a file. A run keeps them, because another reading gives other records. */
const READING = {
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
} as const;

/** The mended file is read as this one, and so are later ones. */
const AS_GIVEN = { mended: REPEATED, init: PINNED_AS_GIVEN } as const;

/** Where the rows are in a file that holds more: a part of the group "Reading". */
const PLACE_OPTIONS = {
  sheet: option({
    ...READING,
    form: text("<name>", asGiven<string>),
    help: "sheet of a workbook (default: the first that holds a table)",
    config: [inTable(asText(), REPLACE)],
    // The rows of another sheet are other content.
    records: DECIDES_NOTHING,
    // The rejects of a workbook are CSV.
    mended: settledAnew(() => []),
    // A sheet that was not chosen among others may have another name tomorrow, such as that of the month.
    init: pinned(({ reading: { sheet, pins } }, _, texts) =>
      texts["sheet"] !== undefined || pins.some(({ what }) => what === "sheet") ? sheet : undefined,
    ),
  }),
  jsonPath: option({
    ...READING,
    form: text("<member>", asGiven<string>),
    help: "member that holds the records, or the one record: data, result.items",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (member = "") => member },
    // The rejects file has one record a line.
    mended: settledAnew(() => []),
    init: PINNED_AS_GIVEN,
  }),
  flatten: option({
    ...READING,
    form: flag(),
    help: "take the members of objects inside a JSON record too: customer.email goes to customer_email",
    config: [inTable(AS_FLAG, REPLACE)],
    records: { kind: "compared", describe: yesOrNo },
    ...AS_GIVEN,
  }),
};

/** The dialect of a CSV, and of the rejects of a workbook. */
function csvDialect({ reading: { format, dialect } }: SurveyReport): Dialect | undefined {
  if (format === "xlsx") return SHEET_FILE_DIALECT;
  return format === "csv" ? dialect : undefined;
}

/** A rejects file in CSV has the dialect of its input. */
function settledInCsv(spell: (dialect: Dialect) => string | undefined): ReturnType<typeof settledAnew> {
  return settledAnew(({ survey }: SettledPush) => {
    const dialect = csvDialect(survey);
    const text = dialect && spell(dialect);
    return text === undefined ? [] : [text];
  });
}

/** `init` writes the marks of a CSV; a workbook has none. */
function pinnedInCsv(spell: (dialect: Dialect) => string): ReturnType<typeof pinned> {
  return pinned(({ reading: { format, dialect } }) =>
    format === "csv" && dialect !== undefined ? spell(dialect) || undefined : undefined,
  );
}

/** A delimiter as the option is written. */
function spellDelimiter(delimiter: string): string {
  return delimiter === "\t" ? "tab" : delimiter;
}

/** The encoding with which the file was read; forced if the option forced it. */
function spellEncoding({ reading }: SurveyReport, { encoding }: OptionTexts): string {
  return typeof encoding === "string" && encoding.endsWith("!") ? `${reading.encoding}!` : reading.encoding;
}

/** The group "Reading". */
export const READING_OPTIONS = {
  format: option({
    ...READING,
    form: text("<name>", parseFormat),
    help: "csv, json, ndjson or xlsx (default: detected from the content)",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledAnew(({ survey, merged }) => {
      if (csvDialect(survey) === undefined) return ["ndjson"];
      return merged["format"] === undefined ? [] : ["csv"];
    }),
    init: pinned(({ reading }) => reading.format),
  }),
  ...PLACE_OPTIONS,
  encoding: option({
    ...READING,
    form: text("<name>", parseEncoding),
    help: "utf-8, windows-1252, cp850 ...; with ! after it even if the content disproves it (default: detected from the content)",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledAnew(({ survey, merged }) =>
      survey.reading.encoding === "utf-8" && merged["encoding"] === undefined
        ? []
        : [spellEncoding(survey, merged)],
    ),
    // A later file may have letters, which show it.
    init: pinned((survey, _, texts) =>
      survey.reading.isPlainAscii === true ? undefined : spellEncoding(survey, texts),
    ),
  }),
  delimiter: option({
    ...READING,
    form: text("<char>", parseDelimiter),
    help: "what separates cells: ',' ';' '|' tab, or none for one column (default: detected from the content)",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledInCsv(({ delimiter }) => nameDelimiter(delimiter)),
    init: pinned(({ reading: { format, dialect, columns } }) => {
      if (format !== "csv" || dialect === undefined) return undefined;
      return columns.length === 1 ? ONE_COLUMN : spellDelimiter(dialect.delimiter);
    }),
  }),
  quote: option({
    ...READING,
    form: text("<char>", parseQuote),
    help: "what quotes cells: '\"' or \"'\" or none",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledInCsv(({ quote }) => (quote === "" ? "none" : quote)),
    init: pinnedInCsv(({ quote }) => quote),
  }),
  escape: option({
    ...READING,
    form: unwritten(parseEscape),
    help: "what escapes a quote inside quotes: the quote itself or a backslash (default: detected from the content)",
    commands: {},
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: LEFT_OUT,
    init: pinnedInCsv(({ escape }) => escape),
  }),
  headerLine: option({
    ...READING,
    form: text("<n>", countFrom(1)),
    help: "line of the header",
    config: [
      inTable(
        AS_NUMBER,
        replaceUnless((more) => more["header"] === false),
      ),
    ],
    records: SETTLED_BY_SURVEY,
    mended: settledInCsv(({ headerLine, dataLine }) => String(headerLine ?? dataLine)),
    init: PINNED_AS_GIVEN,
  }),
  header: option({
    ...READING,
    form: negated(),
    help: "the file has no header; columns are named by position: --map 3=field",
    config: [
      inTable(
        AS_FLAG,
        replaceUnless((more) => more["headerLine"] !== undefined),
      ),
    ],
    records: SETTLED_BY_SURVEY,
    // The rejects file has a header, or --header-line names the first line of its data.
    mended: settledAnew(() => []),
    init: pinned(({ reading }) => (isTabular(reading.format) && reading.headerless ? false : undefined)),
  }),
  skipLines: option({
    ...READING,
    form: text("<n>", countFrom(0)),
    help: "lines to leave out at the top",
    config: [inTable(AS_NUMBER, REPLACE)],
    records: SETTLED_BY_SURVEY,
    // The rejects of a workbook begin with the header.
    mended: settledAnew(({ survey, line, merged: { skipLines = "0" } }) => {
      if (survey.reading.format !== "xlsx") return textsOf(line, "skipLines");
      return Number(skipLines) > 0 ? ["0"] : [];
    }),
    init: PINNED_AS_GIVEN,
  }),
  skipFooter: option({
    ...READING,
    form: text("<n>", countFrom(0)),
    help: "rows to leave out at the end",
    config: [inTable(AS_NUMBER, REPLACE)],
    records: { kind: "compared", describe: (rows = 0) => String(rows) },
    // The last line of the rejects file is a reject.
    mended: settledAnew(({ survey, merged: { skipFooter = "0" } }) =>
      csvDialect(survey) !== undefined && Number(skipFooter) > 0 ? ["0"] : [],
    ),
    init: PINNED_AS_GIVEN,
  }),
  whole: option({
    ...READING,
    form: flag(),
    help: "the file is complete, although its last cell looks cut",
    config: NOT_IN_CONFIG,
    records: DECIDES_NOTHING,
    mended: LEFT_OUT,
    init: NOT_PINNED,
  }),
  totals: option({
    ...READING,
    form: texts("<answer>", AS_TEXTS, parseTotals),
    help: "rows that look like totals: skip leaves them out, keep=TEXT takes those with this text as rows (default: they are invalid)",
    config: [inTable(AS_LIST, ADD_UP)],
    records: { kind: "compared", describe: describeTotals },
    ...AS_GIVEN,
  }),
  sparse: option({
    ...READING,
    form: choice("<answer>", ["skip", "keep"]),
    help: "rows that lack most of what the others hold: skip leaves them out, keep takes them as rows (default: they are invalid)",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (answer) => answer ?? "" },
    ...AS_GIVEN,
  }),
  comment: option({
    ...READING,
    form: text("<char>", parseComment),
    help: "leave out lines that begin with this",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    ...AS_GIVEN,
  }),
  maxRowBytes: option({
    ...READING,
    form: unwritten(parseBytes),
    help: "longest row (default: 1MiB)",
    commands: {},
    config: [inTable(AS_QUANTITY, REPLACE)],
    records: { kind: "compared", describe: (bytes = DEFAULT_MAX_ROW_BYTES) => String(bytes) },
    ...AS_GIVEN,
  }),
};

const KEEP = "keep=";

/** `skip`, and `keep=TEXT` for each text that is none of a total. */
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
