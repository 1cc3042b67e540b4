import type { RecordKind } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import { type Answer, isSuccess } from "./success.ts";

/** Faults on the way to the service that stop a run, because waiting does not end them. */
const NETWORK_REASONS = ["unknown-host", "no-tls", "proxy", "certificate", "own-certificate"] as const;
export type NetworkReason = (typeof NETWORK_REASONS)[number];

export function reasonOf({ stage }: TransportFault): NetworkReason | undefined {
  return NETWORK_REASONS.find((reason) => reason === stage);
}

/** The facts about a request that its outcome depends on. */
interface Sent {
  readonly kind: RecordKind;
  readonly records: number;
  /** True if an idempotency key makes the service apply the request once, however often it is sent. */
  readonly isKeyed?: boolean;
  /** True if it was sent before, without a certain outcome. */
  readonly isRepeated?: boolean;
  /** True once anything from this process has reached the service, so that its name must be right. */
  readonly hasReached?: boolean;
}

/** The user's rules for the answers of the service. */
interface OutcomeRules {
  readonly atomicBatches: boolean;
  readonly safeStatus: ReadonlySet<number>;
  /** Texts that mean success, beside the specified one. */
  readonly okMessages: readonly string[];
}

/** Why the run stops at once. */
export type StopReason =
  "other-answer" | "database-version" | "credentials" | "request" | "redirect" | "address" | NetworkReason;

/** The meaning of an answer, or of its lack, for the records of a request. */
type Judgement =
  | { readonly kind: "accepted" }
  /** Only for a single record, or if all records of a request share one fate. */
  | { readonly kind: "refused" }
  /** Send again; when the tries are used up, the records end as `otherwise`. */
  | { readonly kind: "retry"; readonly otherwise: "failed" | "inDoubt" }
  /**
   * The service asks for a pause, which does not count as a try. If the run ends in the meantime, the records end as
   * `otherwise`.
   */
  | { readonly kind: "wait"; readonly otherwise: "notSent" | "failed" }
  /** Nothing was applied because the body was too large: send halves, and no body of this size again. */
  | { readonly kind: "halve" }
  /** Nothing was applied because of some records: send halves to find them. */
  | { readonly kind: "isolate" }
  | { readonly kind: "inDoubt"; readonly isLastCreate: boolean }
  /** The records end as `leaves`; `notSent`: none of them was applied. */
  | {
      readonly kind: "stop";
      readonly reason: StopReason;
      readonly leaves: "notSent" | "failed" | "inDoubt";
    };

/** The outcome table: every status and every fault, for updates and creates. */
export function judge(end: Answer | TransportFault, sent: Sent, rules: OutcomeRules): Judgement {
  return end.kind === "answer" ? judgeAnswer(end, sent, rules) : judgeFault(end, sent, rules);
}

function judgeAnswer(answer: Answer, sent: Sent, rules: OutcomeRules): Judgement {
  const { status } = answer;
  if (isSuccess(answer, sent.records, rules.okMessages)) return { kind: "accepted" };
  // A msg that is not specified: the service may have applied all, some or none of the records.
  if (status === 200 && answer.msg !== undefined)
    return stop("other-answer", sent.kind === "create" ? "inDoubt" : "failed");
  // Not the specified success: it may come from a proxy in between.
  if (status >= 200 && status < 300) return trouble(sent, rules, undefined);
  // A service that took the request may answer 303 to show its result elsewhere.
  if (status === 303 && sent.kind === "create") return stop("redirect", "inDoubt");
  if (status >= 300 && status < 400) return stop("redirect");
  switch (status) {
    case 400:
      if (DATABASE_VERSION.test(answer.msg ?? answer.text)) return stop("database-version");
      return refusal(sent, rules);
    case 409:
      // For a repeated request this means that the first one is still being processed.
      if (sent.isKeyed === true && sent.isRepeated === true) return { kind: "retry", otherwise: "inDoubt" };
      return refusal(sent, rules);
    case 422:
      return refusal(sent, rules);
    case 401:
    case 403:
      return stop("credentials");
    case 404:
    case 405:
      return stop("address");
    case 408:
      return trouble(sent, rules, status);
    case 413:
      return sent.records === 1 ? { kind: "refused" } : { kind: "halve" };
    case 429:
      return { kind: "wait", otherwise: "notSent" };
    case 503:
      return unavailable(answer, sent, rules);
    default:
      return status >= 400 && status < 500 ? stop("request") : trouble(sent, rules, status);
  }
}

function stop(reason: StopReason, leaves: "notSent" | "failed" | "inDoubt" = "notSent"): Judgement {
  return { kind: "stop", reason, leaves };
}

/** The good records beside a bad one may have been applied or not, which matters for creates only. */
function refusal({ kind, records }: Sent, { atomicBatches }: OutcomeRules): Judgement {
  if (records === 1) return { kind: "refused" };
  return kind === "update" || atomicBatches ? { kind: "isolate" } : { kind: "inDoubt", isLastCreate: true };
}

function unavailable(answer: Answer, sent: Sent, rules: OutcomeRules): Judgement {
  const isHarmless = sent.kind === "update" || rules.safeStatus.has(answer.status);
  if (isHarmless && answer.retryAfter !== undefined) return { kind: "wait", otherwise: "failed" };
  return trouble(sent, rules, answer.status);
}

/** The service may have applied everything, unless the user says that it applies nothing with this status. */
function trouble(
  { kind, isKeyed = false }: Sent,
  { safeStatus }: OutcomeRules,
  status: number | undefined,
): Judgement {
  if (kind === "update" || (status !== undefined && safeStatus.has(status)))
    return { kind: "retry", otherwise: "failed" };
  return isKeyed ? { kind: "retry", otherwise: "inDoubt" } : { kind: "inDoubt", isLastCreate: false };
}

function judgeFault(fault: TransportFault, sent: Sent, rules: OutcomeRules): Judgement {
  const reason = reasonOf(fault);
  const isNameProven = sent.hasReached === true && (reason === "unknown-host" || reason === "no-tls");
  if (reason !== undefined && !isNameProven) return stop(reason);
  const { stage } = fault;
  return stage === "lost" || stage === "timeout" || stage === "cut"
    ? trouble(sent, rules, undefined)
    : { kind: "retry", otherwise: "failed" };
}

/** The service's answers about the database version: `Please specify database version.`, `Invalid database version.` */
const DATABASE_VERSION = /\bdatabase[ _-]?version\b/i;
