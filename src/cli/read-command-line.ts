import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { CommanderError } from "commander";
import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { CommandName } from "../options/declaration.ts";
import { flagsOf, TABLE, useIn } from "../options/table.ts";
import { withoutUnknownValue } from "./line-secrets.ts";
import { nearestWord } from "./nearest-word.ts";
import {
  COMMAND_WORDS,
  type CommandLine,
  createProgram,
  firstWord,
  isCommand,
  ownWords,
  USUAL_COLUMNS,
} from "./program.ts";
import type { Io } from "./run-settings.ts";
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
  refuseSingleDash(argv);
  const words = placeCommand(argv);
  const name = isCommand(words[0]) ? words[0] : "push";
  if (words.length > argv.length) refuseMistyped(argv, io);
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
  return { ...line, files: expandGlobs(line.files, io.cwd) };
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

function wrongUsage({ code, message }: CommanderError, command: CommandName): RecPushError {
  const text = withoutUnknownValue(message.replace(/^error: /, ""));
  const [, flag = ""] = /unknown option '(--?[^'=]+)/.exec(text) ?? [];
  const ours = ELSEWHERE[flag] ?? optionOfOthers(flag);
  // Commander's own suggestion knows spellings, not meanings.
  const [first = ""] = text.split("\n");
  const isUnknown = code === "commander.unknownOption";
  return new RecPushError(isUnknown ? "unknown-option" : "wrong-usage", ours === undefined ? text : first, {
    hint: ours ?? `rec-push help ${command} lists the options`,
  });
}

/** The advice for an option that other commands take. */
function optionOfOthers(flag: string): string | undefined {
  const entry = TABLE.find((one) => flagsOf(one).includes(flag));
  const takers = COMMAND_WORDS.map(([name]) => name).filter(
    (name) => entry !== undefined && useIn(name, entry.declaration) !== undefined,
  );
  if (takers.length === 0) return undefined;
  return `leave it out: it is an option of ${takers.join(", ")}`;
}

/**
 * Moves the command to the front, as commander needs it: a command after options (`--json check a.csv`) is moved, and
 * without a command it is `push`. A file with a command's name has to be pushed as `./check`.
 */
export function placeCommand(argv: readonly string[]): readonly string[] {
  if (argv[0] === "--version" || argv[0] === "-V") return argv;
  const [at, word] = firstWord(argv);
  if (isCommand(word)) return [word, ...argv.slice(0, at), ...argv.slice(at + 1)];
  return ["push", ...argv];
}

/** Throws a usage error for a long option with one dash: `-table=x` would be `-t` with the table `able=x`. */
function refuseSingleDash(argv: readonly string[]): void {
  const flags = new Set(TABLE.flatMap(flagsOf));
  for (const [, word] of ownWords(argv)) {
    const [written = "", name = ""] = /^-(\w[\w-]+)/.exec(word) ?? [];
    if (flags.has(`--${name}`))
      throw new RecPushError("unknown-option", `unknown option '${written}'`, {
        hint: `write --${name}, with two dashes`,
      });
  }
}

/** Throws a usage error if the first word of a line without a command is neither a file nor a command, but could be one. */
function refuseMistyped(argv: readonly string[], { cwd }: Io): void {
  const [, word] = firstWord(argv);
  if (word === undefined || !/^[a-z][a-z-]*$/i.test(word) || existsSync(resolve(cwd, word))) return;
  const commands = [...COMMAND_WORDS.map(([name]) => name), "help", "version"];
  const meant = nearestWord(word, commands);
  // With options it may be the name of a file that is missing tonight.
  if (meant === undefined && argv.length > 1) return;
  throw new RecPushError("wrong-usage", `${word} is neither a file nor a command`, {
    hint: meant === undefined ? "rec-push help lists the commands" : `did you mean rec-push ${meant}?`,
  });
}

const WILD = /[*?]/;

/**
 * Replaces names with `*` or `?` by the files that match, in order of their names, as the shells of Unix do before a
 * program starts and those of Windows do not. Only the last part of a path may have them. A name without match stays, so that
 * it is reported as missing.
 */
export function expandGlobs(
  words: readonly string[],
  cwd: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  if (platform !== "win32") return words;
  return words.flatMap((word) => {
    const [, before = "", name = ""] = /^(.*[\\/])?([^\\/]*)$/s.exec(word) ?? [];
    if (!WILD.test(name)) return [word];
    const literal = name.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
    const pattern = new RegExp(`^${literal.replaceAll("*", ".*").replaceAll("?", ".")}$`, "iu");
    const found = filesIn(resolve(cwd, before)).filter(
      (file) => pattern.test(file) && (!file.startsWith(".") || name.startsWith(".")),
    );
    return found.length > 0 ? found.map((file) => before + file) : [word];
  });
}

function filesIn(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() ? [] : entry.name)).toSorted();
  } catch {
    return [];
  }
}

const TOKEN =
  "a token must not be on the command line, where others can read it: set REC_PUSH_TOKEN, or name a file that holds it with --token-file";

/** Options that people expect and that do not exist, with their replacements: secrets, and a rehearsal. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "--token": TOKEN,
  "--access-token": TOKEN,
  "--api-key": TOKEN,
  "--password": TOKEN,
  "--client-secret":
    'a client secret must not be on the command line, where others can read it: set REC_PUSH_CLIENT_SECRET, or name a file that holds it as "clientSecretFile" in the profile',
  "--dry-run": "rec-push check FILE reads everything and sends nothing",
};

/** The output options on a line that could not be parsed as a whole. */
export function outputOnLine(argv: readonly string[]): OptionTexts {
  const words = new Set(Array.from(ownWords(argv), ([, word]) => word));
  const isRecords = /(?:^| )--records[ =]-(?: |$)/.test(argv.join(" "));
  return {
    json: words.has("--json"),
    quiet: words.has("--quiet") || words.has("-q"),
    records: isRecords ? "-" : undefined,
  };
}

/** Help goes to the streams of the command; it is as wide as the terminal, up to a readable width. */
export function helpOutput({ stdout, stderr }: Io) {
  const { isTTY = false, columns = 0 } = stdout;
  return {
    out: (text: string) => void stdout.write(text),
    err: (text: string) => void stderr.write(text),
    columns: isTTY && columns > 0 ? Math.min(Math.max(columns, 40), 140) : USUAL_COLUMNS,
  };
}
