import { parseList } from "../fields/field-option-texts.ts";
import {
  BETWEEN_COMMAS,
  choice,
  DECIDES_NOTHING,
  KEPT,
  NO_VARIABLE,
  PINNED_AS_GIVEN,
  REPEATED,
  texts,
} from "./answers.ts";
import { asList, asText, inTable, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

/** Options about earlier creates. A run keeps them. */
const LEDGER = {
  commands: { push: true, plan: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  mended: REPEATED,
  init: PINNED_AS_GIVEN,
} as const;

/** Options that say what the files of a table hold, in the group "Runs". */
export const LEDGER_OPTIONS = {
  exports: option({
    ...LEDGER,
    form: choice("<what>", ["full", "delta"]),
    help: "each file of this table holds the earlier rows again (full), or new rows only (delta)",
    config: [inTable(asText("full: each file holds the earlier rows again; delta: new rows only"), REPLACE)],
    records: DECIDES_NOTHING,
  }),
  identifyBy: option({
    ...LEDGER,
    form: texts("<fields>", BETWEEN_COMMAS, parseList),
    help: "fields that together identify records without key; record: all fields",
    config: [
      inTable(asList("fields that together identify records without key; record: all fields"), REPLACE),
    ],
    records: { kind: "compared", describe: (fields = []) => fields.join(", ") },
  }),
};
