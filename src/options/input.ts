import { DECIDES_NOTHING, LEFT_OUT, NO_VARIABLE, NOT_KEPT, NOT_PINNED, text, refused } from "./answers.ts";
import { AS_QUANTITY, inTable, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";
import { parseBytes } from "./parse-quantity.ts";

/** Limits on what a command reads. */
export const INPUT_OPTIONS = {
  maxInputBytes: option({
    form: text("<bytes>", parseBytes),
    help: "longest standard input or pipe, which is copied before it is read (default: 64GiB)",
    commands: {
      push: true,
      plan: refused("a plan reads files only", "leave it out"),
      check: true,
      init: true,
      ledger: true,
    },
    environment: NO_VARIABLE,
    config: [inTable(AS_QUANTITY, REPLACE)],
    journal: NOT_KEPT,
    records: DECIDES_NOTHING,
    mended: LEFT_OUT,
    init: NOT_PINNED,
  }),
};
