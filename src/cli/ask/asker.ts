import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { tellOn } from "../../report/terminal-lines.ts";

/** A person at a terminal. */
export interface Asker {
  readonly tell: (lines: readonly string[]) => void;
  /** A line that the person types, trimmed; `undefined` if they broke off, or if `signal` did. */
  readonly line: (prompt: string, how?: LineOptions) => Promise<string | undefined>;
}

interface LineOptions {
  /** True for a secret: the typed text is not shown. */
  readonly isHidden?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** An answer, and the words for it. */
export interface Answer<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** Asks on the terminal, on standard error like everything that is not a result. */
export function createTerminalAsker(): Asker {
  const { stdin: input, stderr } = process;
  return {
    tell: tellOn(stderr),
    line(prompt, { isHidden = false, signal } = {}) {
      // The reader echoes what is typed.
      const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : stderr;
      const reader = createInterface({ input, output, terminal: true, historySize: 0 });
      reader.setPrompt(prompt);
      return new Promise((resolve) => {
        const end = (text?: string): void => {
          signal?.removeEventListener("abort", breakOff);
          reader.off("close", breakOff).close();
          // After a line the cursor is below it.
          if (text === undefined || isHidden) stderr.write("\n");
          resolve(text?.trim());
        };
        const breakOff = (): void => end();
        // Ctrl-C, and Ctrl-D, which closes the reader.
        reader.once("line", end).once("SIGINT", breakOff).once("close", breakOff);
        // Only now: until the reader listens, the terminal itself would answer Ctrl-C and Ctrl-D.
        if (isHidden) stderr.write(prompt);
        else reader.prompt();
        if (signal?.aborted === true) end();
        else signal?.addEventListener("abort", breakOff, { once: true });
      });
    },
  };
}

/** Asks for one of several answers by its number; Enter alone chooses nothing. `undefined` if the person broke off. */
export async function chooseOne<Value extends string>(
  asker: Asker,
  question: string,
  answers: readonly Answer<Value>[],
): Promise<Value | undefined> {
  asker.tell(["", question, ...answers.map(({ label }, at) => `  ${at + 1}  ${label}`)]);
  const numbers = answers.length === 1 ? "1" : `1 to ${answers.length}`;
  for (;;) {
    const typed = await asker.line(`${numbers}: `);
    if (typed === undefined) return undefined;
    const answer = /^\d+$/.test(typed) ? answers[Number(typed) - 1] : undefined;
    if (answer !== undefined) return answer.value;
  }
}

/** Asks for one of these letters. `undefined` if the person broke off. */
export async function chooseLetter<Letter extends string>(
  asker: Asker,
  question: string,
  letters: readonly Letter[],
  signal?: AbortSignal,
): Promise<Letter | undefined> {
  for (;;) {
    const typed = await asker.line(`${question} [${letters.join("/")}] `, { signal });
    if (typed === undefined) return undefined;
    const found = letters.find((letter) => letter === typed.toLowerCase());
    if (found !== undefined) return found;
  }
}
