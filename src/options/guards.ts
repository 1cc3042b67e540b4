import { readPairs } from "../fields/field-option-texts.ts";
import { badOptionValue } from "../model/bad-option-value.ts";
import { choice, ONCE, PAIRS, text, texts } from "./answers.ts";
import { asText, inTable, REPLACE } from "./config-key.ts";
import { option } from "./declaration.ts";

/** They are checked before anything is sent, so a resumed run has passed them. */
const GUARDS = {
  ...ONCE,
  commands: { push: true, plan: true },
} as const;

const DRIFT_KEY =
  "a file that is unlike all before it is reported (note), stops the run (stop), or is not checked (off)";

/** A config applies to later files too, which nobody has seen. */
function checkDrift(text: string, path: string): void {
  if (["off", "note", "stop"].includes(text)) return;
  throw badOptionValue(path, text, "one of off, note, stop; accept is for one command: --drift accept");
}

/** The group "Guards". */
export const GUARD_OPTIONS = {
  drift: option({
    ...GUARDS,
    form: choice("<how>", ["off", "note", "stop", "accept"]),
    help: "a file that is unlike all before it: off does not check, note reports it (the default), stop sends nothing, accept says that such files are usual from now on",
    config: [inTable(asText(DRIFT_KEY, checkDrift), REPLACE)],
  }),
  expectRows: option({
    ...GUARDS,
    form: text("<rows>", parseRows),
    help: "send nothing unless each file has this many records: 1200, or 1000..20000",
    commands: {
      push: true,
      plan: true,
      check: "stop unless each file has this many records: 1200, or 1000..20000",
    },
  }),
  expectSum: option({
    ...GUARDS,
    form: texts("<field=sum>", PAIRS, parseSums),
    help: "send nothing unless the amounts of this field have this sum in each file: paid_amount=12345.67",
    commands: {
      push: true,
      plan: true,
      check: "stop unless the amounts of this field have this sum in each file: paid_amount=12345.67",
    },
  }),
};

/** How many records a file must have, both ends included. */
export interface RowBounds {
  readonly least: number;
  readonly most: number;
}

/** Reads `1200`, `1000..20000`, `1000..` or `..20000`. Throws a usage error. */
function parseRows(text: string, option: string): RowBounds {
  const [, from = "", range, to = ""] = /^(\d{0,12})(\.\.)?(\d{0,12})$/.exec(text.trim()) ?? [];
  const least = from === "" ? 0 : Number(from);
  const most = range === undefined ? least : to === "" ? Infinity : Number(to);
  if ((from !== "" || to !== "") && (range !== undefined || to === "") && least <= most)
    return { least, most };
  throw badOptionValue(
    option,
    text,
    "a number of rows such as 1200, or the least and the most such as 1000..20000",
  );
}

/** Reads `field=sum` of exact decimals. Throws usage. */
function parseSums(texts: readonly string[], option: string): ReadonlyMap<string, string> {
  const wanted = "a field and its sum with a decimal point, as in --expect-sum paid_amount=12345.67";
  return readPairs(texts, option, wanted, (_, value, text) => {
    const [, sum] = /^\+?(-?\d{1,30}(?:\.\d{1,30})?)$/.exec(value.trim()) ?? [];
    if (sum === undefined) throw badOptionValue(option, text, wanted);
    return sum;
  });
}
