import dns from "node:dns";
import { readFile } from "node:fs/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { exitCode } from "../../src/model/exit-code.ts";
import { parseProxy } from "../../src/send/network/network.ts";
import { judge } from "../../src/send/outcome.ts";
import { defaultSendSettings, type SendSettings } from "../../src/send/settings.ts";
import { OK_MSG } from "../../src/send/success.ts";
import { startProxy } from "../support/start-proxy.ts";
import { CA_FILE, startTlsBefore } from "../support/tls-sandbox.ts";
import { answer, type Behaviour, deadPort } from "./support/http-service.ts";
import { inTurn, lost, ok, push, silent, status, type Way } from "./support/push.ts";
import { creates, updates } from "./support/records.ts";

/** What becomes of one update, three updates, one create and three creates. */
type Fates = readonly [string, string, string, string];
type Row = [
  name: string,
  behave: Behaviour,
  fates: Fates,
  settings?: Partial<SendSettings> | undefined,
  way?: Way,
];

/**
 * A push of records that the service answers so, with two tries after the first: their outcomes, the number of requests, the exit code,
 * the failure, and `late` if a request may still be applied after its end.
 */
async function fateOf(
  behave: Behaviour,
  records: ReturnType<typeof updates>,
  how: Parameters<typeof push>[2],
) {
  let isLate = false;
  const onGivenUp = (): unknown => (isLate = true);
  const { settled, failure, http } = await push(behave, records, {
    retries: 2,
    isProven: true,
    on: { onGivenUp },
    ...how,
  });
  const counts = { accepted: 0, refused: 0, failed: 0, inDoubt: 0, rejected: 0, notSent: 0, skipped: 0 };
  for (const { outcome, records: of } of settled) counts[outcome] += of.length;
  counts.notSent = records.length - settled.reduce((sum, { records: of }) => sum + of.length, 0);
  const outcomes = Object.entries(counts).flatMap(([outcome, count]) => (count === 0 ? [] : [outcome]));
  // No request arrives without a connection.
  const requests = Math.max(http.requests.length, settled[0]?.attempts ?? 0);
  const exit = exitCode({ counts, failure, signal: undefined });
  return [outcomes.join(), requests, `exit ${exit}`, failure?.code ?? "", isLate ? "late" : ""]
    .join(" ")
    .replaceAll(/ +/g, " ")
    .trim();
}

const alike = (fate: string): Fates => [fate, fate, fate, fate];
const byKind = (update: string, create: string): Fates => [update, update, create, create];
const ACCEPTED = alike("accepted 1 exit 0");
const DOUBT = "inDoubt 1 exit 8";
const TROUBLE = byKind("failed 3 exit 7", DOUBT);
/** As TROUBLE, but the update may still be applied. */
const LATE = byKind("failed 3 exit 7 late", DOUBT);
const OTHER = byKind("failed 1 exit 6 other-answer", "inDoubt 1 exit 8 other-answer");
const REFUSED = ["refused 1 exit 4", "refused 5 exit 4"] as const;

const each = (statuses: readonly number[], fates: Fates, settings?: Partial<SendSettings>): readonly Row[] =>
  statuses.map((code) => [
    `${code}${settings === undefined ? "" : " where it is said to be safe"}`,
    status(code),
    fates,
    settings,
  ]);

const says =
  (body: string | object, code = 200): Behaviour =>
  (_, response) =>
    response.writeHead(code).end(typeof body === "string" ? body : JSON.stringify(body));
const saysEach = (bodies: readonly (string | object)[], fates: Fates, settings?: Partial<SendSettings>) =>
  bodies.map((body): Row => [`200 ${JSON.stringify(body)}`, says(body), fates, settings]);

const LONG_WAIT = { "retry-after": "9999" };
const SAFE = { safeStatus: new Set([202, 502, 503]) };
const DONE = { okMessages: ["Done", 'a "b" }'] };

const secure: Way = (port) => ({ url: `https://127.0.0.1:${port}` });
const behindTls =
  (isAsking: boolean): Way =>
  async (port) => ({
    url: `https://127.0.0.1:${await startTlsBefore(port, "service", isAsking)}`,
    ...(isAsking && {
      network: { proxy: undefined, certificates: { ca: await readFile(CA_FILE, "utf8"), own: undefined } },
    }),
  });
const behindProxy: Way = async (port) => {
  const { address } = await startProxy({ port, act: () => ({ status: 403 }) });
  return {
    url: "https://service.test",
    network: { proxy: parseProxy(`http://${address}`, "HTTPS_PROXY"), certificates: undefined },
  };
};

const TABLE: Row[] = [
  ["200 as specified", ok, ACCEPTED],
  ...saysEach([' \n{ "msg" : "Update Items OK." }\r\n', `\uFEFF{"msg":"${OK_MSG}"}`], ACCEPTED),
  ...saysEach([{ msg: "Done" }, { msg: 'a "b" }' }], ACCEPTED, DONE),
  ...saysEach(
    [{ msg: "" }, { msg: "Error" }, { msg: "Update Items OK" }, { msg: " Update Items OK." }],
    OTHER,
  ),
  ...saysEach([{ msg: "update items ok." }, { msg: `${OK_MSG} Something went wrong once.` }], OTHER),
  ...saysEach([{ msg: "Please specify database version." }, { msg: OK_MSG, errors: [] }], OTHER),
  ...saysEach([{ success: false, msg: OK_MSG }, `{"msg":"${OK_MSG}","msg":"${OK_MSG}"}`], OTHER),
  ...saysEach([{ msg: "Done", id: 1 }], OTHER, DONE),
  ...saysEach([{ msg: "Error" }], OTHER, { hasKeys: true }),
  ...saysEach(
    [{ msg: 1 }, { msg: null }, { message: OK_MSG }, [{ msg: OK_MSG }], "null", "", "<html>"],
    TROUBLE,
  ),
  ...saysEach([JSON.stringify(OK_MSG), `{"msg":"${OK_MSG}"`], TROUBLE),
  ...([201, 203, 204, 206, 226] as const).map((code): Row => [
    `${code} with the msg`,
    says({ msg: OK_MSG }, code),
    TROUBLE,
  ]),
  ["202 with the msg", says({ msg: OK_MSG }, 202), LATE],
  ["201 with a text of --ok-msg", says({ msg: "Done" }, 201), TROUBLE, DONE],
  [
    "400 about the version",
    says({ msg: "Invalid database version." }, 400),
    alike("notSent 1 exit 6 database-version"),
  ],
  ...each([400, 409, 422], [...REFUSED, "refused 1 exit 4", "inDoubt 1 exit 8 creates-refused"]),
  ...[400, 409, 422].map((code): Row => [
    `${code}, atomic`,
    status(code),
    [...REFUSED, ...REFUSED],
    { atomicBatches: true },
  ]),
  ...each([401, 403], alike("notSent 1 exit 5 credentials-refused")),
  ...each([404, 405], alike("notSent 1 exit 6 wrong-address")),
  ...each([300, 301, 302, 304, 307, 308], alike("notSent 1 exit 6 redirected")),
  ["303", status(303), byKind("notSent 1 exit 6 redirected", "inDoubt 1 exit 8 redirected")],
  ...each(
    [402, 406, 407, 410, 411, 412, 414, 415, 418, 421, 423, 426, 428, 431, 451, 499],
    alike("notSent 1 exit 6 request-refused"),
  ),
  ["413", status(413), ["refused 1 exit 4", "refused 4 exit 4", "refused 1 exit 4", "refused 4 exit 4"]],
  ["429", status(429, LONG_WAIT), alike("notSent 1 exit 7 waited-too-long")],
  ["429 once", inTurn(status(429), ok), alike("accepted 2 exit 0")],
  ["503", status(503), TROUBLE],
  ["503 asking to wait", status(503, LONG_WAIT), byKind("failed 1 exit 7 waited-too-long", DOUBT)],
  ["503 asking to wait, safe", status(503, LONG_WAIT), alike("failed 1 exit 7 waited-too-long"), SAFE],
  ...each([500, 501], TROUBLE),
  ...each([408, 502, 504, 520, 599, 600, 999], LATE),
  ...each([502, 503], alike("failed 3 exit 7"), SAFE),
  ...each([202], TROUBLE, SAFE),
  ["500 with a key", status(500), byKind("failed 3 exit 7", "inDoubt 3 exit 8"), { hasKeys: true }],
  [
    "not connected",
    ok,
    alike("failed 3 exit 7"),
    {},
    async () => ({ url: `http://127.0.0.1:${await deadPort()}` }),
  ],
  ["a lost connection", lost, LATE],
  ["a lost connection where 502 is safe", lost, LATE, SAFE],
  [
    "a lost connection, with a key",
    lost,
    byKind("failed 3 exit 7 late", "inDoubt 3 exit 8"),
    { hasKeys: true },
  ],
  ["no answer in time", silent, LATE, { timeoutMs: 100 }],
  ["a certificate that does not verify", ok, alike("notSent 0 exit 6 bad-certificate"), {}, behindTls(false)],
  ["a wish for our certificate", ok, alike("notSent 0 exit 5 certificate-refused"), {}, behindTls(true)],
  ["a proxy that refuses", ok, alike("notSent 0 exit 6 proxy-refused"), {}, behindProxy],
  ["no https", ok, alike("notSent 0 exit 2 no-https"), {}, secure],
];

describe("what the service answers decides what becomes of records", () => {
  it.each<Row>(TABLE)("%s", async (_, behave, expected, settings, way) => {
    const pushes = [updates(1), updates(3), creates(1), creates(3)].map((records) =>
      fateOf(behave, records, { ...settings, way }),
    );
    expect(await Promise.all(pushes)).toEqual(expected);
  });

  it("a host name that is unknown stops the push, unless something was reached under it before", async () => {
    const original = dns.lookup;
    onTestFinished(() => void (dns.lookup = original));
    let known = 0;
    dns.lookup = ((name: string, ...given: ((error: unknown, found?: unknown) => void)[]) => {
      if (name !== "service.test") Reflect.apply(original, dns, [name, ...given]);
      else if (known-- > 0) given.at(-1)!(null, [{ address: "127.0.0.1", family: 4 }]);
      else given.at(-1)!(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }));
    }) as unknown as typeof dns.lookup;
    const way: Way = (port) => ({ url: `http://service.test:${port}`, allowHttp: true });
    const how = { way, batchSize: 1, concurrency: 1 };
    const closing: Behaviour = (_, response) => answer(response, 200, OK_MSG, { connection: "close" });
    expect(await fateOf(closing, updates(2), how)).toBe("notSent 0 exit 2 unknown-host");
    known = 1;
    expect(await fateOf(closing, updates(2), how)).toBe("accepted,failed 1 exit 7");
    const fault = { kind: "fault", code: "X", message: "x", stage: "no-tls" } as const;
    const sent = { kind: "create", records: 1, hasReached: true } as const;
    expect(judge(fault, sent, defaultSendSettings).kind).toBe("retry");
    // A proxy that refuses midway goes on refusing.
    expect(judge({ ...fault, stage: "proxy" }, sent, defaultSendSettings).kind).toBe("stop");
  });

  it.each([
    ['{"msg":"Please specify database version."}', true],
    ['{"msg":"invalid DATABASE VERSION"}', true],
    ['{"msg":"Invalid database version: 7"}', true],
    ["Invalid database version.", true],
    ['{"msg":"Invalid version."}', false],
    ['{"msg":"num_commande: version 2 of this order exists"}', false],
    ['{"msg":"Invalid conversion."}', false],
  ])("a 400 with %s is about the database version: %s", async (body, isAboutVersion) => {
    const { stop, failure } = await push(says(body, 400), updates(2));
    expect(stop).toBe(isAboutVersion ? "request database-version" : "");
    expect(failure?.hint ?? "--db-version V --db-version-in").toMatch(/--db-version V.*--db-version-in/);
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
    const { settled } = await push(says({ msg }), updates(9), { okMessages: ["Done", okMsg] });
    expect(settled).toMatchObject([{ outcome: isAccepted ? "accepted" : "failed" }]);
  });
});
