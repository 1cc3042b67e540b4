import {
  asGiven,
  DECIDES_NOTHING,
  flag,
  KEPT,
  NO_VARIABLE,
  pinned,
  PINNED_AS_GIVEN,
  REPEATED,
  settledAnew,
  text,
  yesOrNo,
} from "./answers.ts";
import { asFlag, asText, inTable, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

/** Options for reading a file. A run keeps them, because another reading gives other records. */
export const READING = {
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
} as const;

/** The mended file is read as this one, and so are later ones. */
export const AS_GIVEN = { mended: REPEATED, init: PINNED_AS_GIVEN } as const;

/** Where the rows are in a file that holds more: a part of the group "Reading". */
export const PLACE_OPTIONS = {
  sheet: option({
    ...READING,
    form: text("<name>", asGiven<string>),
    help: "sheet of a workbook (default: the first that holds a table)",
    config: [inTable(asText("the sheet of a workbook that is read"), REPLACE)],
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
    config: [inTable(asText("member that holds the records, or the one record"), REPLACE)],
    records: { kind: "compared", describe: (member = "") => member },
    // The rejects file has one record a line.
    mended: settledAnew(() => []),
    init: PINNED_AS_GIVEN,
  }),
  flatten: option({
    ...READING,
    form: flag(),
    help: "take the members of objects inside a JSON record too: customer.email goes to customer_email",
    config: [
      inTable(
        asFlag("members of objects inside a JSON record are its own: customer.email goes to customer_email"),
        REPLACE,
      ),
    ],
    records: { kind: "compared", describe: yesOrNo },
    ...AS_GIVEN,
  }),
};
