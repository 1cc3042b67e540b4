import { COLUMN_OPTIONS } from "./columns.ts";
import type { CommandName, Declaration } from "./declaration.ts";
import { CONFIG_OPTIONS, OUTPUT_OPTIONS, SANDBOX_OPTIONS } from "./output.ts";
import { READING_OPTIONS } from "./reading.ts";
import { RUN_OPTIONS } from "./runs.ts";
import { SENDING_OPTIONS } from "./sending.ts";
import { TARGET_OPTIONS } from "./target.ts";

/**
 * All options by name, in the order of the help. Journals and configs use the name as key, and the flag is made from it:
 * `batchSize`, `--batch-size`.
 */
export const OPTIONS = {
  ...TARGET_OPTIONS,
  ...SENDING_OPTIONS,
  ...RUN_OPTIONS,
  ...CONFIG_OPTIONS,
  ...READING_OPTIONS,
  ...COLUMN_OPTIONS,
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
  readonly declaration: Declaration<unknown>;
}

/** The table: every option, in the order of the help. */
export const TABLE: readonly TableEntry[] = Object.entries<Declaration<unknown>>(OPTIONS).map(
  ([name, declaration]) => ({ name: name as OptionName, declaration }),
);

/** The help text of an option in a command; `undefined` if the command does not take it. */
export function useIn(command: CommandName, { commands, help }: Declaration<unknown>): string | undefined {
  const use = commands[command];
  return use === true ? help : use;
}

/** False for an option that only configs and variables have. */
function isOnLine({ commands }: Declaration<unknown>): boolean {
  return Object.keys(commands).length > 0;
}

/** `batchSize` -> `--batch-size`, `header` -> `--no-header`; the key of an option that only configs have. */
export function flagOf(name: string, declaration: Declaration<unknown>): string {
  if (!isOnLine(declaration)) return name;
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return declaration.form.kind === "negated" ? `--no-${words}` : `--${words}`;
}

/** The flags of an option, the short one first; none for an option that only configs have. */
export function flagsOf({ name, declaration }: TableEntry): readonly string[] {
  if (!isOnLine(declaration)) return [];
  const short = declaration.form.kind === "negated" ? undefined : declaration.form.short;
  return [...(short === undefined ? [] : [short]), flagOf(name, declaration)];
}
