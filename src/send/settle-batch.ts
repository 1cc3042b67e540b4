import { randomUUID } from "node:crypto";
import { type Settled, showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { Batch, RecordList } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { judge } from "./outcome.ts";
import type { SendRun } from "./send-run.ts";
import { buildBody, recordsIn } from "./service.ts";
import { mayLandLater } from "./session-state.ts";
import { backOffMs, parseRetryAfter } from "./settings.ts";
import { describeEnd, stopFailure } from "./stop-failure.ts";
import type { Answer } from "./success.ts";

/** A batch, or part of one, that is sent in one request. */
interface Part {
  readonly records: RecordList;
  /** The number of requests that carried these records so far, also as part of a larger piece. */
  attempts: number;
  /** When the last of them was sent that was given up and may still be applied. */
  lateSinceMs?: number | undefined;
  /** When the first of them was sent. */
  sinceMs?: number | undefined;
}

type End = Answer | TransportFault;

const USED_UP = "the request limit that the service announces is used up";

/**
 * Sends a batch, in parts and in their order if necessary, until all of it is settled or the run ends.
 */
export async function settleBatch(batch: Batch, run: SendRun): Promise<void> {
  const { heldKeys, learnt, target } = run.state;
  const records = heldKeys.allowed(batch.records);
  /** The parts still to be sent, the next one last. */
  const parts: Part[] = records.length === 0 ? [] : [{ records, attempts: 0 }];

  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (run.hasEnded || (batch.kind === "create" && !run.takesCreates)) {
      run.leaveRows();
      return;
    }
    // Until a create is accepted, each goes alone: this shows whether the service refuses all of them.
    if (batch.kind === "create" && !learnt.areCreatesProven && part.records.length > 1) {
      parts.push({ ...part, records: part.records.slice(1) });
      part = { ...part, records: part.records.slice(0, 1) };
    }
    const body = buildBody(part.records, target.envelope);
    const isTooLarge = part.records.length > 1 && body.length > learnt.maxBytes;
    const end = isTooLarge ? "halve" : await sendPart(batch, part, body, run);
    if (end === "left") {
      run.leaveRows();
      return;
    }
    if (end === "halve") {
      const middle = Math.ceil(part.records.length / 2);
      parts.push({ ...part, records: part.records.slice(middle) });
      parts.push({ ...part, records: part.records.slice(0, middle) });
    }
  }
}

/**
 * Sends one part until it is settled or the run ends, with all tries and waits. `left`: the run ended and nothing was
 * applied; `halve`: to be sent in halves.
 */
async function sendPart(
  batch: Batch,
  part: Part,
  body: Buffer,
  run: SendRun,
): Promise<"settled" | "left" | "halve"> {
  const { service, tokens, traffic, clock, random, settings, target, learnt } = run.state;
  const { redact } = settings;
  const { kind, number } = batch;
  const { records } = part;
  const key = kind === "create" && settings.hasKeys ? makeKey() : undefined;
  let tries = 0;
  let waits = 0;
  /** How often it was sent again with a new token. */
  let renewals = 0;
  /** The outcome of the records if no try follows. Doubt remains, whatever the answer to a later try. */
  let standing: { readonly outcome: "failed" | "inDoubt"; readonly end: End } | undefined;

  const settle = async (outcome: Settled["outcome"], end: End): Promise<"settled"> => {
    await run.settle({
      batch: number,
      kind,
      records,
      outcome: standing?.outcome === "inDoubt" && outcome !== "accepted" ? "inDoubt" : outcome,
      status: end.kind === "answer" ? end.status : undefined,
      msg: describeEnd(end, redact),
      attempts: part.attempts,
      ms: Math.round(clock.now() - (part.sinceMs ?? clock.now())),
    });
    if (part.lateSinceMs !== undefined) run.holdLate(records, part.lateSinceMs);
    return "settled";
  };
  const giveUp = async (): Promise<"settled" | "left"> =>
    standing === undefined ? "left" : settle(standing.outcome, standing.end);

  /** Ends without a request, although it is this part's turn. */
  const stay = (): Promise<"settled" | "left"> => {
    traffic.giveBack();
    return giveUp();
  };

  for (;;) {
    const usedUpMs = traffic.toldWaitMs();
    if (usedUpMs > 0) run.wait({ forMs: usedUpMs, why: USED_UP, isAsked: true });
    const isItsTurn = await traffic.pace.turn(run.ending);
    if (!isItsTurn) return giveUp();
    // Before the announcement: a process that is killed while it waits for a token leaves no doubt.
    const token = tokens && (await run.takeToken(tokens));
    const isNew = tries + waits + renewals === 0;
    if (isNew && kind === "create" && !run.hasEnded)
      await run.options.beforeCreate?.({ number, kind, records }, recordsIn(body, target.envelope));
    if (run.hasEnded) return stay();
    const isRepeated = standing?.outcome === "inDoubt";
    const look = run.beforeRequest(kind);
    if (look !== undefined) await look;
    if (run.hasEnded) return stay();
    part.sinceMs ??= clock.now();
    part.attempts += 1;
    const request = traffic.begin(records.length === batch.records.length);
    const sending = (isFresh: boolean): boolean => {
      // A process that was paused until now may have lost the table to another one.
      if (!run.mayBegin()) return false;
      request.sentMs = clock.now();
      request.isFresh = isFresh;
      learnt.hasReached = true;
      return true;
    };
    const end = await service.post(body, kind, run.cut, sending, key, token);
    traffic.end(request, kind, end);
    const { hasReached } = learnt;
    const sent = { kind, records: records.length, isKeyed: key !== undefined, isRepeated, hasReached };
    const verdict = judge(end, sent, settings);
    switch (verdict.kind) {
      case "accepted":
        return settle("accepted", end);
      case "refused":
        return settle("refused", end);
      case "inDoubt":
        if (verdict.isLastCreate) run.stopCreates(createsRefused(records.length, describeEnd(end, redact)));
        return settle("inDoubt", end);
      case "stop":
        // After a 401 nothing was applied.
        if (end.kind === "answer" && end.status === 401 && renewals === 0 && token !== undefined) {
          tokens?.refuse(token);
          renewals += 1;
          break;
        }
        // Before the part is settled: otherwise a full count of failures would be the reason for the stop.
        run.stop(stopFailure(verdict.reason, { ...sent, end, redact }, target));
        if (isRepeated) return settle("inDoubt", end);
        return verdict.leaves === "notSent" ? "left" : settle(verdict.leaves, end);
      case "halve":
      case "isolate":
        if (verdict.kind === "halve")
          learnt.maxBytes = Math.min(learnt.maxBytes, Math.floor(body.length / 2));
        return isRepeated ? settle("inDoubt", end) : "halve";
      case "retry":
        if (end.kind === "fault" && end.stage === "nothing-written") {
          part.attempts -= 1;
          return giveUp();
        }
        standing = { outcome: isRepeated ? "inDoubt" : verdict.otherwise, end };
        if (kind === "update" && mayLandLater(end, settings.safeStatus)) {
          part.lateSinceMs = request.sentMs;
          run.options.onGivenUp?.(clock.now() - request.sentMs);
        }
        if (tries >= settings.retries) return giveUp();
        tries += 1;
        await clock.sleep(backOffMs(tries, settings.backOff, random), run.ending);
        break;
      case "wait": {
        if (verdict.otherwise === "failed") standing = { outcome: isRepeated ? "inDoubt" : "failed", end };
        waits += 1;
        const retryAfterMs = end.kind === "answer" ? parseRetryAfter(end.retryAfter, clock.now()) : undefined;
        const asked = retryAfterMs ?? (traffic.toldWaitMs() || undefined);
        const backOff = backOffMs(waits, settings.backOff, random);
        // A service that keeps answering 0 must not be asked for ever.
        const forMs = asked === undefined || waits > 1 ? Math.max(asked ?? 0, backOff) : asked;
        const status = end.kind === "answer" ? `${end.status} ` : "";
        run.wait({ forMs, why: status + describeEnd(end, redact), isAsked: asked !== undefined });
        break;
      }
    }
  }
}

function createsRefused(records: number, msg: string): RecPushError {
  return new RecPushError(
    "creates-refused",
    `the service refused a batch of ${showCount(records, "create")}; it is unknown which of them it applied, and the other creates were not sent: ${msg}`,
    { hint: "if the service applies all records of a batch or none, --atomic-batches finds the bad ones" },
  );
}

/**
 * A new key for a body that is about to be sent, as the header's value, a string of RFC 8941. It makes it safe to send that
 * body again: a service that honours it applies the body once (draft-ietf-httpapi-idempotency-key-header).
 */
function makeKey(): string {
  return `"${randomUUID()}"`;
}
