import { resolve } from "node:path";
import { lookAtInput } from "../../files/rows-to-mend.ts";
import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import { refuseShard } from "../../push/forget-run.ts";
import { findRun } from "../../store/close-finished.ts";
import { isOpen, stateOf, whyNothingIsDecided } from "../../store/summarise-run.ts";
import { findInBooks } from "../../store/find-books.ts";
import { openStateDirectory } from "../../store/state-directory.ts";
import { confirmDecision, readDecision, runOfDecision } from "../decision.ts";
import type { CommandLine } from "../command-line.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { againOf, sendAgain } from "../send-again.ts";
import { decideInLedger, tellHalted } from "./halted-run.ts";

/** Continues an open run: sends the records that were certainly not applied; the user decides on those in doubt. */
export async function runResume(typed: CommandLine, io: Io): Promise<number> {
  if (typed.options["plan"] !== undefined || typed.options["shard"] !== undefined) {
    const { pushShard } = await import("./push-shard.ts");
    return pushShard(typed, io);
  }
  // The paths of a run are absolute, so that what is printed about it works from every directory.
  const { stateDir } = typed.options;
  const options = {
    ...typed.options,
    ...given({ stateDir: stateDir && resolve(io.cwd, String(stateDir)) }),
  };
  const values = readValues(options);
  const state = await openStateDirectory(stateRoot(values, io));
  const halted = { values, state, io };
  const { inDoubt } = values;
  const name = typed.files[0] ?? (await runOfDecision(inDoubt, io.cwd));
  // If the run was pruned, the ledger still knows what it left in doubt.
  const isKnown = name !== undefined && (await findInBooks(state, name)) !== undefined;
  const run = isKnown ? name : (await findRun(state, name)).run;
  const { prints, book } = (await findInBooks(state, run))!;
  if (inDoubt !== undefined && prints?.doubt !== undefined && book.table !== undefined)
    return decideInLedger(halted, { run, id: book.table }, inDoubt);
  const kept = await findRun(state, run);
  const { stored, end } = kept;
  const { shown, decided } = end.kept;
  if (end.isAbandoned === true) {
    const { takenOverBy } = shown;
    const why = takenOverBy === undefined ? "was given up" : `was taken over by the run ${takenOverBy}`;
    throw new RecPushError("not-open", `the run ${run} ${why}`, {
      hint: "push its file again: what it created stays, so check that before adding --again",
    });
  }
  const decision = inDoubt && (await readDecision(inDoubt, kept, io.cwd));
  if (decision !== undefined && shown.doubt === undefined && decided[decision.doubt] === undefined)
    throw new RecPushError(
      "not-open",
      `${whyNothingIsDecided(run, end.kept, decision)}, and nothing was sent`,
      { hint: `rec-push runs ${run} says how it ended` },
    );
  if (stored === undefined || !isOpen(stored)) return tellHalted(halted, kept, decision);
  refuseShard(stored.facts);
  const inputNow = await lookAtInput(stored);
  // A push says of other content what to do.
  if (inputNow === "gone" || (inputNow === "changed" && decision !== undefined))
    return tellHalted(halted, kept, decision, inputNow);
  const notices = decision === undefined ? [] : await confirmDecision(decision, kept, values, io);
  if (notices === undefined) return EXIT.ok;
  // It is judged once more with the lock held.
  const isResent = decision?.inDoubt === "resend" && decision.doubt === shown.doubt;
  const isToSend = isResent || stateOf(stored.account) === "unfinished";
  const keeping = { state, facts: stored.facts, resumed: run, decision };
  return sendAgain(againOf(stored), options, { notices, isToSend, keeping }, io);
}
