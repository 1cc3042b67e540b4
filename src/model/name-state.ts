import { quoteWord } from "./shell-word.ts";

/** Commands that look for runs in the state directory; that of a shard is in its plan. */
const COMMAND =
  /\brec-push (?:resume(?! --plan)|runs|ledger (?:add|identify|remove))\b(?![^\n]*--state-dir)/g;

/** Adds the state directory that the user named to the commands in a text, which would look in the usual one. */
export function nameState(text: string, stateDir: string | undefined): string {
  if (stateDir === undefined) return text;
  return text.replace(COMMAND, (command) => `${command} --state-dir ${quoteWord(stateDir)}`);
}
