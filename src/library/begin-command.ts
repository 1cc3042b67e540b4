import { Readable, Writable } from "node:stream";
import type { Io } from "../cli/io.ts";
import { hideInFault, redactorForLine, secretsOnLine } from "../cli/line-secrets.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import type { SummaryEvent, ToldEvent } from "../model/told-event.ts";
import { given } from "../options/given.ts";
import { spellOptions } from "../options/spell-options.ts";
import { formatEvent } from "../report/json-event.ts";
import type { Reporter } from "../report/reporter.ts";
import { tellFailure, tellProgram } from "../report/tell-program.ts";
import type { Input } from "./input.ts";
import type { LibraryCommand } from "./library-options.ts";
import type { RunResult, Work } from "./make-run.ts";
import { holdErrors, type OpenedInput, openInput } from "./open-input.ts";
import { optionTexts } from "./option-texts.ts";
import type { OwnOptions } from "./own-options.ts";
import { PushError } from "./push-error.ts";
import type { PushEvent } from "./run.ts";
import { steadyMs } from "../model/steady-ms.ts";

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
