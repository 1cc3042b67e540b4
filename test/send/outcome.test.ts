import { describe, expect, it } from "vitest";
import type { TransportFault } from "../../src/send/exchange.ts";
import { judge, type OutcomeRules, type Judgement } from "../../src/send/outcome.ts";
import { type Answer, OK_MSG } from "../../src/send/success.ts";

const NONE: OutcomeRules = {
  atomicBatches: false,
  safeStatus: new Set(),
  okMessages: [],
};

function answered(status: number, msg?: string, retryAfter?: string): Answer {
  return { kind: "answer", status, msg, text: "", retryAfter, location: undefined };
}

function fault(stage: TransportFault["stage"]): TransportFault {
  return { kind: "fault", stage, code: "X", message: "x" };
}

/** A verdict in a few letters, so that the table reads like the one in the contract. */
function short(verdict: Judgement): string {
  switch (verdict.kind) {
    case "retry":
    case "wait":
      return `${verdict.kind}, then ${verdict.otherwise}`;
    case "inDoubt":
      return verdict.isLastCreate ? "in doubt, no more creates" : "in doubt";
    case "stop":
      return `stop: ${verdict.reason}${{ notSent: "", failed: ", failed", inDoubt: ", in doubt" }[verdict.leaves]}`;
    case "accepted":
    case "refused":
    case "halve":
    case "isolate":
      return verdict.kind;
  }
}

const TRY_AGAIN = "retry, then failed";

/** Of an answer that is not specified: one update, several, one create, several. */
const OTHER = [
  "stop: other-answer, failed",
  "stop: other-answer, failed",
  "stop: other-answer, in doubt",
  "stop: other-answer, in doubt",
] as const;

const NO_SUCCESS = [
  "",
  "Error",
  "Update Items OK",
  " Update Items OK.",
  "update items ok.",
  "Update Items OK. Something went wrong once.",
  "Update Items failed",
  "0 items updated",
  "9 of 10 items updated.",
  "Unknown table",
  "Erreur : 3 fiches refusées",
  "Something went wrong. Please try again later.",
  "Invalid API key.",
  "Please specify database version.",
];

type End = Answer | TransportFault;
/** The verdicts on one update, several updates, one create, several creates. */
type Verdicts = readonly [string, string, string, string];

const alike = (verdict: string): Verdicts => [verdict, verdict, verdict, verdict];
const byKind = (update: string, create: string): Verdicts => [update, update, create, create];
const TROUBLE = byKind(TRY_AGAIN, "in doubt");

const each = (
  statuses: readonly number[],
  verdicts: Verdicts,
  msg?: string,
): (readonly [string, End, Verdicts])[] =>
  statuses.map((status) => [`${status}`, answered(status, msg), verdicts]);

const faults = (stages: readonly TransportFault["stage"][], verdictOf: (stage: string) => Verdicts) =>
  stages.map((stage): readonly [string, End, Verdicts] => [stage, fault(stage), verdictOf(stage)]);

const TABLE: readonly (readonly [string, End, Verdicts])[] = [
  ["200 with the specified msg", answered(200, OK_MSG), alike("accepted")],
  ...NO_SUCCESS.map((msg) => [`200 with the msg ${JSON.stringify(msg)}`, answered(200, msg), OTHER] as const),
  ["200 with the specified msg and more", { ...answered(200, OK_MSG), text: "{}" }, OTHER],
  ["200 without msg", answered(200), TROUBLE],
  ...each([201, 202, 203, 204, 206, 226], TROUBLE, OK_MSG),
  ...each([400, 409, 422], ["refused", "isolate", "refused", "in doubt, no more creates"], "no"),
  ...each([401, 403], alike("stop: credentials")),
  ...each([404, 405], alike("stop: address")),
  ...each([300, 301, 302, 304, 307, 308], alike("stop: redirect")),
  ...each([303], byKind("stop: redirect", "stop: redirect, in doubt")),
  ...each(
    [402, 406, 407, 410, 411, 412, 414, 415, 418, 421, 423, 426, 428, 431, 451, 499],
    alike("stop: request"),
  ),
  ...each([413], ["refused", "halve", "refused", "halve"]),
  ...each([429], alike("wait, then notSent")),
  ...each([503], TROUBLE),
  ["503 asking to wait", answered(503, "x", "5"), byKind("wait, then failed", "in doubt")],
  ...each([408, 500, 501, 502, 504, 520, 599, 600, 999], TROUBLE, "x"),
  ...faults(["not-connected", "nothing-written"], () => alike(TRY_AGAIN)),
  ...faults(["lost", "timeout", "cut"], () => TROUBLE),
  ...faults(["certificate", "own-certificate", "proxy", "unknown-host", "no-tls"], (stage) =>
    alike(`stop: ${stage}`),
  ),
];

describe("judge", () => {
  it("tries again if a host name that was known before is not found, or TLS that was spoken is not", () => {
    const sent = { kind: "create", records: 1, hasReached: true } as const;
    expect(short(judge(fault("unknown-host"), sent, NONE))).toBe(TRY_AGAIN);
    expect(short(judge(fault("no-tls"), sent, NONE))).toBe(TRY_AGAIN);
  });

  it.each(TABLE)("%s", (_name, end, verdicts) => {
    const sent = (["update", "create"] as const).flatMap((kind) =>
      [1, 500].map((records) => ({ kind, records })),
    );
    expect(sent.map((one) => short(judge(end, one, NONE)))).toEqual(verdicts);
  });

  it.each([400, 409, 422])("isolates creates refused with %i where batches are atomic", (status) => {
    const verdict = judge(
      answered(status, "no"),
      { kind: "create", records: 2 },
      { ...NONE, atomicBatches: true },
    );
    expect(verdict).toEqual({ kind: "isolate" });
  });

  it("tries creates again after a status that is safe, and after no other", () => {
    const rules = { ...NONE, safeStatus: new Set([503]) };
    const sent = { kind: "create", records: 2 } as const;
    expect(short(judge(answered(503), sent, rules))).toBe(TRY_AGAIN);
    expect(short(judge(answered(503, "x", "1"), sent, rules))).toBe("wait, then failed");
    expect(short(judge(answered(502), sent, rules))).toBe("in doubt");
    expect(short(judge(fault("lost"), sent, rules))).toBe("in doubt");
  });

  it("never lets a safe status speak for a success", () => {
    const rules = { ...NONE, safeStatus: new Set([202]) };
    expect(short(judge(answered(202), { kind: "create", records: 2 }, rules))).toBe("in doubt");
  });

  it.each([
    ["Please specify database version.", true],
    ["invalid DATABASE VERSION", true],
    ["Invalid database version: 7", true],
    ["Invalid version.", true],
    ["Unknown version", true],
    ["Please specify a version.", true],
    ["Invalid value in field version.", false],
    ["num_commande: version 2 of this order exists", false],
    ["Invalid conversion.", false],
  ])("tells the 400 %j about the database version from others", (msg, isAboutVersion) => {
    const verdict = judge(answered(400, msg), { kind: "update", records: 2 }, NONE);
    expect(verdict.kind).toBe(isAboutVersion ? "stop" : "isolate");
  });

  it("reads the database version also from an answer that is no JSON", () => {
    const end = { ...answered(400), text: "Invalid database version." };
    expect(short(judge(end, { kind: "update", records: 2 }, NONE))).toBe("stop: database-version");
  });

  it.each([
    ["{n} items updated.", "9 items updated.", 9, true],
    ["{n} items updated.", "8 items updated.", 9, false],
    ["{n} items updated.", "9 items updated", 9, false],
    ["{n} items updated.", "19 items updated.", 9, false],
    ["9 items updated.", "9 items updated.", 9, true],
    ["{n}/{n}", "9/9", 9, true],
    ["{n}/{n}", "9/10", 10, false],
    ["OK", "OK, but not all", 9, false],
    ["", "", 9, true],
    [".*", "Error", 9, false],
    ["$&", "Error", 9, false],
  ])("accepts with --ok-msg %j the msg %j to %i records: %s", (okMsg, msg, records, isAccepted) => {
    const rules = { ...NONE, okMessages: ["Done", okMsg] };
    for (const kind of ["update", "create"] as const) {
      expect(judge(answered(200, msg), { kind, records }, rules).kind).toBe(isAccepted ? "accepted" : "stop");
    }
  });

  it("accepts no text of --ok-msg under another status or beside other members", () => {
    const rules = { ...NONE, okMessages: ["Done"] };
    const sent = { kind: "create", records: 2 } as const;
    expect(short(judge(answered(201, "Done"), sent, rules))).toBe("in doubt");
    expect(short(judge({ ...answered(200, "Done"), text: "{}" }, sent, rules))).toBe(OTHER[3]);
  });

  it("does not try creates with a key again after an answer that is not specified", () => {
    const sent = { kind: "create", records: 2, isKeyed: true } as const;
    expect(short(judge(answered(200, "Error"), sent, NONE))).toBe(OTHER[3]);
    expect(short(judge(answered(303), sent, NONE))).toBe("stop: redirect, in doubt");
  });
});
