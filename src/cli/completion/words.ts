import type { CommandName } from "../../options/declaration.ts";
import { flagsOf, TABLE, type TableEntry, useIn } from "../../options/table.ts";
import { TOPICS } from "../help/topics.ts";
import { COMMAND_WORDS } from "../program.ts";

/** The shells for which there is a script. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** The words that may follow an option, or be used in place of a file. */
export type Completed =
  | { readonly kind: "nothing" | "text" | "file" | "directory" | "tables" | "profiles" }
  | { readonly kind: "values"; readonly values: readonly string[] };

/** An option of a command as a shell completes it. */
export interface CompletedOption {
  /** The short flag first. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly isRepeated: boolean;
  readonly argument: Completed;
}

/** A command with its options and its other arguments. */
export interface CompletedCommand {
  readonly name: CommandName | "help";
  readonly about: string;
  readonly options: readonly CompletedOption[];
  readonly words: Completed;
}

/** All commands with their completions, from the table of options. */
export function completedCommands(): readonly CompletedCommand[] {
  const names = COMMAND_WORDS.map(([name]) => name);
  const help: CompletedCommand = {
    name: "help",
    about: "show the options of a command, or a topic",
    options: [],
    words: { kind: "values", values: [...new Set([...names, ...Object.keys(TOPICS)])] },
  };
  return [
    ...COMMAND_WORDS.map(([name, about]) => ({
      name,
      about,
      options: optionsOf(name),
      words: wordsOf(name),
    })),
    help,
  ];
}

function optionsOf(command: CommandName): readonly CompletedOption[] {
  const options = TABLE.flatMap((entry) => {
    const use = useIn(command, entry.declaration);
    const flags = flagsOf(entry);
    if (use === undefined || flags.length === 0) return [];
    const isRepeated = entry.declaration.form.kind === "texts";
    return [{ flags, about: use.help, isRepeated, argument: argumentOf(entry, use.values) }];
  });
  const help = { flags: ["-h", "--help"], about: "show this help", isRepeated: false };
  return [...options, { ...help, argument: { kind: "nothing" } }];
}

function argumentOf(
  { name, declaration: { form } }: TableEntry,
  own: readonly string[] | undefined,
): Completed {
  if (form.kind !== "text" && form.kind !== "texts") return { kind: "nothing" };
  if (name === "table") return { kind: "tables" };
  if (name === "profile") return { kind: "profiles" };
  if (form.argument === "<file>") return { kind: "file" };
  if (form.argument === "<dir>") return { kind: "directory" };
  const values = own ?? (form.kind === "text" ? form.values : undefined);
  return values === undefined ? { kind: "text" } : { kind: "values", values };
}

function wordsOf(command: CommandName): Completed {
  switch (command) {
    case "push":
    case "plan":
    case "check":
    case "init":
    case "ledger":
      return { kind: "file" };
    case "completion":
      return { kind: "values", values: SHELLS };
    case "resume":
    case "runs":
    case "sandbox":
    case "doctor":
      return { kind: "nothing" };
  }
}

/** The flags of all commands that take a value, so that a script does not mistake a value for a command. */
export function flagsWithValue(commands: readonly CompletedCommand[]): readonly string[] {
  const flags = commands.flatMap(({ options }) =>
    options.flatMap((option) => (option.argument.kind === "nothing" ? [] : option.flags)),
  );
  return [...new Set(flags)];
}

/** The values of each flag over all commands; those of several commands are merged. */
export function argumentsOfFlags(commands: readonly CompletedCommand[]): ReadonlyMap<string, Completed> {
  const found = new Map<string, Completed>();
  for (const { flags, argument } of commands.flatMap(({ options }) => options)) {
    for (const flag of flags) {
      const before = found.get(flag);
      const isMore = before?.kind === "values" && argument.kind === "values";
      const values = isMore ? [...new Set([...before.values, ...argument.values])] : [];
      if (argument.kind !== "nothing") found.set(flag, isMore ? { kind: "values", values } : argument);
    }
  }
  return found;
}
