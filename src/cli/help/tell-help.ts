import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import type { CommandName } from "../../options/declaration.ts";
import { nearestWord } from "../nearest-word.ts";
import { COMMAND_WORDS, createProgram } from "../program.ts";
import { helpOutput } from "../read-command-line.ts";
import { readTopic } from "../read-topic.ts";
import type { Io } from "../run-settings.ts";
import { readVersion } from "../version.ts";
import { frontPage, isTopic, TOPICS } from "./front-page.ts";

/** Answers a command line that asks for help, or says nothing at all; returns the exit code. Throws a usage error. */
export function tellHelp(argv: readonly string[], io: Io): number {
  const write = helpOutput(io);
  const words = argv.slice(1).filter((word) => !word.startsWith("-"));
  const commands = COMMAND_WORDS.map(([name]) => name);
  const isWhole = argv.includes("--all");
  showHelp(words, write.out, commands, (command) => {
    const program = createProgram(command, () => undefined, { ...write, isWhole }, readVersion());
    program.commands[0]?.outputHelp();
  });
  return EXIT.ok;
}

/**
 * Answers `rec-push help [WORD]`: the first screen, a topic, or a command's options, which `showOptions` writes. A word that
 * names both a topic and a command shows both. Throws a usage error for any other word.
 */
function showHelp(
  words: readonly string[],
  write: (text: string) => void,
  commands: readonly string[],
  showOptions: (command: CommandName) => void,
): void {
  const [word] = words;
  if (word === undefined) return write(frontPage(readVersion()));
  const isCommand = commands.includes(word);
  if (!isCommand && !isTopic(word)) {
    const near = nearestWord(word, [...commands, ...Object.keys(TOPICS)]);
    throw new RecPushError("wrong-usage", `there is no help on ${word}`, {
      hint: `${near === undefined ? "" : `did you mean rec-push help ${near}? `}rec-push help lists commands and topics`,
    });
  }
  if (isCommand) showOptions(word as CommandName);
  if (isCommand && isTopic(word)) write("\n");
  if (isTopic(word)) write(topicText(readTopic(word)));
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
