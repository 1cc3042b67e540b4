import { Command, Option } from "commander";
import { sandboxHelp } from "../sandbox/sandbox-help.ts";
import { HELP_AFTER, HELP_COMMANDS } from "./help-text.ts";
import {
  addConfigOptions,
  addInputOptions,
  addOutputOptions,
  addPushOptions,
  addRecordOptions,
  addResumeOptions,
  addRunOptions,
} from "./options.ts";

/** What a command line asks for: the raw option texts, as commander read them. */
export interface CommandLine {
  readonly command: "push" | "check" | "resume" | "runs" | "init" | "sandbox";
  readonly files: readonly string[];
  readonly options: RawOptions;
}

/** Option values as texts, lists of texts and flags; the settings files of this folder give them their meaning. */
export type RawOptions = Readonly<Record<string, string | readonly string[] | boolean | undefined>>;

const HELP_STYLE = { helpWidth: 100 };

/** Builds the program; `onCommand` hears which command with which options. Help goes to `write`, errors are only thrown. */
export function createProgram(
  onCommand: (line: CommandLine) => void,
  write: { readonly out: (text: string) => void; readonly err: (text: string) => void },
  version: string,
): Command {
  const program = new Command("rec-push")
    .description("Push a CSV or JSON export into a record service.")
    .version(version, "-V, --version", "show the version")
    .configureOutput({ writeOut: write.out, writeErr: write.err, outputError: () => undefined })
    .configureHelp(HELP_STYLE)
    .exitOverride()
    .helpCommand(false);

  const push = program
    .command("push")
    .description("send the rows of one or more files to a table")
    .argument("<files...>", "CSV, JSON or NDJSON files, also .gz; - is standard input")
    .action((files: string[], options: RawOptions) => onCommand({ command: "push", files, options }));
  addPushOptions(push);
  addRunOptions(push);
  addConfigOptions(push, true);
  addInputOptions(push);
  addRecordOptions(push);
  addOutputOptions(push);

  const check = program
    .command("check")
    .description("read the files and say what a push would send; sends nothing, needs no URL and no token")
    .argument("<files...>", "CSV, JSON or NDJSON files, also .gz; - is standard input")
    .option("-t, --table <name>", "the table the rows are meant for")
    .option("--records <file>", "write the records as NDJSON to this file; - is standard output")
    .action((files: string[], options: RawOptions) => onCommand({ command: "check", files, options }));
  addConfigOptions(check, false);
  addInputOptions(check);
  addRecordOptions(check);
  addOutputOptions(check);

  const resume = program
    .command("resume")
    .description("go on with an open run: send what is certainly not applied, settle what is in doubt")
    .argument("[run]", "the run, or how its name begins or ends; without it the latest open one")
    .action((run: string | undefined, options: RawOptions) =>
      onCommand({ command: "resume", files: run === undefined ? [] : [run], options }),
    );
  addResumeOptions(resume);
  addOutputOptions(resume);

  program
    .command("runs")
    .description("list the runs that are kept, and what is left to do")
    .argument("[run]", "one of them, with everything it has in doubt")
    .option("--abandon <run>", "give an open run up: what it has not sent stays unsent")
    .option("--prune", "remove the finished runs now; by itself that is done after 30 days")
    .option("--state-dir <dir>", "where runs are kept (default: $XDG_STATE_HOME/rec-push)")
    .option("--json", "one JSON object a run on standard output")
    .action((run: string | undefined, options: RawOptions) =>
      onCommand({ command: "runs", files: run === undefined ? [] : [run], options }),
    );

  const init = program
    .command("init")
    .description("read a file and write how it is read into rec-push.config.json, everything pinned")
    .argument("<file>", "a CSV, JSON or NDJSON file, also .gz; - is standard input")
    .option("-t, --table <name>", "the table that files like this one go to")
    .option("--force", "replace the table's section in the config")
    .action((file: string, options: RawOptions) => onCommand({ command: "init", files: [file], options }));
  init
    .optionsGroup("Config:")
    .option(
      "--config <file>",
      "the config to write (default: rec-push.config.json, here or in a parent directory)",
    );
  addInputOptions(init);
  addRecordOptions(init);
  init
    .optionsGroup("Output:")
    .option("-q, --quiet", "nothing on success")
    .option("--no-progress", "no progress line")
    .addHelpOption(new Option("-h, --help", "show this help").helpGroup("Output:"));

  program
    .command("sandbox")
    .description("serve the record service's interface on this machine, for rehearsals")
    .option("--port <number>", "port to listen on; 0 takes a free one", "8700")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--allow-remote", "listen on an address other machines reach")
    .option("--token <text>", "the token it takes; for rehearsals, never a real one", "sandbox")
    .option("--db-versions <list>", "database versions it takes; without, none is asked for")
    .option("--tables <list>", "tables that exist; without, any does")
    .option("--data <dir>", "keep the tables in this directory")
    .option("--body-limit <bytes>", "answer 413 above this size")
    .option("--fault <rule>", "misbehave, as the rules below say; may be repeated", collect, [])
    .option("--seed <number>", "seed for rules with a chance", "1")
    .option("--no-atomic", "apply the records of a batch that stand before a bad one")
    .addHelpText("after", () => `\n${sandboxHelp}`)
    .action((options: RawOptions) => onCommand({ command: "sandbox", files: [], options }));

  push
    .configureHelp({ ...HELP_STYLE, commandUsage: () => "rec-push <files...> --table NAME [options]" })
    .addHelpText("after", `${HELP_COMMANDS}\n${HELP_AFTER}`);
  return program;
}

/** The flags, long and short, of all commands that take a value. */
export function findValueOptions(program: Command): ReadonlySet<string> {
  const options = program.commands.flatMap((command) => command.options).filter(({ required }) => required);
  return new Set(
    options.flatMap(({ long, short }) => [long, short]).filter((flag) => flag !== undefined && flag !== null),
  );
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}
