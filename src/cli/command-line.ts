import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { quoteText } from "../model/text.ts";
import type { CommandName } from "../options/declaration.ts";
import { flagsOf, TABLE, type TableEntry, useIn } from "../options/table.ts";
import { sandboxHelp } from "../sandbox/faults.ts";
import { withoutUnknownValue } from "./line-secrets.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/** A command line: the command, its files or its run, and the texts of the options that were given. */
export interface CommandLine {
  readonly command: CommandName;
  readonly files: readonly string[];
  readonly options: OptionTexts;
}

/** The width if no terminal gives one. */
const USUAL_COLUMNS = 100;

interface CommandAbout {
  /** Its words on the first screen. */
  readonly words: string;
  /** What it does: for the first screen and for completion, and at the head of its help. */
  readonly about: string;
  /** What the head of its help adds. */
  readonly more?: string;
  readonly argument?: readonly [name: string, about: string];
  readonly helpAfter?: string;
}

const FILES = [
  "<files...>",
  "CSV, JSON, NDJSON or Excel (.xlsx) files, also .gz, .zip; - is standard input",
] as const;

const COMMANDS: Readonly<Record<CommandName, CommandAbout>> = {
  push: {
    words: "FILES...",
    about: "send the rows to a table; the command when none is named",
    // A shard sends its part of the plan.
    argument: ["[files...]", FILES[1]],
    helpAfter:
      "\nrec-push help push --all shows all options, rec-push help exit-codes the exit codes, rec-push help the other commands and topics.",
  },
  check: {
    words: "FILES...",
    about: "read the files and say what a push would send",
    more: "sends nothing and needs no token; with the table and the URL it also asks what earlier pushes have created",
    argument: FILES,
  },
  plan: {
    words: "FILES...",
    about: "share a push between machines",
    more: "decides everything about it and leaves that in a directory; sends nothing",
    argument: ["<files...>", "CSV, JSON or NDJSON files, also .gz, .zip"],
    helpAfter: "\nrec-push help shards explains plans.",
  },
  resume: {
    words: "[RUN]",
    about: "continue an open run, settle what is in doubt",
    more: "sends what was certainly not applied",
    argument: [
      "[run]",
      "the run, or the beginning or end of its name (default: the latest open run, or the first to go on of its command)",
    ],
  },
  runs: {
    words: "[RUN]",
    about: "list the runs, and what is left to do",
    argument: [
      "[words...]",
      "a run, shown with everything it has in doubt; or abandon RUN: give it up, what it has not sent stays unsent; forget RUN: take the creates of a closed run out of the ledger; prune: remove the finished runs now, not after 30 days; repair: make a damaged journal or book readable again, what is not certain then counts as in doubt",
    ],
  },
  ledger: {
    words: "add FILE",
    about: "say that the service has the records of FILE",
    more: "ledger remove FILE: it has them no longer; sends nothing",
    argument: ["<words...>", "add or remove, and the files that hold the records"],
  },
  init: {
    words: "FILE",
    about: "write rec-push.config.json from a file, everything pinned",
    argument: ["<file>", "a CSV, JSON, NDJSON or Excel (.xlsx) file, also .gz, .zip; - is standard input"],
  },
  login: {
    words: "[PROFILE]",
    about: "ask for URL and token of a service, try and keep them",
    argument: ["[profile]", "its name (default: default)"],
  },
  logout: {
    words: "PROFILE",
    about: "remove a profile and its secret",
    argument: ["<profile>", "its name"],
  },
  sandbox: {
    words: "",
    about: "serve the record service's interface on this machine",
    helpAfter: `\n${sandboxHelp}`,
  },
  doctor: {
    words: "",
    about: "check whether a push can work here; sends no record",
  },
  completion: {
    words: "SHELL",
    about: "complete commands and options in bash, zsh, fish, powershell",
    argument: ["<shell>", "bash, zsh, fish or powershell"],
  },
};

/** The commands, in the order of the help: their name, what they do, and their words on the first screen. */
export const COMMAND_WORDS: readonly (readonly [name: CommandName, about: string, words: string])[] = (
  Object.keys(COMMANDS) as CommandName[]
).map((name) => [name, COMMANDS[name].about, COMMANDS[name].words]);

/** The options of a push that people use, the most used first; `help push --all` shows the others too. */
const USUAL =
  `table url sandbox tokenFile profile httpHeader okMsg map drop otherColumns type set null only dateFormat decimal
  onInvalid dbVersion onRepeat encoding delimiter headerLine header skipLines sheet jsonPath flatten totals sparse whole
  exports identifyBy again rejects results report json quiet verbose config`.split(/\s+/);

/** True for a word that names a command. */
export function isCommand(word: string | undefined): word is CommandName {
  return word !== undefined && Object.hasOwn(COMMANDS, word);
}

/** The flags, long and short, that take a value, over all commands. */
export const VALUE_FLAGS: ReadonlySet<string> = new Set(
  TABLE.filter(({ declaration: { form } }) => form.kind === "text" || form.kind === "texts").flatMap(flagsOf),
);

/** The words of a line up to `--` that are no value of the option before them, with their positions. */
function* ownWords(argv: readonly string[]): Generator<readonly [at: number, word: string]> {
  for (let at = 0; at < argv.length && argv[at] !== "--"; at += 1) {
    const word = argv[at]!;
    yield [at, word];
    if (VALUE_FLAGS.has(word)) at += 1;
  }
}

/** The first word that is neither an option nor an option's value, with its position. */
export function firstWord(argv: readonly string[]): readonly [at: number, word: string | undefined] {
  for (const [at, word] of ownWords(argv)) if (!word.startsWith("-") || word === "-") return [at, word];
  return [-1, undefined];
}

/**
 * Builds the program with one command; `onCommand` is called with the command line. Help is written by `write`, errors
 * are only thrown.
 */
export function createProgram(
  name: CommandName,
  onCommand: (line: CommandLine) => void,
  write: {
    readonly out: (text: string) => void;
    readonly err: (text: string) => void;
    /** The width of the help. */
    readonly columns?: number;
    /** True if the help of a push shows all of its options. */
    readonly isWhole?: boolean;
  },
  version: string,
): Command {
  const helpStyle = { helpWidth: write.columns ?? USUAL_COLUMNS };
  const program = new Command("rec-push")
    .description("Push a CSV, JSON or Excel export into a record service.")
    .version(version, "-V, --version", "show the version")
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError: () => undefined })
    .configureHelp(helpStyle)
    .exitOverride()
    .helpCommand(false);
  const { about, more, argument, helpAfter } = COMMANDS[name];
  const command = program.command(name).description(more === undefined ? about : `${about}; ${more}`);
  if (argument !== undefined) command.argument(...argument);
  const usual =
    name === "push" ? USUAL.flatMap((of) => TABLE.find((entry) => entry.name === of) ?? []) : TABLE;
  for (const entry of usual) addOption(command, name, entry, false);
  for (const entry of TABLE)
    if (!usual.includes(entry)) addOption(command, name, entry, write.isWhole !== true);
  command.addHelpOption(
    new Option("-h, --help", "show this help").helpGroup(name === "sandbox" ? "Options:" : "Output:"),
  );
  if (name === "push")
    command.configureHelp({
      ...helpStyle,
      commandUsage: () => "rec-push <files...> --table NAME [options]",
    });
  if (helpAfter !== undefined) command.addHelpText("after", () => helpAfter);
  command.action(() => {
    const [files = []] = command.processedArgs as (string | string[] | undefined)[];
    onCommand({ command: name, files: [files].flat(), options: textsGiven(command) });
  });
  return program;
}

function addOption(command: Command, name: CommandName, entry: TableEntry, isHidden: boolean): void {
  const { form } = entry.declaration;
  const help = useIn(name, entry.declaration);
  if (help === undefined) return;
  const flags = flagsOf(entry).join(", ");
  const words = form.kind === "text" || form.kind === "texts" ? `${flags} ${form.argument}` : flags;
  const option = new Option(words, help).helpGroup(entry.declaration.group);
  if (isHidden) option.hideHelp();
  if (form.kind === "texts")
    option.argParser((text, before: string[] | undefined) => {
      const texts = before ?? [];
      texts.push(text);
      return texts;
    });
  if (form.kind === "text" && form.values !== undefined) option.argChoices = [...form.values];
  if (entry.name === "table") option.argParser(oneTable);
  command.addOption(option);
}

/** Of two tables the last one would get all files, although each of them may be meant for files of its own. */
function oneTable(table: string, before: string | undefined): string {
  if (before === undefined || before === table) return table;
  throw new RecPushError(
    "contradicting-options",
    `two tables: ${quoteText(before)} and ${quoteText(table)}`,
    {
      hint: "a command has one table: give the files of the other one to a command of their own",
    },
  );
}

/** Leaves out commander's defaults: it sets a negated option that was not given to `true`. */
function textsGiven(command: Command): OptionTexts {
  const options = Object.entries(command.opts<Record<string, OptionText>>());
  return Object.fromEntries(options.filter(([name]) => command.getOptionValueSource(name) === "cli"));
}

/**
 * Reads the command line; after printing the version or a command's help it returns the exit code, and `help` if it asks for
 * other help. Throws a usage error.
 */
export function readCommandLine(argv: readonly string[], io: Io): CommandLine | number | "help" {
  const write = helpOutput(io);
  const [first = "--help", second] = argv;
  const asksHelp = second === undefined && (first === "--help" || first === "-h");
  // A file may have that name.
  if (asksHelp || (first === "help" && !existsSync(resolve(io.cwd, first)))) return "help";
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

/** Throws a usage error if the first word of a line without a command looks like a command, and is no file that is there. */
function refuseMistyped(argv: readonly string[], { cwd }: Io): void {
  const [, word] = firstWord(argv);
  if (word === undefined || !/^[a-z][a-z-]*$/i.test(word) || existsSync(resolve(cwd, word))) return;
  throw new RecPushError("wrong-usage", `${word} is neither a file nor a command`, {
    hint: "rec-push help lists the commands",
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
