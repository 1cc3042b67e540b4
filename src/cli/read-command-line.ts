import { expandGlobs } from "./expand-globs.ts";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { CommanderError } from "commander";
import { RecPushError } from "../model/failure.ts";
import type { CommandName, Refusal } from "../options/declaration.ts";
import { flagsOf, refusalIn, TABLE, useIn } from "../options/table.ts";
import type { FailureCode } from "../model/failure-codes.ts";
import { EXIT } from "../model/exit-code.ts";
import { foreignOption } from "./foreign-option.ts";
import { helpOutput } from "./help/help-output.ts";
import type { Io } from "./io.ts";
import { withoutUnknownValue } from "./line-secrets.ts";
import { placeCommand } from "./place-command.ts";
import { COMMAND_WORDS, type CommandLine, createProgram, isCommand, valueFlags } from "./program.ts";
import { refuseSingleDash } from "./refuse-single-dash.ts";
import { refuseTextSigns } from "./refuse-text-signs.ts";
import { refuseMistyped } from "./refuse-mistyped.ts";
import { readVersion } from "./version.ts";

/**
 * Reads the command line; after printing the version or a command's help it returns the exit code, and `help` if it asks for
 * other help. Throws a usage error.
 */
export function readCommandLine(argv: readonly string[], io: Io): CommandLine | number | "help" {
  const write = helpOutput(io);
  const bare = argv.length === 0 ? "help" : bareWord(argv, io);
  if (bare === "help") return bare;
  if (bare === "version") {
    write.out(`${readVersion()}\n`);
    return EXIT.ok;
  }
  refuseSingleDash(argv, new Set(TABLE.flatMap(flagsOf)), valueFlags());
  const words = placeCommand(argv, valueFlags());
  const name = isCommand(words[0]) ? words[0] : "push";
  if (words.length > argv.length) refuseMistyped(argv, valueFlags(), io);
  let line: CommandLine | undefined;
  const program = createProgram(name, (found) => (line = found), write, readVersion());
  try {
    program.parse(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw wrongUsage(error, name);
    return EXIT.ok;
  }
  if (line === undefined) return EXIT.usage;
  if (!HAVE_FILES.has(name)) return line;
  const found = { ...line, files: expandGlobs(line.files, io.cwd) };
  refuseTextSigns(found, io);
  return found;
}

/** The commands whose words are files. */
const HAVE_FILES: ReadonlySet<string> = new Set(["push", "check", "init", "ledger"]);

/** A word that is answered without a command, unless a file has that name. */
function bareWord(argv: readonly string[], { cwd }: Io): "help" | "version" | undefined {
  const [word = ""] = argv;
  if (argv.length === 1 && (word === "--help" || word === "-h")) return "help";
  if (word !== "help" && !(word === "version" && argv.length === 1)) return undefined;
  return existsSync(resolve(cwd, word)) ? undefined : word;
}

const CODES: Readonly<Record<string, FailureCode>> = {
  "commander.unknownOption": "unknown-option",
  "commander.missingArgument": "missing-argument",
  "commander.optionMissingArgument": "option-missing-argument",
  "commander.excessArguments": "excess-arguments",
};

function wrongUsage({ code, message }: CommanderError, command: CommandName): RecPushError {
  const text = withoutUnknownValue(message.replace(/^error: /, ""));
  const [, flag = ""] = /unknown option '(--?[^'=]+)/.exec(text) ?? [];
  const refusal = refusalOf(flag, command);
  if (refusal !== undefined)
    return new RecPushError("usage", "unknown-option", `${command} takes no ${flag}: ${refusal.why}`, {
      hint: refusal.instead,
    });
  const ours = foreignOption(flag, command) ?? optionOfOthers(flag);
  // Commander's own suggestion knows spellings, not meanings.
  const [first = ""] = text.split("\n");
  return new RecPushError("usage", CODES[code] ?? "wrong-usage", ours === undefined ? text : first, {
    hint: ours ?? `rec-push help ${command} lists the options`,
  });
}

/** The advice for an option that other commands take, and nothing is to be said of in particular. */
function optionOfOthers(flag: string): string | undefined {
  const entry = TABLE.find((one) => flagsOf(one).includes(flag));
  const takers = COMMAND_WORDS.map(([name]) => name).filter(
    (name) => entry !== undefined && useIn(name, entry.declaration) !== undefined,
  );
  if (takers.length === 0) return undefined;
  return `leave it out: it is an option of ${takers.join(", ")}`;
}

/** What is to be said of an option that a command refuses for a reason. */
function refusalOf(flag: string, command: CommandName): Refusal | undefined {
  const entry = TABLE.find((one) => flagsOf(one).includes(flag));
  return entry && refusalIn(command, entry.declaration);
}
