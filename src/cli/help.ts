import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { COMMAND_WORDS, createProgram, helpOutput, isCommand } from "./command-line.ts";
import { nearestWord } from "./nearest-word.ts";
import { readTopic } from "./read-topic.ts";
import type { Io } from "./run-settings.ts";
import { readVersion } from "./version.ts";

/**
 * Answers a command line that asks for help, or says nothing at all: `rec-push help [WORD]` shows the first screen, a topic, or a
 * command's options. A word that names both a topic and a command shows both. Throws a usage error for any other word.
 */
export function tellHelp(argv: readonly string[], io: Io): number {
  const write = helpOutput(io);
  const word = argv.slice(1).find((each) => !each.startsWith("-"));
  const isTopic = word !== undefined && Object.hasOwn(TOPICS, word);
  if (word === undefined) write.out(frontPage(readVersion()));
  else if (isCommand(word)) {
    const isWhole = argv.includes("--all");
    const program = createProgram(word, () => undefined, { ...write, isWhole }, readVersion());
    program.commands[0]?.outputHelp();
    if (isTopic) write.out("\n");
  } else if (!isTopic) {
    const near = nearestWord(word, [...COMMAND_WORDS.map(([name]) => name), ...Object.keys(TOPICS)]);
    throw new RecPushError("wrong-usage", `there is no help on ${word}`, {
      hint: `${near === undefined ? "" : `did you mean rec-push help ${near}? `}rec-push help lists commands and topics`,
    });
  }
  if (isTopic) write.out(topicText(readTopic(word)));
  return EXIT.ok;
}

/** A topic for a terminal: its Markdown as it is, except that headings lose their `#` and code its fences. */
function topicText(markdown: string): string {
  let isCode = false;
  const lines: string[] = [];
  for (const line of markdown.trimEnd().split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    else if (isCode) lines.push(`    ${line}`.trimEnd());
    else lines.push(line.replace(/^#+ /, ""));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** The first screen: 24 lines of 80 columns, including the prompt below it. */
function frontPage(version: string): string {
  return `rec-push ${version} loads CSV, JSON and Excel exports into a record service.
Nothing wrong is sent, nothing is lost, nothing is sent twice.
Examples:
  rec-push check orders.csv                          read it, send nothing
  rec-push orders.csv --table commandes --sandbox    push it to a rehearsal
Commands:
  push FILES...     send the rows to a table; the command when none is named
  check FILES...    read the files and say what a push would send
  plan FILES...     share a push between machines
  resume [RUN]      continue an open run, settle what is in doubt
  runs [RUN]        list the runs, and what is left to do
  ledger add FILE   its records are already in the service: create none of them
  init FILE         write rec-push.config.json from a file, everything pinned
  login [PROFILE]   ask for URL and token of a service, try and keep them
  logout PROFILE    remove them
  sandbox           serve the record service's interface on this machine
  doctor            check whether a push can work here; sends no record
  completion SHELL  complete commands and options in bash, zsh, fish, powershell
More: rec-push help WORD, for a command or a topic:
${topicLines()}
`;
}

/** The names of all topics, in lines of at most 79 columns. */
function topicLines(): string {
  const lines: string[] = [];
  for (const topic of Object.keys(TOPICS)) {
    const line = `${lines.at(-1) ?? ""} ${topic}`;
    if (lines.length > 0 && line.length < 80) lines[lines.length - 1] = line;
    else lines.push(`  ${topic}`);
  }
  return lines.join("\n");
}

/** The topics of `rec-push help`, in the order in which they are listed; `src/help/TOPIC.md` is the text of each. */
export const TOPICS = {
  files: "delimiters, headers, titles, packed files, standard input",
  columns: "which column goes to which field, and its type",
  dates: "which dates are read, and what decides an open one",
  amounts: "which amounts are read, and what decides an open one",
  encodings: "how the encoding is found, and how to name it",
  excel: "workbooks: sheets, cells, faults",
  "json-input": "where the records of a JSON file are, objects inside them",
  "odd-rows": "totals, headings, footers, rows that are cut",
  rejects: "rows that were not accepted, and the files that hold them",
  "in-doubt": "creates whose answer was lost",
  runs: "how a push goes on after a crash, and what is kept",
  duplicates: "files that hold yesterday's rows again",
  options: "the options that people use most",
  config: "rec-push.config.json, profiles, precedence",
  credentials: "token, OAuth, headers, proxies, certificates",
  outcomes: "answers of the service, and the outcomes",
  "exit-codes": "what each exit code means, and what to do",
  automation: "cron, systemd, GitHub Actions, GitLab CI",
  events: "the output of --json, field by field",
  report: "--report, --results, --log-file",
  drift: "a file that is unlike those before it",
  sandbox: "a test service on this machine, with faults on request",
  shards: "one push on many machines",
  library: "push and check from a program",
  "one-file": "rec-push as one executable",
  windows: "paths, names with *, quoting",
  speed: "figures of time and memory",
  troubles: "faults around a push and of the state directory",
} as const;
