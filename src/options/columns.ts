import { normaliseName } from "../fields/columns/column-faults.ts";
import { KEY_FIELD, typeOfField, undeclaredType } from "../fields/columns/other-columns.ts";
import type { FieldOptions } from "../fields/field-options.ts";
import {
  checkPattern,
  parseDecimalMark,
  parseList,
  parseMap,
  parseNulls,
  parsePivotYear,
  parseSet,
  parseTimeZone,
  parseTypes,
  splitAtCommas,
} from "../fields/field-rule-texts.ts";
import { isDateFormat, parseDateFormat, parseType, spellType } from "../fields/type-text.ts";
import { type ColumnReport, markOf, type SurveyReport } from "../model/counts.ts";
import { isMarkerColumn } from "../model/marker-columns.ts";
import { textsOf } from "../model/option-texts.ts";
import { isTabular } from "../model/reading.ts";
import { quoteText } from "../model/text.ts";
import {
  ADD_UP,
  AS_TEXTS,
  asGiven,
  BETWEEN_COMMAS,
  byName,
  choice,
  flag,
  IN_TABLE,
  listed,
  type Merge,
  nameBefore,
  option,
  PAIRS,
  type SettledPush,
  text,
  texts,
} from "./declaration.ts";

/**
 * The field of each column. For JSON only if the names differ, because a member may be absent from the next file, and
 * the key that every row has: without it all of the next rows would be created.
 */
function pinnedMap(survey: SurveyReport): object | undefined {
  const { format, headerless } = survey.reading;
  const columns = ownColumns(survey);
  const nameOf = createNaming(columns, headerless);
  const used = columns
    .filter(isKnown)
    .flatMap((column) => (column.field === undefined ? [] : [[nameOf(column), column.field] as const]));
  const hasKeys = survey.counts.creates === 0;
  const named = used.filter(
    ([name, field]) => isTabular(format) || name !== field || (field === KEY_FIELD && hasKeys),
  );
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

/** The dropped columns. Columns without a name are not listed, because each push checks that they are empty. */
function pinnedDrop(survey: SurveyReport, { drop }: FieldOptions): readonly string[] | undefined {
  const columns = ownColumns(survey);
  const dropped = new Set(drop);
  const names = columns
    .filter(isKnown)
    .filter(({ field }) => field === undefined)
    .filter(({ header, column }) => header.trim() !== "" || dropped.has(String(column)))
    .map(createNaming(columns, false));
  return names.length === 0 ? undefined : names;
}

/**
 * The type of each field: that of its column, with the format that the values settled, else the type that was given. Beside a
 * path, that may be the type of a member around the records.
 */
function pinnedTypes(survey: SurveyReport, { types }: FieldOptions): object | undefined {
  const around = survey.reading.jsonPath === undefined ? [] : types;
  const pinned = new Map(Array.from(around, ([field, type]) => [field, spellType(type)]));
  for (const { field, type = "text", format } of ownColumns(survey).filter(isKnown)) {
    if (field === undefined) continue;
    const given = types.get(field) ?? { kind: type };
    const isOpen = given.kind === "date" && !("format" in given);
    const dated = isOpen && isDateFormat(format) ? { ...given, format } : given;
    const isMarked = dated.kind === "amount" && format !== undefined;
    pinned.set(field, spellType(isMarked ? { ...dated, decimal: markOf(format) } : dated));
  }
  return pinned.size === 0 ? undefined : Object.fromEntries(pinned);
}

/** The columns of the input itself, without those that a rejects file adds. */
function ownColumns({ columns }: SurveyReport): readonly ColumnReport[] {
  return columns.filter(({ header }) => !isMarkerColumn(header));
}

/** False for an empty column that nothing declares: its type only shows once it holds a value. */
function isKnown({ isUndeclared = false, isOther, samples }: ColumnReport): boolean {
  return !isUndeclared && (!isOther || samples.length > 0);
}

/** Names a column by its header, or by its position if several columns have that header. */
function createNaming(
  columns: readonly ColumnReport[],
  headerless: boolean,
): (column: ColumnReport) => string {
  const counts = new Map<string, number>();
  for (const { header } of columns) counts.set(header.trim(), (counts.get(header.trim()) ?? 0) + 1);
  return ({ header, column }) => {
    const name = header.trim();
    return headerless || name === "" || counts.get(name) !== 1 ? String(column) : name;
  };
}

/** A rule is dropped if the side with priority maps or drops its column, or maps another column to its field. */
const mergeMap: Merge = ({ less, more }) => {
  const rules = textsOf(more, "map");
  const columns = new Set(rules.map(columnOf));
  const fields = new Set(rules.map(fieldOf));
  for (const dropped of textsOf(more, "drop").flatMap(splitAtCommas)) columns.add(normaliseName(dropped));
  const kept = textsOf(less, "map").filter(
    (rule) => !columns.has(columnOf(rule)) && !fields.has(fieldOf(rule)),
  );
  return listed([...kept, ...rules]);
};

/** Both sides, without the columns that the side with priority maps. */
const mergeDrop: Merge = ({ less, more }) => {
  const mapped = new Set(textsOf(more, "map").map(columnOf));
  const drops = textsOf(less, "drop").filter((column) => !mapped.has(normaliseName(column)));
  return listed([...drops, ...textsOf(more, "drop")]);
};

function columnOf(rule: string): string {
  return normaliseName(rule.slice(0, Math.max(rule.lastIndexOf("="), 0)));
}

function fieldOf(rule: string): string {
  return rule.slice(rule.lastIndexOf("=") + 1).trim();
}

/** Options for columns and fields. A run keeps them. */
const COLUMNS = {
  group: "Columns and values:",
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  config: IN_TABLE,
  journal: "text",
  records: "settled",
  mended: "repeated",
  init: "given",
} as const;

/** A rule of one field, which only configs have: a run keeps the fields that they declare. */
const RULE = {
  ...COLUMNS,
  commands: {},
  config: [{ place: "field" }],
  journal: "nothing",
  records: "none",
  mended: "leftOut",
  init: "none",
} as const;

export const COLUMN_OPTIONS = {
  map: option({
    ...COLUMNS,
    form: texts("<column=field>", { kind: "pairs", sign: "=", split: "last" }, parseMap),
    help: "send a column, by header or position, as this field",
    merge: mergeMap,
    init: pinnedMap,
  }),
  drop: option({
    ...COLUMNS,
    form: texts("<columns>", BETWEEN_COMMAS, parseList),
    help: "leave these columns out, by header or position",
    merge: mergeDrop,
    init: pinnedDrop,
  }),
  keep: option({
    ...COLUMNS,
    form: texts("<columns>", BETWEEN_COMMAS, parseList),
    help: "send only these columns, by header or position",
    // Its effect is pinned as a list of columns to drop.
    init: "none",
  }),
  otherColumns: option({
    ...COLUMNS,
    form: choice("<how>", ["send", "drop"]),
    help: "columns that are not declared: send them under their names, or leave them out (else they stop the run)",
    records: { describe: (how) => how ?? "stop" },
  }),
  type: option({
    ...COLUMNS,
    form: texts("<field=type>", PAIRS, parseTypes),
    help: "text, digits, amount, amount:, date, date:DD/MM/YYYY ...",
    config: [{ place: "field", form: text("", parseType) }],
    mended: mendedTypes,
    init: pinnedTypes,
  }),
  set: option({
    ...COLUMNS,
    form: texts("<field=value>", PAIRS, parseSet),
    help: "send this value with every record",
    merge: byName("="),
  }),
  null: option({
    ...COLUMNS,
    form: texts("<values>", BETWEEN_COMMAS, parseNulls),
    help: 'cells that mean "no value": NULL,-',
    merge: ADD_UP,
    records: { describe: describeWords },
  }),
  keyLiteral: option({
    ...COLUMNS,
    form: texts("<words>", BETWEEN_COMMAS, parseNulls),
    help: "words that are keys although they do not look like keys: NA,-",
    merge: ADD_UP,
    records: { describe: describeWords },
  }),
  default: option({
    ...RULE,
    form: text("<value>", asGiven<string>),
    help: "value for an empty cell or a missing column",
  }),
  required: option({
    ...RULE,
    form: flag(),
    help: "true: a row without a value is invalid",
  }),
  pattern: option({
    ...RULE,
    form: text("<regexp>", checkPattern),
    help: "a regular expression (JavaScript, flag u) that the whole value matches",
  }),
  oneOf: option({
    ...RULE,
    form: texts("<values>", AS_TEXTS, asGiven<readonly string[]>),
    help: "the values that are possible",
  }),
  dateFormat: option({
    ...COLUMNS,
    form: text("<format>", parseDateFormat),
    help: "DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, DDMMYYYY, excel, epoch, epoch-ms",
    // Each date field has its own format, among the rules of the field.
    init: "none",
  }),
  decimal: option({
    ...COLUMNS,
    form: text("<mark>", parseDecimalMark, { values: [",", "."] }),
    help: "decimal mark of amounts",
  }),
  pivotYear: option({
    ...COLUMNS,
    form: text("<year>", parsePivotYear),
    help: "first of the hundred years that two digits mean: 45 is 1945 to 2044",
  }),
  timeZone: option({
    ...COLUMNS,
    form: text("<name>", parseTimeZone),
    help: "time zone whose day counts for date-times with a zone: Europe/Paris",
  }),
  empty: option({
    ...COLUMNS,
    form: choice("<how>", ["omit", "send"]),
    help: 'leave empty cells out (the default), or send them as ""',
    records: { describe: (how = "omit") => how },
  }),
  only: option({
    ...COLUMNS,
    form: choice("<kind>", ["updates", "creates"]),
    help: "treat rows of the other kind as invalid",
    records: { describe: (kind) => kind ?? "both kinds" },
  }),
  onRepeat: option({
    ...COLUMNS,
    form: choice("<how>", ["all", "last", "stop"]),
    help: "rows with the same key: send all in order (the default), only the last, or stop",
    records: { describe: (how = "all") => how },
  }),
  pinned: option({
    ...COLUMNS,
    form: flag(),
    help: "infer nothing: stop if an option is missing that says how the file is read",
    // The formats of a run are settled when it begins.
    journal: "nothing",
    records: "none",
  }),
  onInvalid: option({
    ...COLUMNS,
    form: choice("<how>", ["stop", "skip"]),
    help: "invalid rows stop the command before anything is sent (the default), or are left out",
    records: { describe: (how = "stop") => how },
    mended: "leftOut",
  }),
};

/** The types given, the date formats and marks that values settled, and the types of undeclared columns. */
function mendedTypes({ survey, line, merged, fields }: SettledPush): readonly string[] {
  const hasOwnMarks = merged["decimal"] === undefined;
  const settled = new Map(
    survey.columns.flatMap((column): [string, string][] => {
      const { field, format, type: kind, isOther, samples } = column;
      if (field === undefined || kind === undefined) return [];
      // A column without any value has no certain type.
      if (isOther && kind === "text" && samples.length === 0) return [];
      const given = typeOfField(field, fields);
      // Among the rows to be mended alone, most values may have another type.
      const isByValues = isOther && undeclaredType(field).kind === "text";
      const type = isByValues ? { kind } : given;
      const isOpen = type.kind === "date" && !("format" in type) && fields.pins.dateFormat === undefined;
      if (isOpen && isDateFormat(format)) return [[field, spellType({ ...type, format })]];
      const decimal = hasOwnMarks ? mendedMark(survey, column) : undefined;
      if (decimal !== undefined && type.kind === "amount") return [[field, spellType({ decimal, ...type })]];
      return isByValues ? [[field, spellType(type)]] : [];
    }),
  );
  const given = textsOf(line, "type").filter((pair) => !settled.has(nameBefore(pair, "=")));
  return [...given, ...[...settled].map(([field, type]) => `${field}=${type}`)];
}

/** The numbers of a workbook are written with a point there, whatever marks its texts have. */
function mendedMark({ reading }: SurveyReport, { format }: ColumnReport): "," | "." | undefined {
  if (format !== undefined) return markOf(format);
  return reading.format === "xlsx" ? "." : undefined;
}

function describeWords(words: readonly string[] = []): string {
  return [...words]
    .sort()
    .map((word) => quoteText(word))
    .join(", ");
}
