import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { RecPushError } from "../model/failure.ts";
import type { Io } from "./io.ts";
import { nearestWord } from "./nearest-word.ts";
import { COMMAND_WORDS } from "./program.ts";

/** Words that other tools use for commands, with ours for the same. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  status: "runs",
  list: "runs",
  ls: "runs",
  validate: "check",
  verify: "check",
  lint: "check",
  upload: "push",
  import: "push",
  load: "push",
  send: "push",
  continue: "resume",
  serve: "sandbox",
  config: "init",
};

/** Throws a usage error if the first word of a line without a command is neither a file nor a command, but could be one. */
export function refuseMistyped(
  argv: readonly string[],
  valueOptions: ReadonlySet<string>,
  { cwd }: Io,
): void {
  const at = firstWord(argv, valueOptions);
  const word = argv[at];
  if (word === undefined || !/^[a-z-]+$/i.test(word) || existsSync(resolve(cwd, word))) return;
  const commands = [...COMMAND_WORDS.map(([name]) => name), "help", "version"];
  const foreign = nearestWord(word, Object.keys(ELSEWHERE));
  const meant = nearestWord(word, commands) ?? (foreign === undefined ? undefined : ELSEWHERE[foreign]);
  // With options it may be the name of a file that is missing tonight.
  if (meant === undefined && argv.length > 1) return;
  throw new RecPushError("usage", "unknown-command", `${word} is neither a file nor a command`, {
    hint: meant === undefined ? "rec-push help lists the commands" : `did you mean rec-push ${meant}?`,
  });
}

/** The index of the first word that is neither an option nor an option's value; `-1` if there is none. */
function firstWord(argv: readonly string[], valueOptions: ReadonlySet<string>): number {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "--") return -1;
    if (!word.startsWith("-")) return at;
    if (valueOptions.has(word)) at += 1;
  }
  return -1;
}
