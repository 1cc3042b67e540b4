import { describe, expect, it } from "vitest";
import type { TransportFault } from "../../src/send/exchange.ts";
import type { Service } from "../../src/send/service.ts";
import type { SendSettings } from "../../src/send/settings.ts";
import { type Answer, OK_MSG } from "../../src/send/success.ts";
import { createFastClock } from "./support/fast-clock.ts";
import { creates, updates } from "./support/records.ts";
import { sendOver } from "./support/simulate.ts";

type End = Answer | TransportFault;
/** What becomes of one update, three updates, one create and three creates. */
type Fates = readonly [string, string, string, string];
type Row = readonly [name: string, end: End, fates: Fates, settings?: Partial<SendSettings> | undefined];

function answered(status: number, msg?: string, more: Partial<Answer> = {}): Answer {
  return { kind: "answer", status, msg, text: "", retryAfter: undefined, location: undefined, ...more };
}

const fault = (stage: TransportFault["stage"]): TransportFault => ({
  kind: "fault",
  stage,
  code: "X",
  message: "x",
});

/** A push to a service where requests end so in turn, the last of them again and again: outcome, number of requests, stop. */
async function fateOf(
  ends: readonly End[],
  records: ReturnType<typeof updates>,
  settings?: Partial<SendSettings>,
): Promise<string> {
  let requests = 0;
  const service = {
    post: async (...[, , , onSending]: Parameters<Service["post"]>) => {
      const end = ends[Math.min(requests++, ends.length - 1)]!;
      if (end.kind === "answer") onSending?.(false);
      return end;
    },
    close: () => Promise.resolve(),
  };
  const given = { retries: 2, batchSize: 500, ...settings };
  const { settled, failure } = await sendOver(service, records, given, createFastClock());
  const outcomes = new Set(settled.map(({ outcome }) => outcome));
  return [[...outcomes].join() || "none", requests, failure?.code ?? ""].join(" ").trim();
}

const alike = (fate: string): Fates => [fate, fate, fate, fate];
const byKind = (update: string, create: string): Fates => [update, update, create, create];
const TROUBLE = byKind("failed 3", "inDoubt 1");
const OTHER = byKind("failed 1 other-answer", "inDoubt 1 other-answer");
const ISOLATED = ["refused 1", "refused 5", "refused 1", "refused 5"] as const;

const each = (
  statuses: readonly number[],
  fates: Fates,
  msg?: string,
  settings?: Partial<SendSettings>,
): readonly Row[] => statuses.map((status) => [`${status}`, answered(status, msg), fates, settings]);

const NO_SUCCESS = [
  "",
  "Error",
  "Update Items OK",
  " Update Items OK.",
  "update items ok.",
  "Update Items OK. Something went wrong once.",
  "0 items updated",
  "Please specify database version.",
];

const LONG_WAIT = { retryAfter: "9999" };
const SAFE = { safeStatus: new Set([202, 503]) };

const TABLE: readonly Row[] = [
  ["200 with the specified msg", answered(200, OK_MSG), alike("accepted 1")],
  ...NO_SUCCESS.map((msg): Row => [`200 with the msg ${JSON.stringify(msg)}`, answered(200, msg), OTHER]),
  ["200 with the specified msg and more", answered(200, OK_MSG, { text: "{}" }), OTHER],
  ["200 without msg", answered(200), TROUBLE],
  ...each([201, 202, 203, 204, 206, 226], TROUBLE, OK_MSG),
  ...each([400, 409, 422], ["refused 1", "refused 5", "refused 1", "inDoubt 1 creates-refused"], "no"),
  ...each([400, 409, 422], ISOLATED, "no", { atomicBatches: true }),
  ...each([401, 403], alike("none 1 credentials-refused")),
  ...each([404, 405], alike("none 1 wrong-address")),
  ...each([300, 301, 302, 304, 307, 308], alike("none 1 redirected")),
  ["303", answered(303), byKind("none 1 redirected", "inDoubt 1 redirected")],
  ...each(
    [402, 406, 407, 410, 411, 412, 414, 415, 418, 421, 423, 426, 428, 431, 451, 499],
    alike("none 1 request-refused"),
  ),
  ["413", answered(413), ["refused 1", "refused 4", "refused 1", "refused 4"]],
  ["429", answered(429, "x", LONG_WAIT), alike("none 1 waited-too-long")],
  ["503", answered(503), TROUBLE],
  ["503 asking to wait", answered(503, "x", LONG_WAIT), byKind("failed 1 waited-too-long", "inDoubt 1")],
  ["503, which is safe", answered(503), alike("failed 3"), SAFE],
  ["503 asking to wait, safe", answered(503, "x", LONG_WAIT), alike("failed 1 waited-too-long"), SAFE],
  ["502 where 503 is safe", answered(502), TROUBLE, SAFE],
  ["a success that is said to be safe", answered(202), TROUBLE, SAFE],
  ...each([408, 500, 501, 502, 504, 520, 599, 600, 999], TROUBLE, "x"),
  ["not-connected", fault("not-connected"), alike("failed 3")],
  // Only a run that ends cuts a request off.
  ["nothing-written", fault("nothing-written"), alike("none 1")],
  ...(["lost", "timeout", "cut"] as const).map((stage): Row => [stage, fault(stage), TROUBLE]),
  ["lost where 503 is safe", fault("lost"), TROUBLE, SAFE],
  ...(
    [
      ["certificate", "bad-certificate"],
      ["own-certificate", "certificate-refused"],
      ["proxy", "proxy-refused"],
      ["unknown-host", "unknown-host"],
      ["no-tls", "no-https"],
    ] as const
  ).map(([stage, code]): Row => [stage, fault(stage), alike(`none 1 ${code}`)]),
  ["a msg with its key that is not specified", answered(200, "Error"), OTHER, { hasKeys: true }],
  ["--ok-msg under another status", answered(201, "Done"), TROUBLE, { okMessages: ["Done"] }],
  ["--ok-msg beside more", answered(200, "Done", { text: "{}" }), OTHER, { okMessages: ["Done"] }],
];

describe("what the service answers decides what becomes of records", () => {
  for (const [name, end, expected, settings] of TABLE)
    it.each([name])("%s", async () => {
      const fates = [];
      for (const records of [updates(1), updates(3), creates(1), creates(3)])
        fates.push(await fateOf([end], records, settings));
      expect(fates).toEqual(expected);
    });

  it.each(["unknown-host", "no-tls"] as const)(
    "%s is tried again once something was reached",
    async (stage) => {
      const one = { batchSize: 1, concurrency: 1 };
      expect(await fateOf([answered(200, OK_MSG), fault(stage)], updates(2), one)).toBe("accepted,failed 4");
    },
  );

  it.each([
    [{ msg: "Please specify database version." }, true],
    [{ msg: "invalid DATABASE VERSION" }, true],
    [{ msg: "Invalid database version: 7" }, true],
    [{ msg: "Invalid version." }, false],
    [{ text: "Invalid database version." }, true],
    [{ msg: "Invalid value in field version." }, false],
    [{ msg: "num_commande: version 2 of this order exists" }, false],
    [{ msg: "Invalid conversion." }, false],
  ])("a 400 with %j is about the database version: %s", async (said, isAboutVersion) => {
    const fate = await fateOf([answered(400, undefined, said)], updates(2));
    expect(fate).toBe(isAboutVersion ? "none 1 database-version" : "refused 3");
  });

  it.each([
    ["{n} items updated.", "9 items updated.", true],
    ["{n} items updated.", "8 items updated.", false],
    ["{n} items updated.", "9 items updated", false],
    ["{n} items updated.", "19 items updated.", false],
    ["9 items updated.", "9 items updated.", true],
    ["{n}/{n}", "9/9", true],
    ["{n}/{n}", "9/10", false],
    ["OK", "OK, but not all", false],
    ["", "", true],
    [".*", "Error", false],
    ["$&", "Error", false],
  ])("--ok-msg %j accepts the msg %j to nine records: %s", async (okMsg, msg, isAccepted) => {
    for (const [records, outcome] of [
      [updates(9), "failed"],
      [creates(9), "inDoubt"],
    ] as const)
      expect(await fateOf([answered(200, msg)], records, { okMessages: ["Done", okMsg] })).toBe(
        isAccepted ? "accepted 1" : `${outcome} 1 other-answer`,
      );
  });
});
