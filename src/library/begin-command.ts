import { Readable, Writable } from "node:stream";
import { hideInFault, redactorForLine, secretsOnLine } from "../cli/line-secrets.ts";
import { nearestWord } from "../cli/nearest-word.ts";
import type { Io } from "../cli/run-settings.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionText, OptionTexts } from "../model/option-texts.ts";
import { quoteText } from "../model/refer-to-sheets.ts";
import { steadyMs } from "../model/steady-ms.ts";
import type { SummaryEvent, ToldEvent } from "../model/told-event.ts";
import { escapeCommas, type Form, given, type Items } from "../options/declaration.ts";
import { spellOptions } from "../options/line-words.ts";
import { type OptionName, TABLE, type TableEntry, useIn } from "../options/table.ts";
import type { Reporter } from "../report/reporter.ts";
import { formatEvent } from "../report/json-event.ts";
import { tellFailure, tellProgram } from "../report/tell-program.ts";
import type { Input } from "./input.ts";
import type { RunResult, Work } from "./make-run.ts";
import { holdErrors, type OpenedInput, openInput } from "./open-input.ts";
import type { OwnOptions } from "./own-options.ts";
import { PushError } from "./push-error.ts";
import type { PushEvent } from "./run.ts";

/** The work of a command, called as a command line calls it, with a reader of events in place of the screen. */
export function workOf(command: LibraryCommand, input: Input, options: OwnOptions): Work {
  holdErrors(input);
  return async (reader, stop) => {
    const startedMs = steadyMs();
    let last: { summary?: SummaryEvent; failure?: RecPushError } = {};
    const tell = (told: ToldEvent): void => {
      if (told.event === "run") last = {};
      const { event, ...fields } = told;
      // A copy of its own, as a reader of lines would have it.
      const copy = JSON.parse(formatEvent(event, fields, new Date())) as PushEvent;
      if (copy.event === "summary") last.summary = copy;
      reader.add(copy);
    };
    const program: Reporter = {
      emit(event) {
        const told = tellProgram(event);
        if (told !== undefined) tell(told);
      },
      fail(failure) {
        last.failure = failure;
        tell(tellFailure(failure));
      },
      caughtUp: () => reader.caughtUp(),
      close: () => undefined,
    };
    const { signal: _, token, clientSecret, env = process.env, ...others } = options;
    const variables = { ...env, ...given({ REC_PUSH_TOKEN: token, REC_PUSH_CLIENT_SECRET: clientSecret }) };
    const io = openIo(variables, stop, program);
    let texts: OptionTexts = {};
    try {
      refuseEmpty({ token, clientSecret });
      texts = optionTexts(command, others);
      const opened = openInput(input, stop, texts["plan"] !== undefined);
      await runCommand(command, opened, texts, { ...io, stdin: opened.stream, inputName: opened.name });
    } catch (error) {
      const line = spellOptions(texts, () => true);
      if (!(error instanceof RecPushError)) throw hideInFault(error, secretsOnLine(line, variables));
      const { reword } = await import("../cli/reword.ts");
      const { tellFailure: tellNotStarted } = await import("../cli/tell-failure.ts");
      const failure = reword(error, redactorForLine(line, variables));
      await tellNotStarted(failure, { ...texts, json: true }, io, startedMs);
    }
    return resultOf(last);
  };
}

async function runCommand(
  command: LibraryCommand,
  { files, isRows }: OpenedInput,
  texts: OptionTexts,
  io: Io,
): Promise<void> {
  if (isRows && texts["format"] !== undefined && texts["format"] !== "json") {
    throw new RecPushError(
      "usage",
      "contradicting-options",
      "rows have no format: leave the option format out",
    );
  }
  const line = { command, files, options: isRows ? { ...texts, format: "json" } : texts };
  if (command === "push") {
    const { runPush } = await import("../cli/commands/push.ts");
    await runPush(line, io);
    return;
  }
  const { runCheck } = await import("../cli/commands/check.ts");
  await runCheck(line, io);
}

function resultOf({ summary, failure }: { summary?: SummaryEvent; failure?: RecPushError }): RunResult {
  if (summary === undefined) throw new Error("a fault of rec-push: it ended without a summary");
  return { summary, failure: failure && new PushError(failure, summary) };
}

/** A variable that is not set would have another token taken in its place. */
function refuseEmpty({ token, clientSecret }: Pick<OwnOptions, "token" | "clientSecret">): void {
  for (const [name, text] of Object.entries({ token, clientSecret })) {
    if (text === undefined || (typeof text === "string" && text.trim() !== "")) continue;
    throw new RecPushError("usage", "missing-token", `option ${name} is empty`, {
      hint: "leave it out, or give its text",
    });
  }
}

/** Nothing of the process is touched: no stream, no signal, no exit code. */
function openIo(env: Io["env"], stop: AbortSignal, program: Reporter): Io {
  return {
    stdin: Readable.from([]),
    stdout: nowhere(),
    stderr: nowhere(),
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

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** The options of a program as texts, as a command line has them. Throws usage; no value is shown, as it may be secret. */
export function optionTexts(command: LibraryCommand, given: object): OptionTexts {
  const known = libraryOptions(command);
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
      if (value === undefined) return [];
      const form = known.find((entry) => entry.name === name)?.declaration.form;
      if (form === undefined) throw unknownOption(command, name);
      const text = textOf(value, form, name);
      if (name === "records" && text === "-") throw badValue(name, "the path of a file");
      return [[name, text] as const];
    }),
  );
}

function textOf(value: unknown, form: Form<unknown>, name: string): OptionText {
  switch (form.kind) {
    case "flag":
    case "negated":
      if (typeof value === "boolean") return value;
      throw badValue(name, "true or false");
    case "text":
    case "unwritten":
      return oneText(value, name);
    case "texts":
      return textsOf(value, form.items, name);
  }
}

function oneText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw badValue(name, "a text or a number");
}

function textsOf(value: unknown, items: Items, name: string): readonly string[] {
  switch (items.kind) {
    case "texts":
      return listOf(value, name);
    case "list":
      return escapeCommas(listOf(value, name));
    case "pairs":
      return pairsOf(value, name).map(([left, right]) => spellPair(left, oneText(right, name), items, name));
  }
}

/** Throws usage for a pair that would be read as another one. */
function spellPair(
  left: string,
  right: string,
  { sign, split }: { readonly sign: string; readonly split: "first" | "last" },
  name: string,
): string {
  const separator = sign.trim();
  if (split === "first" && left.includes(separator)) throw badValue(name, `names without ${separator}`);
  if (split === "last" && right.includes(separator)) throw badValue(name, `values without ${separator}`);
  const text = `${left}${sign}${right}`;
  // Of headers that is the name of a file.
  if (separator === ":" && text.startsWith("@")) throw badValue(name, "names of headers");
  return text;
}

function listOf(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value)) return value.map((item: unknown) => oneText(item, name));
  throw badValue(name, "an array of texts");
}

function pairsOf(value: unknown, name: string): readonly (readonly [string, unknown])[] {
  const isObject = typeof value === "object" && value !== null;
  if (isObject && !Array.isArray(value) && !(value instanceof Map))
    return Object.entries(value).filter(([, of]) => of !== undefined);
  throw badValue(name, "an object of values by name");
}

function badValue(name: string, expected: string): RecPushError {
  return new RecPushError("usage", "bad-option-value", `option ${name}: expected ${expected}`);
}

function unknownOption(command: LibraryCommand, name: string): RecPushError {
  const near = nearestWord(
    name,
    libraryOptions(command).map((entry) => entry.name),
  );
  return new RecPushError("usage", "unknown-option", `${command} has no option ${quoteText(name)}`, {
    hint:
      near === undefined ? "its options are those of the command line, written as in batchSize" : `${near}?`,
  });
}

/** The commands that a program calls. */
export type LibraryCommand = "push" | "check";

/** They are about a terminal, or are said otherwise: `check` is a function of its own. */
const OF_TERMINAL: ReadonlySet<OptionName> = new Set(["json", "quiet", "verbose"]);

/** The options of the table that a program may give. */
export function libraryOptions(command: LibraryCommand): readonly TableEntry[] {
  return TABLE.filter(
    ({ name, declaration }) =>
      !OF_TERMINAL.has(name) &&
      declaration.form.kind !== "unwritten" &&
      useIn(command, declaration) !== undefined,
  );
}
