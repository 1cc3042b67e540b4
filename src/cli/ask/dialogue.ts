import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { SurveyReport, ToSend } from "../../model/counts.ts";
import type { Choice, RecPushError } from "../../model/failure.ts";
import type { OptionText } from "../../model/option-texts.ts";
import { quoteText, splitWords } from "../../model/text.ts";
import { readValues } from "../../options/read-values.ts";
import { describeToSend } from "../../push/decide-inputs.ts";
import { tellOn } from "../../report/terminal-lines.ts";
import { type CommandLine, readCommandLine } from "../command-line.ts";
import type { Asker, Io } from "../run-settings.ts";

/** `again`: run the command once more, with {@link Dialogue.line}. */
export type Settled = "again" | "no" | "brokeOff";

/** An answer that ends the command. */
const NOTHING = "";

/**
 * The questions about one command, and its line with the answers added. The command runs until it meets a question, asks,
 * and runs again: an answer may raise the next question.
 */
export class Dialogue {
  readonly #typed: CommandLine;
  /** The survey of the file, as of the last run of the command; `undefined` if there are several. */
  survey: SurveyReport | undefined;
  readonly #io: Io;
  /** The options that nobody typed, in the order in which they were given. */
  readonly #given: string[] = [];
  /** The columns whose field was guessed by their names. */
  readonly guessed: string[] = [];
  /** The failure that the last answers settled. */
  #settled: RecPushError | undefined;
  #asker: Asker | undefined;

  constructor(typed: CommandLine, io: Io) {
    this.#typed = typed;
    this.#io = io;
  }

  /** True once a person has answered a question, or an answer that is certain was used. */
  get hasAnswers(): boolean {
    return this.#given.length > 0;
  }

  /** The line that was typed, with all answers. */
  get line(): CommandLine {
    return withOptions(this.#typed, this.#given, this.#io);
  }

  /** Takes the answers of a failure that are certain; false if there are none, or if they do not settle it. */
  accept(failure: RecPushError | undefined): boolean {
    if (failure?.kind !== "input" || failure.options.length === 0) return false;
    if (this.#isAnswered(failure)) return false;
    this.#take(failure, []);
    return true;
  }

  /** True if the failure has answers, and they are not those that were just given. */
  settles(failure: RecPushError | undefined): failure is RecPushError {
    return failure !== undefined && isForAPerson(failure) && !this.#isAnswered(failure);
  }

  /** Asks what a failure leaves open, and keeps the answers. */
  async settle(failure: RecPushError): Promise<Settled> {
    const answers: string[] = [];
    for (const choice of failure.choices ?? []) {
      const answer = await chooseOne(await this.#open(), choice.question, answersTo(choice));
      if (answer === undefined) return "brokeOff";
      if (answer === NOTHING) return "no";
      answers.push(answer);
    }
    this.#take(failure, answers);
    return "again";
  }

  /**
   * The failure to report. An answer for one file may name a column that another file lacks: then the question is reported,
   * because the user has not made that error.
   */
  failureToTell(failure: RecPushError | undefined): RecPushError | undefined {
    return failure?.kind === "usage" ? (this.#settled ?? failure) : failure;
  }

  /** Asks for a yes. */
  async confirm(question: string, signal?: AbortSignal): Promise<"yes" | "no" | "brokeOff"> {
    const [last = "", ...before] = question.split("\n").toReversed();
    (await this.#open()).tell(["", ...before]);
    const answer = await chooseLetter(await this.#open(), last, ["y", "n"], signal);
    return answer === undefined ? "brokeOff" : answer === "y" ? "yes" : "no";
  }

  async #open(): Promise<Asker> {
    return (this.#asker ??= await this.#io.openAsker!());
  }

  /** True for the questions that were answered last. */
  #isAnswered(failure: RecPushError): boolean {
    return this.#settled !== undefined && nameQuestions(failure) === nameQuestions(this.#settled);
  }

  #take(failure: RecPushError, answers: readonly string[]): void {
    this.#settled = failure;
    this.#given.push(...failure.options, ...answers);
    for (const option of failure.options)
      if (/^"?--map /.test(option)) this.guessed.push((splitWords(option)[1] ?? "").replace(/=[^=]*$/, ""));
  }
}

/** True if a person is at the terminal and the options allow questions. Rows that can be read only once ask nothing. */
export function isForPeople({ files, options }: CommandLine, { openAsker }: Io): boolean {
  const { json, quiet, pinned, yes, input } = readValues(options);
  const isUnattended = json === true || quiet === true || pinned === true || yes === true || input === false;
  return openAsker !== undefined && !isUnattended && !files.includes("-");
}

/** True for a failure that the user's answers may settle. */
function isForAPerson({ kind, choices, options }: RecPushError): boolean {
  return kind === "input" && choices !== undefined && options.length + choices.length > 0;
}

function nameQuestions({ choices = [], options }: RecPushError): string {
  return JSON.stringify([options, choices.map(({ question }) => question)]);
}

/** A command line with more options at its end, as if they had been pasted. */
function withOptions(line: CommandLine, options: readonly string[], io: Io): CommandLine {
  if (options.length === 0) return line;
  const added = readCommandLine([line.command, "file", ...options.flatMap(splitWords)], io);
  if (typeof added === "number" || added === "help") return line;
  // As commander reads them: an option that may be repeated is extended, any other is replaced.
  const texts: Record<string, OptionText> = { ...(line.options as Record<string, OptionText>) };
  for (const [name, text] of Object.entries(added.options)) {
    const old = texts[name];
    texts[name] = Array.isArray(text) && Array.isArray(old) ? [...old, ...text] : text!;
  }
  return { ...line, options: texts };
}

/** The answers to a question, in words, with the option of each. */
function answersTo({ question, answers, effects }: Choice): readonly Answer[] {
  const isOfFormat = answers.every((answer) => /^--type [^ =]+=(?:date|amount):/.test(answer));
  const readings = isOfFormat ? / is (.*)$/.exec(question)?.[1]?.split(/, | or /) : undefined;
  const words = effects ?? (readings?.length === answers.length ? readings : []);
  const labels = answers.map((answer, at) => {
    const lead = words[at] === undefined ? "" : `${words[at]}   `;
    return { value: answer, label: lead + answer };
  });
  const no = { value: NOTHING, label: "no: send nothing" };
  return answers.length > 1 ? labels : [...labels, no];
}

/** `Send 9 creates? (58 were created before, 2 differ)`; `undefined` if there is nothing to send. */
export function askToSend(toSend: ToSend): string | undefined {
  const described = describeToSend(toSend);
  if (described === undefined) return undefined;
  const { keys } = toSend;
  const key =
    keys.length === 0
      ? "key: none, every row creates a record"
      : `key: column ${keys.map((name) => quoteText(name)).join(", ")}`;
  return `${key}\nSend ${described.what}?${described.before}`;
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

/** An answer, and the words for it. */
interface Answer {
  readonly value: string;
  readonly label: string;
}

/** Asks for one of several answers by its number; Enter alone chooses nothing. `undefined` if the person broke off. */
async function chooseOne(
  asker: Asker,
  question: string,
  answers: readonly Answer[],
): Promise<string | undefined> {
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
