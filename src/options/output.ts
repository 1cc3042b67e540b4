import { badOptionValue } from "../model/refer-to-sheets.ts";
import {
  AS_FLAG,
  asText,
  type Form,
  inTable,
  type Items,
  type Keeping,
  type Mending,
  option,
  type Pinning,
  type Refusal,
  REPLACE,
} from "./declaration.ts";

/** A flag that is given or not. */
export function flag(short?: string): Form<boolean> {
  return { kind: "flag", short };
}

/** A flag that takes something away: `--no-header` of the option `header`. */
export function negated(): Form<boolean> {
  return { kind: "negated" };
}

/** An option with one value. */
export function text<Value>(
  argument: string,
  parse: (text: string, option: string) => Value,
  { short, values }: { readonly short?: string; readonly values?: readonly string[] } = {},
): Form<Value> {
  return { kind: "text", argument, short, values, parse };
}

/** An option with one of several fixed values. */
export function choice<const Value extends string>(argument: string, values: readonly Value[]): Form<Value> {
  return { kind: "text", argument, short: undefined, values, parse: parserOf(values) };
}

/** The same, only in configs. */
export function unwrittenChoice<const Value extends string>(values: readonly Value[]): Form<Value> {
  return { kind: "unwritten", values, parse: parserOf(values) };
}

function parserOf<Value extends string>(values: readonly Value[]): (given: string, option: string) => Value {
  return (given, option) => {
    const value = values.find((known) => known === given);
    if (value !== undefined) return value;
    throw badOptionValue(option, given, values.length === 1 ? values[0]! : `one of ${values.join(", ")}`);
  };
}

/** An option that may be repeated. */
export function texts<Value>(
  argument: string,
  items: Items,
  parse: (texts: readonly string[], option: string) => Value,
  short?: string,
): Form<Value> {
  return { kind: "texts", argument, short, items, parse };
}

/** One text per item. */
export const AS_TEXTS: Items = { kind: "texts" };
/** Items between commas. */
export const BETWEEN_COMMAS: Items = { kind: "list" };
/** `name=value`; a value may hold the sign, a name cannot. */
export const PAIRS: Items = { kind: "pairs", sign: "=", split: "first" };

/** An option that only configs have, and some of them a variable. */
export function unwritten<Value>(
  parse: (text: string, option: string) => Value,
  values?: readonly string[],
): Form<Value> {
  return { kind: "unwritten", values, parse };
}

/** The text itself, or the texts themselves. */
export function asGiven<Given>(given: Given): Given {
  return given;
}

/** Shows a flag in the plan of a run. */
export function yesOrNo(isSet: boolean | undefined): string {
  return isSet === true ? "yes" : "no";
}

/** It has no environment variable. */
export const NO_VARIABLE = undefined;
/** It has no place in the config. */
export const NOT_IN_CONFIG = [] as const;

export const KEPT: Keeping = { kind: "text" };
export const KEPT_PATH: Keeping = { kind: "path" };
export const NOT_KEPT: Keeping = { kind: "none" };

/** Only the names are kept, because the values are secret. `show` asks for the value of a name. */
export function keptNames(sign: string, show: (name: string) => string): Keeping {
  return { kind: "names", sign, show };
}

export const DECIDES_NOTHING = { kind: "none" } as const;
export const SETTLED_BY_SURVEY = { kind: "settled" } as const;

export const REPEATED: Mending = { kind: "repeated" };
export const LEFT_OUT: Mending = { kind: "leftOut" };
export const SECRET: Mending = { kind: "secret" };

/** The mended file is read as the first push settled it. */
export function settledAnew(settle: Extract<Mending, { kind: "settled" }>["settle"]): Mending {
  return { kind: "settled", settle };
}

export const NOT_PINNED: Pinning = { kind: "none" };
export const PINNED_AS_GIVEN: Pinning = { kind: "given" };

/** `init` writes what the survey settled. */
export function pinned(settle: Extract<Pinning, { kind: "settled" }>["settle"]): Pinning {
  return { kind: "settled", settle };
}

/** `init` writes it among the rules of each field. */
export function pinnedRule(rule: Extract<Pinning, { kind: "rule" }>["rule"]): Pinning {
  return { kind: "rule", rule };
}

/** A decision for one command: a run does not keep it, and no config and no variable makes it. */
export const ONCE = {
  environment: NO_VARIABLE,
  config: NOT_IN_CONFIG,
  journal: NOT_KEPT,
  records: DECIDES_NOTHING,
  mended: LEFT_OUT,
  init: NOT_PINNED,
} as const;

/** For a command that does not take an option which others of its kind take: why, and what to do instead. */
export function refused(why: string, instead: string): Refusal {
  return { why, instead };
}

/** The extension of the name decides the form of the report. */
function parseReportName(name: string, flag: string): string {
  if (/.\.(?:html|json)$/i.test(name)) return name;
  throw badOptionValue(flag, name, "a name that ends in .html or .json");
}

/** The group "Config". */
export const CONFIG_OPTIONS = {
  config: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "a config (or REC_PUSH_CONFIG); it takes precedence over rec-push.config.json, here or in a parent directory, and your own",
    commands: {
      push: true,
      plan: true,
      check: true,
      doctor: true,
      init: "the config to write (default: rec-push.config.json, here or in a parent directory)",
      ledger: true,
    },
    environment: "REC_PUSH_CONFIG",
    mended: REPEATED,
  }),
  profile: option({
    ...ONCE,
    form: text("<name>", asGiven<string>),
    help: "the service to push to, from --config or your own config",
    commands: { push: true, plan: true, doctor: true, ledger: true },
    mended: REPEATED,
  }),
  yes: option({
    ...ONCE,
    form: flag("-y"),
    help: "accept every answer that is certain, and ask nothing",
    commands: { init: true },
  }),
  force: option({
    ...ONCE,
    form: flag(),
    help: "replace the table's section in the config",
    commands: { init: true },
  }),
};

/** Output is the same for the runs that a push finishes first. */
const TOLD = { ...ONCE } as const;

/** The group "Output". */
export const OUTPUT_OPTIONS = {
  records: option({
    ...ONCE,
    form: text("<file>", asGiven<string>),
    help: "write the records as NDJSON to this file; - is standard output",
    commands: { check: true },
  }),
  json: option({
    ...TOLD,
    form: flag(),
    help: "one JSON object per event on standard output",
    commands: {
      push: true,
      plan: true,
      check: true,
      resume: true,
      runs: "one JSON object per run on standard output",
      doctor: true,
    },
  }),
  quiet: option({
    ...TOLD,
    form: flag("-q"),
    help: "nothing on success, for cron",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true, init: "nothing on success" },
  }),
  verbose: option({
    ...TOLD,
    form: flag("-v"),
    help: "every column, every batch, every wait",
    commands: { push: true, plan: true, check: true, resume: true, ledger: true },
  }),
  color: option({
    ...TOLD,
    form: unwrittenChoice(["auto", "always", "never"]),
    help: "colours: auto (the default) asks NO_COLOR, FORCE_COLOR and the terminal",
    commands: {},
    config: [inTable(asText(), REPLACE)],
    journal: KEPT,
  }),
  logFile: option({
    ...TOLD,
    form: text("<file>", asGiven<string>),
    help: "append everything to this file, with the time of each line; NDJSON with --json",
    commands: { push: true, plan: true, check: true, resume: true },
  }),
  report: option({
    ...TOLD,
    form: text("<file>", parseReportName),
    help: "a report of the run: one page to read (.html), or data (.json)",
    commands: {
      push: true,
      plan: refused("a plan sends nothing", "give it to a shard, or to rec-push check"),
      check: true,
      resume: true,
    },
  }),
  progress: option({
    ...TOLD,
    form: unwritten((text) => text === "true"),
    help: "false: no progress line",
    commands: {},
    config: [inTable(AS_FLAG, REPLACE)],
    journal: KEPT,
  }),
};
