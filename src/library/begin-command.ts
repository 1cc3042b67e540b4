import { EventEmitter } from "node:events";
import { addAbortSignal, Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { hideInFault, secretsOnLine } from "../cli/line-secrets.ts";
import type { Io } from "../cli/run-settings.ts";
import { type InputPlace, RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { quoteText, showText } from "../model/text.ts";
import type { RejectEvent, SummaryEvent } from "../model/event.ts";
import { given } from "../options/declaration.ts";
import { spellOptions } from "../options/derive.ts";
import { type ProgramCommand, programOptions, spellValue } from "../options/program-values.ts";
import { inputError } from "../read/input-error.ts";
import { createJsonReporter } from "../report/json-event.ts";
import type { Reporter } from "../report/reporter.ts";
import {
  type BytesInput,
  type Input,
  type OwnOptions,
  PushError,
  type PushEvent,
  type RowsInput,
} from "./api.ts";
import type { Work } from "./make-run.ts";

/**
 * A stream of Node that fails before it is read, such as that of a file that is not there, must not end the program:
 * reading it tells the error.
 */
function holdErrors(input: Input): void {
  if (typeof input !== "object" || input === null) return;
  for (const stream of Object.values(input) as readonly unknown[])
    if (stream instanceof EventEmitter) stream.on("error", () => undefined);
}

/**
 * An input as the commands take it: paths, or `-` for a stream, of which nothing is read yet. Rows become a JSON array.
 * Throws usage for what is no input; for a shard of a plan there is none.
 */
export function openInput(input: Input, stop: AbortSignal, isOfPlan: boolean) {
  if (!isStream(input)) {
    const paths = Array.isArray(input) ? input : [input];
    if (paths.length === 0 && !isOfPlan) throw notAnInput("it names no file");
    return { files: paths.map(pathOf), stdin: Readable.from([]), inputName: undefined };
  }
  if ("bytes" in input && "rows" in input) throw notAnInput("an object has either bytes or rows");
  if (isOfPlan) throw notAnInput("a shard sends its part of the plan");
  const { name = "rows" in input ? "rows" : "stream" } = input;
  if (typeof name !== "string" || name === "") throw notAnInput("its name is a text");
  const inputName = `<${showText(name)}>`;
  const items: unknown = Object("rows" in input ? input.rows : input.bytes);
  if (!(Symbol.asyncIterator in (items as object) || Symbol.iterator in (items as object)))
    throw notAnInput(`${inputName} is no iterable`);
  const parts = "rows" in input ? spellRows(input, inputName) : spellBytes(input, inputName);
  return { files: ["-"], stdin: streamOf(parts, inputName, stop), inputName };
}

function isStream(input: Input): input is BytesInput | RowsInput {
  return typeof input === "object" && input !== null && ("bytes" in input || "rows" in input);
}

/** A path that is `-` is a file of that name: a program's own standard input is not ours. */
function pathOf(path: unknown): string {
  if (path instanceof URL) {
    if (path.protocol === "file:") return fileURLToPath(path);
    throw notAnInput(`${showText(path.protocol)} is not read; give its content as { bytes }`);
  }
  if (typeof path !== "string" || path === "") throw notAnInput("a path is a text or a URL");
  return path === "-" ? "./-" : path;
}

function notAnInput(why: string): RecPushError {
  return new RecPushError("wrong-usage", `the input cannot be used: ${why}`, {
    hint: "give a path, several paths, { bytes } or { rows }; for a shard of a plan []",
  });
}

/** The parts of a caller's input as a stream. An error of the caller's becomes an input error with it as cause. */
function streamOf(parts: AsyncGenerator<string | Uint8Array>, name: string, stop: AbortSignal): Readable {
  const stream = new Readable({
    read() {
      parts.next().then(
        ({ done, value }) => this.push(done === true ? null : value),
        (cause: unknown) => this.destroy(cause instanceof RecPushError ? cause : ofCaller(cause, name)),
      );
    },
    destroy(why, done) {
      // Not awaited: a caller's iterator that hangs would hang here too. Nobody needs the error of one that is left.
      parts.return(undefined).catch(() => undefined);
      done(why);
    },
  });
  // Reading it tells the error.
  stream.on("error", () => undefined);
  return addAbortSignal(stop, stream);
}

function ofCaller(cause: unknown, name: string): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return inputError({ file: name }, "not-readable", `it ended with an error: ${why}`, { cause });
}

/** Bytes as they are; texts become UTF-8. */
async function* spellBytes({ bytes }: BytesInput, name: string): AsyncGenerator<string | Uint8Array> {
  const isOne = typeof bytes === "string" || bytes instanceof Uint8Array;
  for await (const chunk of isOne ? [bytes] : bytes) {
    if (!(chunk instanceof Uint8Array || (typeof chunk === "string" && chunk.isWellFormed())))
      throw inputError(
        { file: name },
        "bad-input",
        "a chunk of it is neither bytes nor a text of whole characters",
        {
          hint: "give chunks of bytes (Uint8Array, Buffer) or whole texts; objects are given as { rows }",
        },
      );
    yield chunk;
  }
}

/** Objects as a JSON array, one a line, so that the line of a row is its number. */
async function* spellRows({ rows }: RowsInput, file: string): AsyncGenerator<string> {
  let line = 0;
  for await (const row of rows) {
    line += 1;
    yield `${line === 1 ? "[" : ",\n"}${spellRow(row, { file, line })}`;
  }
  yield line === 0 ? "[]\n" : "]\n";
}

/** Refuses a value that JSON would change silently. */
function spellRow(row: unknown, place: InputPlace): string {
  // Called with the object that holds the member; `value` went through its toJSON already.
  function check(this: unknown, member: string, value: unknown): unknown {
    if (isChanged(value, (this as Readonly<Record<string, unknown>>)[member]))
      throw notARow(place, `JSON would change or lose the value of ${quoteText(member)}`);
    return typeof value === "bigint" ? String(value) : value;
  }
  let text: string | undefined;
  try {
    text = JSON.stringify(row, check);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw notARow(place, `it cannot be written as JSON: ${cause.message}`);
  }
  if (text === undefined || !text.startsWith("{")) throw notARow(place, "it is no object");
  const prototype: unknown = Object.getPrototypeOf(row);
  // Its row would be left out as an empty one. Objects of another realm have another prototype, the last one there too.
  if (text === "{}" && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw notARow(place, "it is no plain object and has no members, such as a Map or a Set");
  return text;
}

/** True for a value that JSON has no form for, and for a whole number whose last digits may be gone before we see it. */
function isChanged(value: unknown, held: unknown): boolean {
  if (typeof value === "number")
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  const isNoDate = held instanceof Date && Number.isNaN(held.getTime());
  return typeof value === "function" || typeof value === "symbol" || isNoDate;
}

function notARow(place: InputPlace, what: string): RecPushError {
  return inputError(place, "bad-input", what, {
    hint: "give objects whose members are texts, numbers, booleans, null or dates; a number of more than 15 digits as a text or a bigint",
  });
}

function placeOf({ file, line, column }: RejectEvent): InputPlace {
  return { file, line, ...given({ column }) };
}

/** The work of a command, called as a command line calls it, with a reader of events in place of the screen. */
export function workOf(command: ProgramCommand, input: Input, options: OwnOptions): Work {
  holdErrors(input);
  return async (reader, stop) => {
    const startedMs = performance.now();
    let summary: SummaryEvent | undefined;
    let failure: RecPushError | undefined;
    let place: InputPlace | undefined;
    const take = (line: string): void => {
      const event = JSON.parse(line) as PushEvent;
      if (event.event === "summary") summary = event;
      if (event.event === "reject") place ??= placeOf(event);
      reader.add(event);
    };
    const events = createJsonReporter({ write: take }, () => new Date());
    const fail = (error: RecPushError): void => events.fail((failure = error));
    const { signal, token, clientSecret, env = process.env, ...others } = options;
    const variables = { ...env, ...given({ REC_PUSH_TOKEN: token, REC_PUSH_CLIENT_SECRET: clientSecret }) };
    const io = openIo(variables, stop, { ...events, fail, caughtUp: reader.caughtUp });
    let texts: OptionTexts = {};
    try {
      texts = optionTexts(command, others);
      const { files, ...opened } = openInput(input, stop, texts["plan"] !== undefined);
      const line = { command, files, options: texts };
      const open = { ...io, ...opened };
      if (command === "push") await (await import("../cli/commands/push.ts")).runPush(line, open);
      else await (await import("../cli/commands/check.ts")).runCheck(line, open);
    } catch (error) {
      if (!(error instanceof RecPushError)) {
        const line = spellOptions(texts, () => true);
        throw hideInFault(error, secretsOnLine(line, variables));
      }
      const { tellFailure } = await import("../cli/session.ts");
      await tellFailure(error, { ...texts, json: true }, io, startedMs);
    }
    if (summary === undefined) throw new Error("a fault of rec-push: it ended without a summary");
    if (failure !== undefined) throw new PushError(failure, summary, { cause: signal?.reason, place });
    return summary;
  };
}

/** Nothing of the process is touched: no stream, no signal, no exit code. */
function openIo(env: Io["env"], stop: AbortSignal, program: Reporter): Io {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  return {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    cwd: process.cwd(),
    env,
    now: () => new Date(),
    program,
    onSignal(listener) {
      const interrupt = (): void => listener("SIGINT");
      if (stop.aborted) interrupt();
      else stop.addEventListener("abort", interrupt, { once: true });
      return () => stop.removeEventListener("abort", interrupt);
    },
  };
}

/** The options of a program as texts, as a command line has them. Throws usage; no value is shown, as it may be secret. */
export function optionTexts(command: ProgramCommand, options: object): OptionTexts {
  const known = programOptions(command);
  const texts: OptionTexts = Object.fromEntries(
    Object.entries(given(options)).map(([name, value]: [string, unknown]) => {
      const entry = known.find((one) => one.name === name);
      if (entry !== undefined)
        return [name, spellValue(value, entry.declaration.form, `option ${name}`)] as const;
      throw new RecPushError("unknown-option", `${command} has no option ${quoteText(name)}`, {
        hint: "its options are those of the command line, written as in batchSize",
      });
    }),
  );
  // It means standard output, which a program does not see.
  if (texts["records"] !== "-") return texts;
  throw new RecPushError("bad-option-value", "option records: expected the path of a file");
}
