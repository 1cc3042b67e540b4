import type { Key } from "node:readline";
import { wrapLine } from "../../report/terminal-lines.ts";

/** An answer that can be chosen. */
interface Answer<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** Asks the user. Every answer may be `undefined`, which means that the user broke off. */
export interface Asker {
  readonly tell: (lines: readonly string[]) => void;
  /** Asks for a choice by a single letter. */
  readonly key: <Value extends string>(
    question: string,
    answers: readonly Answer<Value>[],
  ) => Promise<Value | undefined>;
  readonly choose: <Value extends string>(
    question: string,
    answers: readonly Answer<Value>[],
  ) => Promise<Value | undefined>;
}

/** Where a prompt reads and writes, and what ends it. */
interface OnTerminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Asks on the terminal, on standard error like everything that is not a result. */
export async function createTerminalAsker(): Promise<Asker> {
  const { isCancel, select, selectKey } = await import("@clack/prompts");
  return {
    tell(lines) {
      const { columns } = process.stderr;
      const shown = lines.flatMap((line) => wrapLine(line, { columns, hasBackslash: false }));
      process.stderr.write(shown.map((line) => `${line}\n`).join(""));
    },
    async key(message, answers) {
      for (;;) {
        const answer = await untilCtrlD((on) => selectKey<string>({ message, options: [...answers], ...on }));
        const found = answers.find(({ value }) => value === answer)?.value;
        if (isCancel(answer) || found !== undefined) return found;
        // Enter is none of the keys, though the prompt then shows the first answer.
        process.stderr.write(
          `Nothing was chosen: press ${answers.map(({ value }) => value).join(" or ")}.\n`,
        );
      }
    },
    async choose(message, answers) {
      const answer = await untilCtrlD((on) => select<string>({ message, options: [...answers], ...on }));
      return isCancel(answer) ? undefined : answers.find(({ value }) => value === answer)?.value;
    },
  };
}

/** Ctrl-D closes the terminal's reader under a prompt, which would wait for ever: here it breaks off, as Ctrl-C does. */
async function untilCtrlD<Answer>(ask: (on: OnTerminal) => Promise<Answer>): Promise<Answer> {
  const { stdin: input, stderr: output } = process;
  const breaking = new AbortController();
  const onKey = (_: string | undefined, { ctrl, name }: Key): void => {
    if (ctrl === true && name === "d") breaking.abort();
  };
  input.on("keypress", onKey);
  try {
    return await ask({ input, output, signal: breaking.signal });
  } finally {
    input.off("keypress", onKey);
  }
}
