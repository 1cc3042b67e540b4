import { parseList, readPairs } from "../fields/field-rule-texts.ts";
import { badOptionValue } from "../model/refer-to-sheets.ts";
import { COLUMN_OPTIONS } from "./columns.ts";
import {
  AS_QUANTITY,
  AS_LIST,
  asText,
  type CommandName,
  type Declaration,
  inTable,
  option,
  type Refusal,
  REPLACE,
} from "./declaration.ts";
import {
  AS_TEXTS,
  asGiven,
  BETWEEN_COMMAS,
  choice,
  CONFIG_OPTIONS,
  DECIDES_NOTHING,
  flag,
  KEPT,
  LEFT_OUT,
  NO_VARIABLE,
  NOT_KEPT,
  NOT_PINNED,
  ONCE,
  OUTPUT_OPTIONS,
  PAIRS,
  PINNED_AS_GIVEN,
  refused,
  REPEATED,
  text,
  texts,
  unwritten,
} from "./output.ts";
import { READING_OPTIONS } from "./reading.ts";
import { RESULT_OPTIONS, RUN_OPTIONS } from "./runs.ts";
import { SENDING_OPTIONS } from "./sending.ts";
import { TARGET_OPTIONS } from "./target.ts";
import { parseBytes, parseLimit, parsePort, VALUE_OPTIONS } from "./values.ts";

/** They are checked before anything is sent, so a resumed run has passed them. */
const GUARDS = {
  ...ONCE,
  commands: { push: true, plan: true },
} as const;

/** A config applies to later files too, which nobody has seen. */
function checkDrift(text: string, path: string): void {
  if (["off", "note", "stop"].includes(text)) return;
  throw badOptionValue(path, text, "one of off, note, stop; accept is for one command: --drift accept");
}

/** The group "Guards". */
const GUARD_OPTIONS = {
  drift: option({
    ...GUARDS,
    form: choice("<how>", ["off", "note", "stop", "accept"]),
    help: "a file that is unlike all before it: off does not check, note reports it (the default), stop sends nothing, accept says that such files are usual from now on",
    config: [inTable(asText(checkDrift), REPLACE)],
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

/** Options of the command `sandbox`, which pushes nothing. */
const SANDBOX = {
  ...ONCE,
  commands: { sandbox: true },
} as const;

/** The group "Options" of the command `sandbox`. */
const SANDBOX_OPTIONS = {
  port: option({
    ...SANDBOX,
    form: text("<number>", parsePort),
    help: "port to listen on; 0 takes a free one (default: 8700)",
  }),
  token: option({
    ...SANDBOX,
    form: text("<text>", asGiven<string>),
    help: "the token it accepts; for rehearsals, never a real one (default: sandbox)",
  }),
  dbVersions: option({
    ...SANDBOX,
    form: text("<list>", splitList),
    help: "database versions it accepts; by default none is required",
  }),
  oauth: option({
    ...SANDBOX,
    form: flag(),
    help: "give tokens of 60 s to the client sandbox with the secret sandbox-secret, for --auth oauth2",
  }),
  limit: option({
    ...SANDBOX,
    form: text("<requests/time>", parseLimit),
    help: "accept this many requests per period (20/10s), announce it in RateLimit headers, answer 429 beyond",
  }),
  fault: option({
    ...SANDBOX,
    form: texts("<rule>", AS_TEXTS, asGiven<readonly string[]>),
    help: "misbehave, as the rules below say; may be repeated",
  }),
};

function splitList(list: string): readonly string[] {
  return list.split(",").map((part) => part.trim());
}

/** A shard of a plan, counted from 1; `auto`: the engine that started the process says which. */
type ShardNumber = { readonly shard: number; readonly of: number } | "auto";

const MOST_SHARDS = 10_000;

/** The group "Shards": a push that several machines share. */
const SHARD_OPTIONS = {
  shards: option({
    ...ONCE,
    form: text("<number>", parseShards),
    help: "how many processes share the push",
    commands: { plan: true },
  }),
  out: option({
    ...ONCE,
    form: text("<dir>", asGiven<string>),
    help: "the directory of the plan, which all of its machines share; it is made, or must be empty",
    commands: { plan: true },
  }),
  plan: option({
    ...ONCE,
    form: text("<dir>", asGiven<string>),
    help: "push a shard of the plan in this directory",
    commands: {
      push: true,
      plan: refused("that is the directory of a plan that is made", "--out DIR names where this one goes"),
      resume: "decide on what a shard of the plan in this directory has in doubt",
      runs: "add up the shards of the plan in this directory, and close it once all are settled",
    },
  }),
  shard: option({
    ...ONCE,
    form: text("<number>", parseShard),
    help: "which shard: 3/64, or auto: the one that Slurm, Kubernetes, GitLab or CircleCI says",
    commands: {
      push: true,
      plan: refused("a plan is of all shards", "--shards N is their number"),
      resume: "the shard: 3/64",
    },
  }),
};

function parseShards(given: string, option: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= MOST_SHARDS) return Number(given);
  throw badOptionValue(option, given, `a whole number from 1 to ${MOST_SHARDS}`);
}

function parseShard(given: string, option: string): ShardNumber {
  if (given === "auto") return given;
  const [, shard, of] = /^(\d{1,5})\/(\d{1,5})$/.exec(given) ?? [];
  if (Number(shard) >= 1 && Number(shard) <= Number(of)) return { shard: Number(shard), of: Number(of) };
  throw badOptionValue(option, given, "auto, or the number of a shard and of all of them, such as 3/64");
}

/** Options about earlier creates. A run keeps them. */
const LEDGER = {
  commands: { push: true, plan: true, init: true, ledger: true },
  environment: NO_VARIABLE,
  journal: KEPT,
  mended: REPEATED,
  init: PINNED_AS_GIVEN,
} as const;

/** Options that say what the files of a table hold, in the group "Runs". */
const LEDGER_OPTIONS = {
  exports: option({
    ...LEDGER,
    form: choice("<what>", ["full", "delta"]),
    help: "each file of this table holds the earlier rows again (full), or new rows only (delta)",
    config: [inTable(asText(), REPLACE)],
    records: DECIDES_NOTHING,
  }),
  identifyBy: option({
    ...LEDGER,
    form: texts("<fields>", BETWEEN_COMMAS, parseList),
    help: "fields that together identify records without key; record: all fields",
    config: [inTable(AS_LIST, REPLACE)],
    records: { kind: "compared", describe: (fields = []) => fields.join(", ") },
  }),
};

/** Limits on what a command reads. */
const INPUT_OPTIONS = {
  maxInputBytes: option({
    form: unwritten(parseBytes),
    help: "longest standard input or pipe, which is copied before it is read (default: 64GiB)",
    commands: {},
    environment: NO_VARIABLE,
    config: [inTable(AS_QUANTITY, REPLACE)],
    journal: NOT_KEPT,
    records: DECIDES_NOTHING,
    mended: LEFT_OUT,
    init: NOT_PINNED,
  }),
};

/** The groups of the help, in its order. */
const GROUPS = [
  ["Target:", TARGET_OPTIONS],
  ["Sending:", SENDING_OPTIONS],
  ["Rejects and results:", RESULT_OPTIONS],
  ["Runs:", RUN_OPTIONS],
  ["Runs:", LEDGER_OPTIONS],
  ["Shards:", SHARD_OPTIONS],
  ["Guards:", GUARD_OPTIONS],
  ["Config:", CONFIG_OPTIONS],
  ["Reading:", READING_OPTIONS],
  ["Reading:", INPUT_OPTIONS],
  ["Columns and values:", COLUMN_OPTIONS],
  ["Columns and values:", VALUE_OPTIONS],
  ["Output:", OUTPUT_OPTIONS],
  ["Options:", SANDBOX_OPTIONS],
] as const;

/** All options by name. Journals and configs use the name as key, and the flag is made from it: `batchSize`, `--batch-size`. */
export const OPTIONS = {
  ...TARGET_OPTIONS,
  ...SENDING_OPTIONS,
  ...RESULT_OPTIONS,
  ...RUN_OPTIONS,
  ...LEDGER_OPTIONS,
  ...SHARD_OPTIONS,
  ...GUARD_OPTIONS,
  ...CONFIG_OPTIONS,
  ...READING_OPTIONS,
  ...INPUT_OPTIONS,
  ...COLUMN_OPTIONS,
  ...VALUE_OPTIONS,
  ...OUTPUT_OPTIONS,
  ...SANDBOX_OPTIONS,
};

/** The name of an option. */
export type OptionName = keyof typeof OPTIONS;

/** The values of the options that were given. The code that uses them applies the defaults. */
export type OptionValues = {
  readonly [Name in OptionName]?: (typeof OPTIONS)[Name] extends Declaration<infer Value> ? Value : never;
};

/** An option of the table. */
export interface TableEntry {
  readonly name: OptionName;
  readonly group: string;
  readonly declaration: Declaration<unknown>;
}

/** The table: every option, in the order of the help. */
export const TABLE: readonly TableEntry[] = GROUPS.flatMap(([group, options]) =>
  Object.entries<Declaration<unknown>>(options).map(([name, declaration]) => ({
    name: name as OptionName,
    group,
    declaration,
  })),
);

/** The help text of an option in a command; `undefined` if the command does not take it. */
export function useIn(command: CommandName, { commands, help }: Declaration<unknown>): string | undefined {
  const use = commands[command];
  return use === true ? help : typeof use === "string" ? use : undefined;
}

/** Why a command does not take an option; `undefined` if it does, or nothing is to be said about it. */
export function refusalIn(
  command: CommandName,
  { commands }: Pick<Declaration<unknown>, "commands">,
): Refusal | undefined {
  const use = commands[command];
  return typeof use === "object" ? use : undefined;
}

/** `batchSize` -> `--batch-size`, `header` -> `--no-header`; the key of an option that only configs have. */
export function flagOf(name: string, { form }: Declaration<unknown>): string {
  if (form.kind === "unwritten") return name;
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return form.kind === "negated" ? `--no-${words}` : `--${words}`;
}

/** The flags of an option, the short one first; none for an option that only configs have. */
export function flagsOf({ name, declaration }: TableEntry): readonly string[] {
  const { form } = declaration;
  if (form.kind === "unwritten") return [];
  const short = form.kind === "negated" ? undefined : form.short;
  return [...(short === undefined ? [] : [short]), flagOf(name, declaration)];
}
