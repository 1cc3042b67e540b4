import { EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import { COMMAND_WORDS, createProgram, helpOutput, isCommand } from "./command-line.ts";
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
  const isTopic = word !== undefined && TOPICS.includes(word);
  if (word === undefined) write.out(frontPage(readVersion()));
  else if (isCommand(word)) {
    const isWhole = argv.includes("--all");
    const program = createProgram(word, () => undefined, { ...write, isWhole }, readVersion());
    program.commands[0]?.outputHelp();
    if (isTopic) write.out("\n");
  } else if (!isTopic) {
    throw new RecPushError("wrong-usage", `there is no help on ${word}`, {
      hint: "rec-push help lists commands and topics",
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
  const commandLines = COMMAND_WORDS.map(
    ([name, about, words]) => `  ${`${name} ${words}`.padEnd(17)} ${about}`,
  ).join("\n");
  return `rec-push ${version} loads CSV, JSON and Excel exports into a record service.
Nothing wrong is sent, nothing is lost, nothing is sent twice.
Examples:
  rec-push check orders.csv                          read it, send nothing
  rec-push orders.csv --table commandes --sandbox    push it to a rehearsal
Commands:
${commandLines}
More: rec-push help WORD, for a command or a topic:
${topicLines()}
`;
}

/** The names of all topics, in lines of at most 79 columns. */
function topicLines(): string {
  const lines: string[] = [];
  for (const topic of TOPICS) {
    const line = `${lines.at(-1) ?? ""} ${topic}`;
    if (lines.length > 0 && line.length < 80) lines[lines.length - 1] = line;
    else lines.push(`  ${topic}`);
  }
  return lines.join("\n");
}

/** The topics of `rec-push help`, in the order in which they are listed; `src/help/TOPIC.md` is the text of each. */
export const TOPICS: readonly string[] =
  `files columns dates amounts encodings excel json-input odd-rows rejects in-doubt runs duplicates options config credentials
  outcomes exit-codes automation events report drift sandbox shards library one-file windows speed troubles`.split(
    /\s+/,
  );
