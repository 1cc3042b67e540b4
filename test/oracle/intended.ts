import type { Intended } from "./judge.ts";

/** The codes of questions that the build we compare with did not ask. */
const QUESTIONS: readonly (readonly [code: RegExp, because: string])[] = [
  [/near-miss/, "the key is never guessed: the columns that may be it are one question"],
  [
    /undeclared-type/,
    "values which look like a date or an amount under a name for one, or two and at least a third elsewhere, ask",
  ],
  [/undeclared-columns/, "any other column that holds a value is a question, all at once"],
  [/ambiguous-amount/, "point or comma by the column's own cells, else a question"],
  [
    /ambiguous-date/,
    "day and month by the column's own evidence, else by the other date columns, else a question",
  ],
  [/invalid-rows|all-rows-invalid/, "a row unlike all others is a question"],
  [/cut-file/, "if it ends without a line end and its last cell is unlike its column, it stops"],
  [
    /no-header|no-field|header/,
    "anything else asks for the header: words only, one line only, a second line of names",
  ],
  [/delimiter/, "other delimiters by --delimiter, one column by --delimiter none"],
  [/encoding/, "anything else asks, with one line in the four readings that fit best"],
  [/quote/, "an apostrophe is a quote only by --quote"],
  [
    /repeated-field|unmatched-columns/,
    "two equal names, or a name that is missing, ask for that column by position",
  ],
  [/other-answer/, "200 and any other JSON with msg: stop, showing the answer"],
  [
    /stale-run/,
    "an update is passed over if later accepted rows of its key give every field; --stale-ok sends them",
  ],
];

/** Records that both builds send otherwise, or that only the new one sends. */
const RECORDS: readonly Intended[] = [
  {
    case: /^named\/the config that init wrote/,
    where: "received.regle",
    because: "amount if they are numbers of any style, plain ones included",
  },
  {
    where: /^received\./,
    old: /^\s|\s$|^\+|^="\d+"$|^\d+$|^-?\d\.0e\+\d+$/,
    new: /^-?\d+(?:\.\d+)?$/,
    because:
      "a column of digits or amounts is typed so: blanks, signs of spreadsheets and exponents are undone, zeros are kept",
  },
  {
    where: /^received\./,
    old: /^\d+$/,
    new: /^GEL \d+$/,
    because: "letters before a number are no currency there",
  },
  {
    where: /^received\./,
    old: /^\d+\.\d{11,}$/,
    new: /^\d+\.?\d*$/,
    because: "a number of a workbook has the fifteen digits that Excel keeps",
  },
  {
    where: /^received\./,
    old: /^(?:\d{5}|[\d ]+,\d\d €)$/,
    new: /^\d+(?:\.\d+|-\d\d-\d\d)$/,
    code: /undeclared-type/,
    because: "under a date's or an amount's name, values that look like one ask, and the answer reads them",
  },
  {
    where: /^received\./,
    old: /^\d{4}-\d\d-\d\d$/,
    new: /^\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d/,
    because: "moments with a time, year first: text, noted",
  },
  {
    where: /^received/,
    old: null,
    code: /^(?:unclear-delimiter,)?no-header|no-header,unmatched-columns|json-several-arrays/,
    because: "each question names an option that leads on: equal names and lines without a header too",
  },
];

/** Scenarios that were read one by one. */
const SCENARIOS: readonly Intended[] = [
  {
    case: "scenario/45",
    where: "event:summary.skipped",
    covers: "case",
    because: "delta: compared with the same content and with pushes that are open or left rows",
  },
  {
    case: "scenario/45",
    where: "received",
    new: null,
    because: "delta: compared with the same content and with pushes that are open or left rows",
  },
  {
    where: /^(?:received|exit)$/,
    code: "creates-unidentified",
    because: "an identity given later is known, as each push keeps the hashes of its unique fields",
  },
  {
    case: /^scenario\/(?:91|163)$/,
    where: "received",
    new: null,
    because: "files of rows have one rule for their place, and so a person met fewer names to push again",
  },
  {
    case: "scenario/126",
    where: "received",
    code: "other-answer",
    because: "200 and any other JSON with msg: stop; the person said resend without a look",
  },
  {
    case: "scenario/182",
    where: "exit",
    old: "2",
    new: "0",
    because: "a line whose doubt is already decided says so, decides nothing, and goes on",
  },
];

/** What is said in other words, and files of rows with other columns. */
const WORDS: readonly Intended[] = [
  { where: /^std(?:out|err)$/, because: "plain English: subject, verb, object, one clause" },
  {
    where: /^event:\w+\.(?:message|hint|text|notices|next|reason|unpinned|samples)$/,
    because: "plain English: subject, verb, object, one clause; each stop names what leads on",
  },
  {
    where: /^event:(?:notice\.isAlwaysShown|run\.config\w*)$/,
    because: "an event has one form: what --quiet shows is marked, and the configs in use are one list",
  },
  {
    where: "event:summary.openRuns",
    because: "an open run whose file is gone is closed once later pushes overtook its updates",
  },
  {
    where: /^event:notice$/,
    because: "notes that matter are noted always; what remembered who was told once is gone",
  },
  {
    where: /^file:.*\.(?:rejects|in-doubt)(?:-\d+)?\.\w+$/,
    because:
      "the row as it was, after its marker columns, _later_line among them; rows in doubt with run and doubt",
  },
  {
    where: /^file:.*\.(?:changed|superseded)(?:-\d+)?\.\w+$/,
    because:
      "in place of .superseded and .changed files: _later_line, a count in the summary, rows in --results",
  },
  { where: "event:summary.rejectsFiles", because: "files of superseded rows are gone" },
  {
    where: "event:run.rowsToMend",
    because: "a reject that is not mended outlives pruning, with the name of its file",
  },
  {
    where: /^event:survey(?:\.(?:columns|fingerprint))?$/,
    because: "marker columns and types of undeclared columns are others",
  },
  { where: "event:reject.column", because: "marker columns are others" },
  { where: /^event:run\.(?:report|doubt)$/, because: "a doubt has a name; a run keeps no report" },
  {
    where: /^event:error/,
    code: /json-places|nested-members/,
    covers: "case",
    because: "where the records are: the question lists paths with counts; nested members are one question",
  },
  {
    where: "event:reject.value",
    old: /^#(?:TIME|LEAPDAY)!/,
    new: /^#DATE!/,
    because: "a number of a workbook that is no day is one fault, with the number",
  },
  {
    where: "event:reject",
    old: null,
    new: /"value":"#CUT! /,
    because: "a number of a workbook has the fifteen digits that Excel keeps",
  },
  {
    where: "event:reject.value",
    old: /e\+\d+$/,
    because: "a number of a workbook is shown as Excel shows it",
  },
  { where: "file:rec-push.config.json", because: "numbers of any style are amounts, plain ones included" },
  {
    where: "command",
    old: / --escape " /,
    because: "a quote is doubled where nothing else is said",
  },
  {
    where: "command",
    new: / --map "?([^="]+)"?=\1(?= |$)/i,
    because: "fields made from headers are lower case",
  },
  {
    where: "command",
    new: / --sparse skip/,
    because: "a row that lacks most is answered by --sparse, a total by --totals",
  },
];

/** Differences from the build we compare with that the contract wants, each with its sentence. */
export const INTENDED: readonly Intended[] = [
  ...QUESTIONS.flatMap(([code, because]): Intended[] => [
    { where: "exit", code, covers: "case", because },
    { where: /^event:error/, code, covers: "case", because },
  ]),
  ...RECORDS,
  ...SCENARIOS,
  ...WORDS,
];
