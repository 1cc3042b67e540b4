import { Readable, Writable } from "node:stream";
import { hideInFault, redactorForLine, secretsOnLine } from "../cli/line-secrets.ts";
import { nearestWord } from "../cli/nearest-word.ts";
import type { Io } from "../cli/run-settings.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { quoteText } from "../model/text.ts";
import { steadyMs } from "../model/steady-ms.ts";
import type { SummaryEvent } from "../model/told-event.ts";
import { given } from "../options/declaration.ts";
import { spellOptions } from "../options/line-words.ts";
import { type ProgramCommand, programOptions, spellValue } from "../options/program-values.ts";
import { createJsonReporter } from "../report/json-event.ts";
import type { Reporter } from "../report/reporter.ts";
import { type Input, type OwnOptions, type PushEvent, PushError } from "./api.ts";
import type { Work } from "./make-run.ts";
import { holdErrors, openInput } from "./open-input.ts";

/** The work of a command, called as a command line calls it, with a reader of events in place of the screen. */
export function workOf(command: ProgramCommand, input: Input, options: OwnOptions): Work {
  holdErrors(input);
  return async (reader, stop) => {
    const startedMs = steadyMs();
    let summary: SummaryEvent | undefined;
    let failure: RecPushError | undefined;
    const take = (line: string): void => {
      const event = JSON.parse(line) as PushEvent;
      if (event.event === "summary") summary = event;
      reader.add(event);
    };
    const events = createJsonReporter({ write: take }, () => new Date());
    const fail = (error: RecPushError): void => events.fail((failure = error));
    const { signal: _, token, clientSecret, env = process.env, ...others } = options;
    const variables = { ...env, ...given({ REC_PUSH_TOKEN: token, REC_PUSH_CLIENT_SECRET: clientSecret }) };
    const io = openIo(variables, stop, { ...events, fail, caughtUp: reader.caughtUp });
    let texts: OptionTexts = {};
    try {
      refuseEmpty({ token, clientSecret });
      texts = optionTexts(command, others);
      const { files, isRows, ...opened } = openInput(input, stop, texts["plan"] !== undefined);
      const line = { command, files, options: isRows ? asRows(texts) : texts };
      if (command === "push")
        await (await import("../cli/commands/push.ts")).runPush(line, { ...io, ...opened });
      else await (await import("../cli/commands/check.ts")).runCheck(line, { ...io, ...opened });
    } catch (error) {
      const line = spellOptions(texts, () => true);
      if (!(error instanceof RecPushError)) throw hideInFault(error, secretsOnLine(line, variables));
      const { tellFailure } = await import("../cli/tell-failure.ts");
      const shown = error.reworded(redactorForLine(line, variables));
      await tellFailure(shown, { ...texts, json: true }, io, startedMs);
    }
    if (summary === undefined) throw new Error("a fault of rec-push: it ended without a summary");
    if (failure !== undefined) throw new PushError(failure, summary);
    return summary;
  };
}

function asRows(texts: OptionTexts): OptionTexts {
  const { format = "json" } = texts;
  if (format === "json") return { ...texts, format };
  throw new RecPushError(
    "usage",
    "contradicting-options",
    "rows have no format: leave the option format out",
  );
}

/** A variable that is not set would have another token taken in its place. */
function refuseEmpty(secrets: Pick<OwnOptions, "token" | "clientSecret">): void {
  for (const [name, text] of Object.entries(secrets)) {
    if (text === undefined || (typeof text === "string" && text.trim() !== "")) continue;
    throw new RecPushError("usage", "missing-token", `option ${name} is empty`, {
      hint: "leave it out, or give its text",
    });
  }
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
      const near =
        nearestWord(
          name,
          known.map((one) => one.name),
        ) ?? "its options are those of the command line, written as in batchSize";
      throw new RecPushError("usage", "unknown-option", `${command} has no option ${quoteText(name)}`, {
        hint: near,
      });
    }),
  );
  // That is a standard output which a program does not see.
  if (texts["records"] !== "-") return texts;
  throw new RecPushError("usage", "bad-option-value", "option records: expected the path of a file");
}
