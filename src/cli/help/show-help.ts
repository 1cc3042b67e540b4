import { nearestWord } from "../nearest-word.ts";
import { RecPushError } from "../../model/failure.ts";
import type { CommandName } from "../../options/declaration.ts";
import { configSchema } from "../config/config-schema.ts";
import { readTopic } from "../read-topic.ts";
import { readVersion } from "../version.ts";
import { frontPage } from "./front-page.ts";
import { exitCodePart, topicText } from "./topic-text.ts";
import { isTopic, TOPICS } from "./topics.ts";

/**
 * Answers `rec-push help [WORD]`: the first screen, a topic, an exit code, the JSON Schema of configs (`schema`), or a
 * command's options, which `showOptions` writes. A word that names both a topic and a command shows both. Throws a usage
 * error for any other word.
 */
export function showHelp(
  words: readonly string[],
  write: (text: string) => void,
  commands: readonly string[],
  showOptions: (command: CommandName) => void,
): void {
  const [word] = words;
  if (word === undefined) return write(frontPage(readVersion()));
  if (word === "schema") return write(`${JSON.stringify(configSchema(), null, 2)}\n`);
  if (/^\d+$/.test(word)) return write(exitCodeHelp(word));
  const isCommand = commands.includes(word);
  if (!isCommand && !isTopic(word)) {
    const near = nearestWord(word, [...commands, ...Object.keys(TOPICS)]);
    throw new RecPushError("usage", "unknown-topic", `there is no help on ${word}`, {
      hint: `${near === undefined ? "" : `did you mean rec-push help ${near}? `}rec-push help lists commands and topics`,
    });
  }
  if (isCommand) showOptions(word as CommandName);
  if (isCommand && isTopic(word)) write("\n");
  if (isTopic(word)) write(topicText(readTopic(word)));
}

function exitCodeHelp(code: string): string {
  const part = exitCodePart(readTopic("exit-codes"), code);
  if (part !== undefined) return part;
  throw new RecPushError("usage", "unknown-topic", `rec-push never ends with exit code ${code}`, {
    hint: "rec-push help exit-codes lists those that it has; 137 is a kill (kill -9)",
  });
}
