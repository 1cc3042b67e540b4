import { parseList, readPairs } from "../fields/field-rule-texts.ts";
import { badOptionValue } from "../model/text.ts";
import {
  asGiven,
  BETWEEN_COMMAS,
  choice,
  flag,
  IN_TABLE,
  ONCE,
  option,
  PAIRS,
  text,
  texts,
} from "./declaration.ts";
import { numberFrom, parseDuration } from "./quantities.ts";

/** The value of `--in-doubt`: an answer for a doubt, or the file of its rows after some were deleted. */
export type InDoubt =
  | { readonly kind: "answer"; readonly doubt: string; readonly answer: "applied" | "resend" | "absent" }
  | { readonly kind: "file"; readonly path: string };

/** `1f3a9c0e=applied`, or the path of a file. A file whose name reads like an answer is `./NAME`. */
function parseInDoubt(text: string, option: string): InDoubt {
  const [, doubt, answer] = /^(?:([^/]*)=)?(applied|resend|absent)$/.exec(text) ?? [];
  if (answer === undefined) return { kind: "file", path: text };
  if (doubt === undefined || !/^[0-9a-f]{8}$/.test(doubt))
    throw badOptionValue(
      option,
      text,
      `the name of the doubt before the answer, as rec-push runs prints them: 1f3a9c0e=${answer}`,
    );
  return { kind: "answer", doubt, answer: answer as "applied" | "resend" | "absent" };
}

const RESULTS = { ...ONCE, group: "Rejects and results:" } as const;

const RESULT_OPTIONS = {
  rejects: option({
    ...RESULTS,
    form: text("<file>", asGiven<string>),
    help: "write the rows rejected or refused to this file, to be mended and pushed (default: beside the input)",
    commands: { push: true, resume: true },
  }),
  results: option({
    ...RESULTS,
    form: text("<file>", asGiven<string>),
    help: "write the outcome of every row to this file: CSV, or NDJSON for *.ndjson",
    commands: { push: true, resume: true },
  }),
};

const RUNS = { ...ONCE, group: "Runs:" } as const;

/** Options about earlier creates. A run keeps them. */
const LEDGER = {
  group: "Runs:",
  commands: { push: true, plan: true, check: true, init: true, ledger: true },
  config: IN_TABLE,
  journal: "text",
  mended: "repeated",
  init: "given",
} as const;

const OF_RUNS = {
  inDoubt: option({
    ...RUNS,
    form: text("<doubt>", parseInDoubt),
    help: "NAME=applied: the records are in the service; NAME=resend: they are not, send them; NAME=absent: they are not, do not send them; or the file of rows in doubt, without the rows that are in the service",
    commands: { resume: true },
  }),
  all: option({
    ...RUNS,
    form: flag(),
    help: "also the runs that have nothing left to do",
    commands: { runs: true },
  }),
  stateDir: option({
    ...RUNS,
    form: text("<dir>", asGiven<string>),
    help: "where runs are kept (default: $XDG_STATE_HOME/rec-push)",
    commands: { push: true, plan: true, check: true, resume: true, runs: true, doctor: true, ledger: true },
    mended: "repeated",
  }),
  waitLock: option({
    ...RUNS,
    form: text("<time>", parseDuration),
    help: "how long to wait for another run on this table (default: not at all)",
    commands: { push: true, plan: true, resume: true, runs: "how long to wait for the table", ledger: true },
  }),
  again: option({
    ...RUNS,
    form: flag(),
    help: "create all records of the files, even if some were created before",
    commands: { push: true, plan: true },
  }),
  runKey: option({
    ...RUNS,
    form: text("<text>", parseRunKey),
    help: "a text that tells pushes of equal content apart, such as 2026-12",
    commands: { push: true, plan: true, check: true, ledger: true },
    mended: "repeated",
  }),
  staleOk: option({
    ...RUNS,
    form: flag(),
    help: "send old rows even if later rows with their keys were accepted",
    commands: { push: true, resume: "go on even if a later run sent some of its keys" },
  }),
  exports: option({
    ...LEDGER,
    form: choice("<what>", ["full", "delta"]),
    help: "each file of this table holds the earlier rows again (full), or new rows only (delta)",
    records: "none",
  }),
  identifyBy: option({
    ...LEDGER,
    form: texts("<fields>", BETWEEN_COMMAS, parseList),
    help: "fields that together identify records without key (default: all of them)",
    records: { describe: (fields = []) => fields.join(", ") },
  }),
};

/**
 * Throws a usage error for an empty text, such as an unset variable: it would make this push different from all others.
 */
function parseRunKey(text: string, option: string): string {
  if (text.trim() !== "") return text;
  throw badOptionValue(
    option,
    text,
    "a text, such as the month; leave the option out where it is not needed",
  );
}

const SHARDS = { ...ONCE, group: "Shards:" } as const;

const MOST_SHARDS = 10_000;

/** A push that several machines share. */
const SHARD_OPTIONS = {
  shards: option({
    ...SHARDS,
    form: text("<number>", numberFrom(1, MOST_SHARDS)),
    help: "how many processes share the push",
    commands: { plan: true },
  }),
  out: option({
    ...SHARDS,
    form: text("<dir>", asGiven<string>),
    help: "the directory of the plan, which all of its machines share; it is made, or must be empty",
    commands: { plan: true },
  }),
  plan: option({
    ...SHARDS,
    form: text("<dir>", asGiven<string>),
    help: "push a shard of the plan in this directory",
    commands: {
      push: true,
      resume: "decide on what a shard of the plan in this directory has in doubt",
      runs: "add up the shards of the plan in this directory, and close it once all are settled",
    },
  }),
  shard: option({
    ...SHARDS,
    form: text("<number>", parseShard),
    help: "which shard: 3/64, or auto: the one that Slurm, Kubernetes, GitLab or CircleCI says",
    commands: { push: true, resume: "the shard: 3/64" },
  }),
};

/** A shard of a plan, counted from 1; `auto`: the engine that started the process says which. */
type ShardNumber = { readonly shard: number; readonly of: number } | "auto";

function parseShard(given: string, option: string): ShardNumber {
  if (given === "auto") return given;
  const [, shard, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(given) ?? [];
  if (Number(shard) >= 1 && Number(shard) <= Number(of)) return { shard: Number(shard), of: Number(of) };
  throw badOptionValue(option, given, "auto, or the number of a shard and of all of them, such as 3/64");
}

/** They are checked before anything is sent, so a resumed run has passed them. */
const GUARDS = { ...ONCE, group: "Guards:", commands: { push: true, plan: true } } as const;

const GUARD_OPTIONS = {
  drift: option({
    ...GUARDS,
    form: choice("<how>", ["off", "note", "stop", "accept"]),
    help: "a file that is unlike all before it: note reports it (the default), stop sends nothing, off ignores it, accept makes it usual from now on",
    // A config applies to later files too, which nobody has seen.
    config: [{ place: "table", form: choice("", ["off", "note", "stop"]) }],
  }),
  expectRows: option({
    ...GUARDS,
    form: text("<rows>", parseRows),
    help: "stop unless each file has this many records: 1200, or 1000..20000",
    commands: { push: true, plan: true, check: true },
  }),
  expectSum: option({
    ...GUARDS,
    form: texts("<field=sum>", PAIRS, parseSums),
    help: "stop unless the amounts of this field have this sum in each file: paid_amount=12345.67",
    commands: { push: true, plan: true, check: true },
  }),
};

/** How many records a file must have, both ends included. */
interface RowBounds {
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

/** Options about runs: their files, their state, their parts, and what stops them. */
export const RUN_OPTIONS = { ...RESULT_OPTIONS, ...OF_RUNS, ...SHARD_OPTIONS, ...GUARD_OPTIONS };
