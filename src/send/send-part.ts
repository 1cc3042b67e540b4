import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { type Settled, showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import type { Batch, RecordList } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { judge, networkFailure, type Sent, type StopReason } from "./outcome.ts";
import type { SendRun } from "./send-run.ts";
import { mayLandLater } from "./session-state.ts";
import { backOffMs, parseRetryAfter, type SendSettings } from "./settings.ts";
import { type Answer, OK_MSG, okMessageFor, toOneLine } from "./success.ts";
import { displayUrl, type Target } from "./target.ts";

/** A batch, or part of one, that is sent in one request. */
export interface Part {
  readonly records: RecordList;
  /** The number of requests that carried these records before, as part of a larger piece. */
  readonly attempts: number;
  /** When the last of those left that was given up and may still land. */
  readonly lateSinceMs: number | undefined;
  /** When the first of them was sent. */
  readonly sinceMs: number | undefined;
}

/**
 * How a part ended: settled; left as it was, because the run ended and nothing was applied; or to be sent in halves.
 */
export type PartEnd =
  | { readonly kind: "settled" | "left" }
  | {
      readonly kind: "halve";
      readonly attempts: number;
      readonly sinceMs: number;
      readonly lateSinceMs: number | undefined;
    };

type End = Answer | TransportFault;

const USED_UP = "the request limit that it announces is used up";

/** Sends one part until it is settled: tries, waits, and what becomes of it when the run ends in the meantime. */
export async function sendPart(batch: Batch, part: Part, body: Buffer, run: SendRun): Promise<PartEnd> {
  const { service, tokens, traffic, clock, random, settings, target, learnt } = run.state;
  const { kind, number } = batch;
  const { records } = part;
  const key = kind === "create" && settings.hasKeys ? makeKey() : undefined;
  let { attempts } = part;
  let sinceMs = part.sinceMs;
  let { lateSinceMs } = part;
  let tries = 0;
  let waits = 0;
  /** How often it was sent again with a new token. */
  let renewals = 0;
  /** The outcome of the records if there is no further try. Doubt remains, whatever a later try says. */
  let standing: { readonly outcome: "failed" | "inDoubt"; readonly end: End } | undefined;

  const settle = async (outcome: Settled["outcome"], end: End): Promise<PartEnd> => {
    await run.settle({
      batch: number,
      kind,
      records,
      outcome: standing?.outcome === "inDoubt" && outcome !== "accepted" ? "inDoubt" : outcome,
      status: end.kind === "answer" ? end.status : undefined,
      msg: describeEnd(end, settings.redact),
      attempts,
      ms: Math.round(clock.now() - (sinceMs ?? clock.now())),
    });
    if (lateSinceMs !== undefined && kind === "update") run.holdLate(records, lateSinceMs);
    return { kind: "settled" };
  };
  const giveUp = async (): Promise<PartEnd> =>
    standing === undefined ? { kind: "left" } : settle(standing.outcome, standing.end);

  /** Ends without the request whose turn it is. */
  const stay = (): Promise<PartEnd> => {
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
    if (isNew && !run.hasEnded) await run.announce({ number, kind, records }, body);
    if (run.hasEnded) return stay();
    const isRepeated = standing?.outcome === "inDoubt";
    const look = run.beforeRequest(kind);
    if (look !== undefined) await look;
    if (run.hasEnded) return stay();
    sinceMs ??= clock.now();
    attempts += 1;
    const request = traffic.begin(kind, records.length === batch.records.length);
    run.tellRequest(tries + waits + renewals === 0 ? "sent" : "sentAgain");
    const sending = (isFresh: boolean): boolean => {
      // A process that was paused until now may have lost the table to another one.
      const mayBegin = run.mayBegin();
      if (mayBegin) request.sending(isFresh);
      return mayBegin;
    };
    const end = await service.post(body, kind, run.cut, sending, key, token);
    run.tellRequest("ended");
    request.ended(end);
    const { hasReached } = learnt;
    const sent = { kind, records: records.length, isKeyed: key !== undefined, isRepeated, hasReached };
    const verdict = judge(end, sent, settings);
    learnt.hasReached ||= hasReachedBy(end);
    switch (verdict.kind) {
      case "accepted":
        return settle("accepted", end);
      case "refused":
        return settle("refused", end);
      case "inDoubt":
        if (verdict.isLastCreate)
          run.stopCreates(createsRefused(records.length, describeEnd(end, settings.redact)));
        return settle("inDoubt", end);
      case "stop":
        // A 401 means that nothing was applied.
        if (end.kind === "answer" && end.status === 401 && renewals === 0 && token !== undefined) {
          tokens?.refuse(token);
          renewals += 1;
          break;
        }
        // Before it is settled: a full count of failures is not why the run stops.
        run.stop(stopFailure(verdict.reason, end, sent, { target, settings }));
        if (isRepeated) return settle("inDoubt", end);
        return verdict.leaves === "notSent" ? { kind: "left" } : settle(verdict.leaves, end);
      case "halve":
        learnt.maxBytes = Math.min(learnt.maxBytes, Math.floor(body.length / 2));
        return isRepeated ? settle("inDoubt", end) : { kind: "halve", attempts, sinceMs, lateSinceMs };
      case "isolate":
        return isRepeated ? settle("inDoubt", end) : { kind: "halve", attempts, sinceMs, lateSinceMs };
      case "retry":
        if (end.kind === "fault" && end.stage === "nothing-written") {
          attempts -= 1;
          return giveUp();
        }
        standing = { outcome: isRepeated ? "inDoubt" : verdict.otherwise, end };
        if (kind === "update" && mayLandLater(end, settings.safeStatus)) {
          lateSinceMs = request.sentMs() ?? clock.now();
          run.giveUp(lateSinceMs);
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
        run.wait({ forMs, why: describeWait(end, settings.redact), isAsked: asked !== undefined });
        break;
      }
    }
  }
}

/** False only if certainly nothing reached the service. */
function hasReachedBy(end: End): boolean {
  return end.kind === "answer" || end.stage === "lost" || end.stage === "timeout" || end.stage === "cut";
}

function describeWait(end: End, redact: (text: string) => string): string {
  const said = describeEnd(end, redact);
  return end.kind === "answer" ? `${end.status} ${said}` : said;
}

function createsRefused(records: number, msg: string): RecPushError {
  return new RecPushError(
    "refused",
    "creates-refused",
    `the service refused a batch of ${showCount(records, "create")}, and which of them it applied is unknown; the other creates were not sent: ${msg}`,
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

/** Puts a stop into words: what was refused, at which address, and which option settles it. */
function stopFailure(
  reason: StopReason,
  end: Answer | TransportFault,
  sent: Sent,
  { target, settings: { redact } }: { readonly target: Target; readonly settings: SendSettings },
): RecPushError {
  const said = describeEnd(end, redact);
  const url = displayUrl(target);
  const status = end.kind === "answer" ? `${end.status}` : end.code;
  switch (reason) {
    case "other-answer":
      return new RecPushError(
        "request",
        "other-answer",
        `${url} answers ${status} with other words than "${OK_MSG}": ${said}`,
        {
          hint: otherAnswerHint(end, sent, redact),
        },
      );
    case "database-version":
      return new RecPushError(
        "request",
        "database-version",
        `the service refuses the database version: ${said}`,
        {
          hint: versionHint(target),
        },
      );
    case "credentials":
      return new RecPushError(
        "credentials",
        "credentials-refused",
        `${url} refuses the token (${status}): ${said}`,
        {
          hint: `check the token${target.tokenFrom === undefined ? "" : `, which came from ${target.tokenFrom}`}, --auth access_token or --auth bearer, and its rights on this table`,
        },
      );
    case "address":
      return new RecPushError(
        "request",
        "wrong-address",
        `${url} does not take records for this table (${status}): ${said}`,
        {
          hint: "check --url, the address before /api/items/, and --table",
        },
      );
    case "redirect":
      return new RecPushError(
        "request",
        "redirected",
        `${url} points elsewhere (${status})${redirectGoal(end, redact)}`,
        {
          hint: "redirects are not followed, because the token would be sent along; set --url to the service's own address",
        },
      );
    case "request":
      return new RecPushError(
        "request",
        "request-refused",
        `${url} refuses the request (${status}): ${said}`,
        {
          hint:
            end.kind === "answer" && end.status === 415
              ? 'leave "compress" out of the config if it is there; otherwise check --body and -H, and any proxies between this machine and the service'
              : "check --url, --table, --body and -H, and any proxies between this machine and the service",
        },
      );
    case "unknown-host":
    case "no-tls":
    case "proxy":
    case "certificate":
    case "own-certificate":
      return networkFailure(reason, end, target, sent.hasReached === true);
  }
}

function otherAnswerHint(
  end: Answer | TransportFault,
  { records }: Sent,
  redact: (text: string) => string,
): string {
  const text = end.kind === "answer" ? okMessageFor(end, records, redact) : undefined;
  if (text === undefined)
    return `ask those who run the service what this answer means; only "${OK_MSG}" alone says that all records were applied`;
  const all = records === 1 ? "the record was" : `all ${records} records were`;
  const count = text.includes("{n}") ? ", in which {n} stands for the number of records" : "";
  return `if this says that ${all} applied, --ok-msg ${quoteWord(text)} accepts it from now on${count}; otherwise check the records in the service`;
}

function versionHint({ dbVersion }: Target): string {
  return dbVersion === undefined
    ? "--db-version V gives it; --db-version-in header:NAME, query:NAME or body:NAME says where it goes"
    : "check --db-version, and --db-version-in header:NAME, query:NAME or body:NAME";
}

/** The address that a redirect points to, without user, query and fragment. */
function redirectGoal(end: Answer | TransportFault, redact: (text: string) => string): string {
  if (end.kind !== "answer" || end.location === undefined) return "";
  const goal = end.location.replace(/[?#].*$/s, "").replace(/^([a-z]+:)?\/\/[^/]*@/i, "$1//");
  return `, to ${describeEnd({ ...end, msg: goal }, redact)}`;
}

/** The service's `msg`, or a description of what came instead: one line, without secrets. */
export function describeEnd(end: Answer | TransportFault, redact: (text: string) => string): string {
  if (end.kind === "fault") {
    return end.detail === undefined ? end.message : toOneLine(`${end.message}: ${redact(end.detail)}`);
  }
  // Beside a success, other members may say what was not applied.
  const isTold = end.msg !== undefined && (end.text === "" || end.status < 200 || end.status >= 300);
  if (isTold) return toOneLine(redact(end.msg));
  const text = toOneLine(redact(end.text));
  if (end.msg !== undefined) return text;
  const name = STATUS_CODES[end.status];
  const what = name === undefined ? "an answer without msg" : `${name}, without msg`;
  return text === "" ? what : `${what}: ${text}`;
}
