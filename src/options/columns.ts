import { typeOfField, undeclaredType } from "../fields/columns/known-fields.ts";
import { parseList, parseMap, parseNulls, parseSet, parseTypes } from "../fields/field-option-texts.ts";
import {
  checkPattern,
  parseDefaults,
  parseOneOf,
  parsePatterns,
  parseRequired,
} from "../fields/field-rule-texts.ts";
import { isDateFormat, parseType, spellType } from "../fields/type-text.ts";
import { markOf, mendedDecimal } from "../model/decimal-of.ts";
import type { ColumnReport, SurveyReport } from "../model/event.ts";
import { textsOf } from "../model/option-texts.ts";
import { quoteText } from "../model/visible-text.ts";
import {
  BETWEEN_COMMAS,
  choice,
  KEPT,
  NO_VARIABLE,
  NOT_PINNED,
  PAIRS,
  pinned,
  PINNED_AS_GIVEN,
  pinnedRule,
  REPEATED,
  settledAnew,
  SETTLED_BY_SURVEY,
  texts,
} from "./answers.ts";
import { ADD_UP, asFlag, asList, asMap, asText, byName, inField, inTable, REPLACE } from "./config-key.ts";
import { option, type SettledPush } from "./declaration.ts";
import { mergeDrop, mergeMap } from "./merge-columns.ts";
import { pinnedDrop, pinnedMap, pinnedType } from "./pinned-columns.ts";
import { nameBefore } from "./target.ts";

/** Options for columns and fields. A run keeps them. */
const COLUMNS = {
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  mended: REPEATED,
} as const;

/** The first half of the group "Columns and values". */
export const COLUMN_OPTIONS = {
  map: option({
    ...COLUMNS,
    form: texts("<column=field>", { kind: "pairs", sign: "=", split: "last" }, parseMap),
    help: "send a column, by header or position, as this field",
    config: [inTable(asMap("the field of each column, by header or position", "a field", "="), mergeMap)],
    records: SETTLED_BY_SURVEY,
    init: pinned(pinnedMap),
  }),
  drop: option({
    ...COLUMNS,
    form: texts("<columns>", BETWEEN_COMMAS, parseList),
    help: "leave these columns out",
    config: [inTable(asList("columns to leave out, by header or position"), mergeDrop)],
    records: SETTLED_BY_SURVEY,
    init: pinned(pinnedDrop),
  }),
  keep: option({
    ...COLUMNS,
    form: texts("<columns>", BETWEEN_COMMAS, parseList),
    help: "send only these columns",
    config: [inTable(asList("the only columns to send, by header, field or position"), REPLACE)],
    records: SETTLED_BY_SURVEY,
    // Its effect is pinned as a list of columns to drop.
    init: NOT_PINNED,
  }),
  otherColumns: option({
    ...COLUMNS,
    form: choice("<how>", ["send", "drop"]),
    help: "columns that are not declared: send them under their names, or leave them out (else they stop the run)",
    config: [inTable(asText("columns that are not declared: send or drop"), REPLACE)],
    records: { kind: "compared", describe: (how) => how ?? "stop" },
    init: PINNED_AS_GIVEN,
  }),
  type: option({
    ...COLUMNS,
    form: texts("<field=type>", PAIRS, parseTypes),
    help: "text, digits, amount, amount:2, amount:, date, date:DD/MM/YYYY ...",
    config: [inField(asText(undefined, parseType))],
    records: SETTLED_BY_SURVEY,
    mended: settledAnew(mendedTypes),
    init: pinnedRule(pinnedType),
  }),
  set: option({
    ...COLUMNS,
    form: texts("<field=value>", PAIRS, parseSet),
    help: "send this value with every record",
    config: [
      inTable(
        asMap("values to send with every record, by field", "the value", "="),
        byName((pair) => nameBefore(pair, "=")),
      ),
    ],
    records: SETTLED_BY_SURVEY,
    init: pinned((_, { set }) => (set.size === 0 ? undefined : Object.fromEntries(set))),
  }),
  null: option({
    ...COLUMNS,
    form: texts("<values>", BETWEEN_COMMAS, parseNulls),
    help: 'cells that mean "no value": NULL,-',
    config: [
      inTable(asList("cells that mean nothing"), ADD_UP),
      inField(asList("cells that mean nothing in this field")),
    ],
    records: { kind: "compared", describe: describeWords },
    init: pinned((_, { nulls }) => (nulls.length === 0 ? undefined : nulls)),
  }),
  keyLiteral: option({
    ...COLUMNS,
    form: texts("<words>", BETWEEN_COMMAS, parseNulls),
    help: "words that are keys although they do not look like keys: NA,-",
    config: [inTable(asList("words that are keys although they do not look like keys"), ADD_UP)],
    records: { kind: "compared", describe: describeWords },
    init: pinned((_, { pins }) => pins.keyLiterals),
  }),
  default: option({
    ...COLUMNS,
    form: texts("<field=value>", PAIRS, parseDefaults),
    help: "send this where the cell is empty",
    config: [inField(asText("sent where the cell is empty or the file has no such column", String))],
    records: SETTLED_BY_SURVEY,
    init: pinnedRule(({ field, fields }) => fields.fields?.get(field)?.default),
  }),
  required: option({
    ...COLUMNS,
    form: texts("<fields>", BETWEEN_COMMAS, parseRequired),
    help: "rows without a value in these fields are invalid",
    config: [inField(asFlag("a row without a value is invalid"))],
    records: SETTLED_BY_SURVEY,
    init: pinnedRule(({ field, fields }) => fields.fields?.get(field)?.required),
  }),
  pattern: option({
    ...COLUMNS,
    form: texts("<field=regex>", PAIRS, parsePatterns),
    help: "values that do not match are invalid",
    config: [
      inField(asText("a regular expression (JavaScript, flag u) that the whole value matches", checkPattern)),
    ],
    records: SETTLED_BY_SURVEY,
    init: pinnedRule(({ field, fields }) => fields.fields?.get(field)?.pattern),
  }),
  oneOf: option({
    ...COLUMNS,
    form: texts("<field=values>", { kind: "lists", sign: "=" }, parseOneOf),
    help: "other values are invalid: state=open,closed",
    config: [inField(asList("the values that are possible"))],
    records: SETTLED_BY_SURVEY,
    init: pinnedRule(({ field, fields }) => fields.fields?.get(field)?.oneOf),
  }),
};

/** The types given, the date formats and marks that values settled, and the types of undeclared columns. */
function mendedTypes({ survey, line, merged, fields }: SettledPush): readonly string[] {
  const hasOwnMarks = merged["decimal"] === undefined && mendedDecimal(survey) === undefined;
  const settled = new Map(
    survey.columns.flatMap((column): [string, string][] => {
      const { field, format, type: kind, isOther, samples } = column;
      if (field === undefined || kind === undefined) return [];
      // Without any value nothing is known of it.
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
  return sorted(words)
    .map((word) => quoteText(word))
    .join(", ");
}

function sorted(texts: readonly string[]): string[] {
  return [...texts].sort();
}
