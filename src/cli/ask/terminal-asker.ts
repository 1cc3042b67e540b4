import { wrapLine } from "../../report/wrap-line.ts";
import type { Asker } from "./asker.ts";

/** Asks on the terminal, on standard error like everything that is not a result. */
export async function createTerminalAsker(): Promise<Asker> {
  const { isCancel, select, selectKey, text } = await import("@clack/prompts");
  const onTerminal = { output: process.stderr, input: process.stdin };
  return {
    tell(lines) {
      const { columns } = process.stderr;
      const shown = lines.flatMap((line) => wrapLine(line, { columns, hasBackslash: false }));
      process.stderr.write(shown.map((line) => `${line}\n`).join(""));
    },
    async key(message, answers) {
      for (;;) {
        const answer = await selectKey<string>({ message, options: [...answers], ...onTerminal });
        const found = answers.find(({ value }) => value === answer)?.value;
        if (isCancel(answer) || found !== undefined) return found;
        // Enter is none of the keys, though the prompt then shows the first answer.
        process.stderr.write(
          `Nothing was chosen: press ${answers.map(({ value }) => value).join(" or ")}.\n`,
        );
      }
    },
    async choose(message, answers) {
      const answer = await select<string>({ message, options: [...answers], ...onTerminal });
      return isCancel(answer) ? undefined : answers.find(({ value }) => value === answer)?.value;
    },
    async write(message, usual) {
      const answer = await text({ message, initialValue: usual, ...onTerminal });
      return isCancel(answer) ? undefined : answer;
    },
  };
}
