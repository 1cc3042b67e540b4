import type { BeganEvent, RunEvent } from "../model/event.ts";
import { EXIT, type RunEnd, SIGNAL_EXIT } from "../model/exit-code.ts";
import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { quoteWord } from "../model/text.ts";
import { lineWords } from "../options/derive.ts";
import type { OptionValues } from "../options/table.ts";
import type { PushRequest, ReadKeeping, RunKeeping } from "../push/push-request.ts";
import type { RunRequest } from "../push/check.ts";
import { push } from "../push/push.ts";
import { displayUrl, type Target } from "../send/target.ts";
import { nameShard } from "../shards/open-shard.ts";
import { closeDone } from "../store/close-finished.ts";
import { askToSend, type Dialogue, type Settled } from "./ask/dialogue.ts";
import { hideInFault } from "./line-secrets.ts";
import { placesBeside, settleRejectsPlaces, settleResultsPlace } from "./output-places.ts";
import { holdBack, mendingOf, openReporter } from "./reporting.ts";
import { type Io, namesOf } from "./run-settings.ts";
import { inSession, nameRun, notStarted } from "./session.ts";
import { openSession } from "./target-settings.ts";

/** Time for requests in flight after a signal, if `--grace` is not given. */
const DEFAULT_GRACE_MS = 25_000;

/** A push: its files, its target, and how it is kept. */
interface Sending {
  readonly values: OptionValues;
  readonly request: RunRequest;
  /** The options as they were written, on the command line alone and with the configs below them. */
  readonly line: OptionTexts;
  readonly merged: OptionTexts;
  readonly target: Target;
  readonly configs?: BeganEvent["configs"];
  /** Notices to show before the push begins. */
  readonly notices?: readonly string[];
  /** The questions to a person; `undefined` if nobody is there, or if nothing may be asked. */
  readonly dialogue?: Dialogue | undefined;
  /** `undefined`: nothing is kept. */
  readonly keeping?: Omit<ReadKeeping, "command">;
}

/**
 * Sends files to a table under the table's lock and reports the outcome; returns the exit code, or `again` if the
 * command is to be run once more with the answers that a person gave.
 */
export async function sendFiles(sending: Sending, io: Io): Promise<number | "again"> {
  const { values, request, line, merged, target, configs = [], keeping, dialogue, notices } = sending;
  const { files } = request;
  const { table } = target;
  // A rehearsal that keeps nothing only leaves files of rows if it is asked for them; those of a shard are in its run's directory.
  const beside = keeping === undefined ? [] : placesBeside(files, keeping.state.root);
  const asked = values.rejects === undefined ? beside : settleRejectsPlaces(values.rejects, files);
  const rejects = keeping?.shard === undefined ? await asked : [];
  const place = await settleResultsPlace(values.results, files, rejects);
  const opened = await openReporter(values, io, false, dialogue?.hasAnswers === true);
  const held = dialogue && holdBack(opened);
  if (dialogue !== undefined) dialogue.survey = undefined;
  const reporter = held ?? opened;
  const emit = (event: RunEvent): void => {
    if (dialogue !== undefined && event.event === "survey" && files.length === 1)
      dialogue.survey = event.survey;
    reporter.emit(event);
  };
  const run = keeping?.resumed ?? nameRun();
  // The first run gets the name that was shown at the beginning.
  const shown = [run];
  const { grace: graceMs = DEFAULT_GRACE_MS } = values;
  return inSession({ reporter: { ...reporter, emit }, values, io, graceMs }, async (session) => {
    const { control } = session;
    let said: Settled | "yes" | undefined;
    const confirm: PushRequest["confirm"] = async (toSend) => {
      held?.release();
      const question = dialogue?.hasAnswers === true ? askToSend(toSend) : undefined;
      if (question === undefined) return undefined;
      said = await dialogue!.confirm(question, control.drain);
      if (said === "yes") return undefined;
      return new RecPushError("not-confirmed", "nothing was sent");
    };
    const pushed = {
      ...request,
      ledgerWords: lineWords(line, "ledger"),
      mendCommand: mendingOf({ line, merged, fields: request.fields }, io.cwd),
      spoolIn: keeping?.state.incoming,
      openSession: (areCreatesProven: boolean) => openSession(target, values, areCreatesProven),
      confirm,
      rejects,
      results: place,
    };
    const plan = keeping?.shard && quoteWord(keeping.shard.directory);
    // Returns the exit code, or the ending if a person is to be asked, or has broken off.
    const conclude = async (end: RunEnd, lock?: RunKeeping["lock"]): Promise<number | RunEnd> => {
      const failure = dialogue === undefined ? end.failure : dialogue.failureToTell(end.failure);
      if (end.failure?.code === "not-confirmed" || dialogue?.settles(failure) === true) return end;
      held?.release();
      const code = session.finish({ ...end, failure, plan }, run);
      if (keeping !== undefined && lock !== undefined)
        await closeDone({ state: keeping.state, lock }, end.doneRuns, code !== EXIT.ok);
      return code;
    };
    const pushKept = async (kept: NonNullable<Sending["keeping"]>): Promise<number | RunEnd> => {
      const { state, target: ofBook, shard } = kept;
      const locked = { ...ofBook, table, shard: shard && nameShard(shard) };
      const named = { command: run, nameRun: () => shown.pop() ?? nameRun() };
      return session.locked(
        state,
        locked,
        async (lock) =>
          conclude(await push({ ...pushed, keeping: { ...kept, ...named, lock } }, control), lock),
        (failure) => conclude(notStarted(failure)),
      );
    };
    try {
      session.begin({ run, table, url: displayUrl(target), files: namesOf(request), configs }, notices);
      const concluded = await (keeping === undefined
        ? conclude(await push(pushed, control))
        : pushKept(keeping));
      if (typeof concluded === "number") return concluded;
      held!.releaseRows();
      session.close();
      said ??= await dialogue!.settle(concluded.failure!);
      if (said === "again") return "again";
      io.stderr.write(`nothing was sent${said === "no" ? ", and no answer is kept" : ""}\n`);
      return said === "no" ? EXIT.input : SIGNAL_EXIT[control.received() ?? "SIGINT"];
    } catch (error) {
      throw error instanceof RecPushError ? error : hideInFault(error, target.secrets());
    }
  });
}
