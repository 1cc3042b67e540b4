import { COLUMN_OPTIONS } from "./columns.ts";
import type { CommandName, Declaration, Refusal } from "./declaration.ts";
import { GUARD_OPTIONS } from "./guards.ts";
import { INPUT_OPTIONS } from "./input.ts";
import { LEDGER_OPTIONS } from "./ledger.ts";
import { CONFIG_OPTIONS, OUTPUT_OPTIONS } from "./output.ts";
import { READING_OPTIONS } from "./reading.ts";
import { RESULT_OPTIONS, RUN_OPTIONS } from "./runs.ts";
import { SHARD_OPTIONS } from "./shards.ts";
import { SANDBOX_OPTIONS } from "./sandbox.ts";
import { SENDING_OPTIONS } from "./sending.ts";
import { TARGET_OPTIONS } from "./target.ts";
import { VALUE_OPTIONS } from "./values.ts";

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

/** `batchSize` -> `--batch-size`, `header` -> `--no-header`. */
export function flagOf(name: string, { form }: Declaration<unknown>): string {
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
