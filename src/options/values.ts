import { parseDecimal, parsePivotYear, parseTimeZone } from "../fields/field-option-texts.ts";
import { parseDateFormat } from "../fields/type-text.ts";
import { textsOf } from "../model/option-texts.ts";
import {
  choice,
  DECIDES_NOTHING,
  flag,
  KEPT,
  LEFT_OUT,
  NO_VARIABLE,
  NOT_KEPT,
  NOT_PINNED,
  pinned,
  PINNED_AS_GIVEN,
  REPEATED,
  settledAnew,
  SETTLED_BY_SURVEY,
  text,
} from "./answers.ts";
import { AS_QUANTITY, asFlag, asText, inTable, REPLACE, replaceUnless } from "./config-key.ts";
import { option } from "./declaration.ts";
import { parseRowLimit } from "./parse-quantity.ts";
import { decimalOf, mendedDecimal } from "../model/decimal-of.ts";

/** Options for values and rows. A run keeps them. */
const VALUES = {
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  mended: REPEATED,
} as const;

/** The second half of the group "Columns and values". */
export const VALUE_OPTIONS = {
  dateFormat: option({
    ...VALUES,
    form: text("<format>", parseDateFormat),
    help: "DD/MM/YYYY, MM/DD/YYYY, YYYY-MM-DD, YY-MM-DD, DDMMYYYY, excel, epoch, epoch-ms",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    // Each date field has its own format, among the rules of the field.
    init: NOT_PINNED,
  }),
  decimal: option({
    ...VALUES,
    form: text("<mark>", parseDecimal, { values: [",", "."] }),
    help: "decimal mark of amounts",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    mended: settledAnew(({ survey, line, merged }) => {
      const settled = merged["decimal"] === undefined ? mendedDecimal(survey) : undefined;
      return textsOf(settled === undefined ? line : { decimal: settled }, "decimal");
    }),
    init: pinned((survey, { pins }) => decimalOf(survey.columns) ?? pins.decimal),
  }),
  pivotYear: option({
    ...VALUES,
    form: text("<year>", parsePivotYear),
    help: "first of the hundred years that two digits mean: 45 is 1945 to 2044",
    config: [inTable(AS_QUANTITY, REPLACE)],
    records: SETTLED_BY_SURVEY,
    init: PINNED_AS_GIVEN,
  }),
  timeZone: option({
    ...VALUES,
    form: text("<name>", parseTimeZone),
    help: "zone whose day counts for date-times with a zone: Europe/Paris",
    config: [inTable(asText(), REPLACE)],
    records: SETTLED_BY_SURVEY,
    init: PINNED_AS_GIVEN,
  }),
  empty: option({
    ...VALUES,
    form: choice("<how>", ["omit", "send"]),
    help: 'leave empty cells out (the default), or send them as ""',
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "omit") => how },
    init: PINNED_AS_GIVEN,
  }),
  only: option({
    ...VALUES,
    form: choice("<kind>", ["updates", "creates"]),
    help: "treat rows of the other kind as invalid",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (kind) => kind ?? "both kinds" },
    init: PINNED_AS_GIVEN,
  }),
  onRepeat: option({
    ...VALUES,
    form: choice("<how>", ["all", "last", "stop"]),
    help: "rows with the same key: send all in order (the default), only the last, or stop",
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "all") => how },
    init: PINNED_AS_GIVEN,
  }),
  pinned: option({
    ...VALUES,
    form: flag(),
    help: "infer nothing: stop if an option is missing that says how the file is read",
    config: [inTable(asFlag(), REPLACE)],
    // The formats of a run are settled when it begins.
    journal: NOT_KEPT,
    records: DECIDES_NOTHING,
    init: PINNED_AS_GIVEN,
  }),
  onInvalid: option({
    ...VALUES,
    form: choice("<how>", ["stop", "skip"]),
    help: "invalid rows stop the run before anything is sent (the default), or are left out",
    commands: {
      push: true,
      plan: true,
      check: true,
      init: true,
      ledger: "invalid rows stop the command (the default), or are left out",
    },
    config: [inTable(asText(), REPLACE)],
    records: { kind: "compared", describe: (how = "stop") => how },
    mended: LEFT_OUT,
    init: PINNED_AS_GIVEN,
  }),
  maxInvalid: option({
    ...VALUES,
    form: text("<rows>", parseRowLimit),
    help: "with --on-invalid skip: stop, and send nothing, if more rows than this are invalid: 20, or 1%",
    config: [
      inTable(
        asText("with onInvalid skip: stop, and send nothing, if more rows than this are invalid: 20, or 1%"),
        replaceUnless((more) => more["onInvalid"] === "stop"),
      ),
    ],
    records: DECIDES_NOTHING,
    mended: LEFT_OUT,
    init: PINNED_AS_GIVEN,
  }),
};
