import { describe, expect, it } from "vitest";
import type { Settled } from "../../src/model/counts.ts";
import type { SendSettings } from "../../src/send/settings.ts";
import { shownRecord } from "../support/to-record.ts";
import { answer, type Behaviour, deadPort, startService } from "./support/http-service.ts";
import { linesOf, openSession, type Pushed, sendAll, TOKEN } from "./support/push.ts";
import { create, creates, update, updates } from "./support/records.ts";

interface Attempt extends Pushed {
  readonly requests: number;
}

/** Pushes three records of a kind in one batch to a service with this behaviour. */
async function push3(
  kind: "update" | "create",
  behave: Behaviour,
  settings: Partial<SendSettings> = {},
): Promise<Attempt> {
  const http = await startService(behave);
  const pushed = await sendAll(openSession(http.url, settings), kind === "update" ? updates(3) : creates(3));
  return { ...pushed, requests: http.requests.length };
}

function short({ settled, failure, requests }: Attempt): unknown {
  return {
    outcomes: settled.map(({ outcome, records }) => `${records.length} ${outcome}`).join(", "),
    requests,
    stop: failure === undefined ? "" : `${failure.kind} ${failure.code}`,
  };
}

const status =
  (code: number, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    answer(response, code, `status ${code}`, headers);

const lost: Behaviour = ({ socket }) => socket.destroy();

/** Each row of the outcome table over real HTTP, with two tries after the first. */
const TABLE: readonly (readonly [string, Behaviour, string, string])[] = [
  ["200 and the specified msg", (_, response) => answer(response), "3 accepted | 1 |", "3 accepted | 1 |"],
  [
    "200 and another msg",
    status(200),
    "3 failed | 1 | request other-answer",
    "3 inDoubt | 1 | request other-answer",
  ],
  [
    "200 and a msg that is no text",
    (_, response) => response.end('{"msg":0}'),
    "3 failed | 3 |",
    "3 inDoubt | 1 |",
  ],
  [
    "200 and a page",
    (_, response) => response.end("<html>Welcome</html>"),
    "3 failed | 3 |",
    "3 inDoubt | 1 |",
  ],
  ["201", status(201), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["202", status(202), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["204", (_, response) => response.writeHead(204).end(), "3 failed | 3 |", "3 inDoubt | 1 |"],
  [
    "400 about the version",
    (_, response) => answer(response, 400, "Please specify database version."),
    "| 1 | request database-version",
    "| 1 | request database-version",
  ],
  [
    "another 400",
    status(400),
    "1 refused, 1 refused, 1 refused | 5 |",
    "3 inDoubt | 1 | refused creates-refused",
  ],
  ["409", status(409), "1 refused, 1 refused, 1 refused | 5 |", "3 inDoubt | 1 | refused creates-refused"],
  ["422", status(422), "1 refused, 1 refused, 1 refused | 5 |", "3 inDoubt | 1 | refused creates-refused"],
  ["401", status(401), "| 1 | credentials credentials-refused", "| 1 | credentials credentials-refused"],
  ["403", status(403), "| 1 | credentials credentials-refused", "| 1 | credentials credentials-refused"],
  ["404", status(404), "| 1 | request wrong-address", "| 1 | request wrong-address"],
  ["405", status(405), "| 1 | request wrong-address", "| 1 | request wrong-address"],
  ["302", status(302), "| 1 | request redirected", "| 1 | request redirected"],
  ["303", status(303), "| 1 | request redirected", "3 inDoubt | 1 | request redirected"],
  ["418", status(418), "| 1 | request request-refused", "| 1 | request request-refused"],
  ["413", status(413), "1 refused, 1 refused, 1 refused | 4 |", "1 refused, 1 refused, 1 refused | 4 |"],
  ["503", status(503), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["408", status(408), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["500", status(500), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["502", status(502), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["504", status(504), "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["a connection that is lost", lost, "3 failed | 3 |", "3 inDoubt | 1 |"],
  ["no answer in time", () => undefined, "3 failed | 3 |", "3 inDoubt | 1 |"],
];

describe("sending one batch", () => {
  it.each(TABLE)("%s", async (_name, behave, forUpdates, forCreates) => {
    const settings = { retries: 2, timeoutMs: 100 };
    for (const [kind, expected] of [
      ["update", forUpdates],
      ["create", forCreates],
    ] as const) {
      const [outcomes = "", requests, stop = ""] = expected.split("|").map((part) => part.trim());
      expect(short(await push3(kind, behave, settings))).toEqual({
        outcomes,
        requests: Number(requests),
        stop,
      });
    }
  });

  it("reports for every outcome the records, the attempts and the time", async () => {
    const pushed = await push3("update", ({ number }, response) => answer(response, number < 3 ? 500 : 200));
    expect(pushed.settled).toHaveLength(1);
    const { records: sent, ...told } = pushed.settled[0]!;
    expect(sent.map(shownRecord)).toEqual(updates(3).map(shownRecord));
    expect(told).toEqual({
      batch: 1,
      kind: "update",
      outcome: "accepted",
      status: 200,
      msg: "Update Items OK.",
      attempts: 3,
      ms: 750,
    } satisfies Omit<Settled, "records">);
  });

  it.each(["update", "create"] as const)(
    "tries an %s again that could not connect, then calls it failed",
    async (kind) => {
      const session = openSession(`http://127.0.0.1:${await deadPort()}`, { retries: 2 });
      const { settled } = await sendAll(session, kind === "update" ? updates(3) : creates(3));
      expect(settled).toMatchObject([{ outcome: "failed", attempts: 3, status: undefined }]);
      expect(settled[0]?.msg).toContain("connection refused");
    },
  );

  it("refuses a single create alone", async () => {
    const http = await startService(status(400));
    const { settled, failure } = await sendAll(openSession(http.url), [create(2)]);
    expect(settled).toMatchObject([{ outcome: "refused", status: 400, msg: "status 400" }]);
    expect(failure).toBeUndefined();
  });

  it.each([
    ["update", {}],
    ["create", { atomicBatches: true }],
  ] as const)(
    "finds the bad records of an %s batch and sends the others, in order",
    async (kind, settings) => {
      const bad = new Set(["v3", "v8"]);
      const http = await startService(({ records }, response) => {
        const refused = records.some(({ num_commande = "" }) => bad.has(num_commande));
        answer(response, refused ? 422 : 200);
      });
      const records = kind === "update" ? updates(8) : creates(8);
      const { settled } = await sendAll(openSession(http.url, settings), records);
      expect(linesOf(settled, "refused")).toEqual([3, 8]);
      expect(linesOf(settled, "accepted")).toEqual([2, 4, 5, 6, 7, 9]);
      expect(settled.flatMap(({ records: of }) => of.map(({ line }) => line))).toEqual([
        2, 3, 4, 5, 6, 7, 8, 9,
      ]);
      expect(new Set(settled.map(({ batch }) => batch))).toEqual(new Set([1]));
      expect(settled.find(({ outcome }) => outcome === "refused")?.attempts).toBe(4);
    },
  );

  it("halves what is too large and remembers the size", async () => {
    const most = 400;
    const http = await startService(({ body }, response) => answer(response, body.length > most ? 413 : 200));
    const session = openSession(http.url, { batchSize: 40, concurrency: 1 });
    const { settled } = await sendAll(session, updates(200));
    expect(linesOf(settled, "accepted")).toHaveLength(200);
    const tooLarge = http.requests.filter(({ body }) => body.length > most);
    expect(tooLarge.length).toBeLessThanOrEqual(3);
    await sendAll(session, updates(200));
    expect(http.requests.filter(({ body }) => body.length > most)).toHaveLength(tooLarge.length);
  });

  it("refuses a single record that is too large and goes on with the others", async () => {
    const http = await startService(({ body }, response) => answer(response, body.length > 200 ? 413 : 200));
    const records = [update(2), update(3, "C3", "x".repeat(300)), update(4)];
    const { settled } = await sendAll(openSession(http.url), records);
    expect(linesOf(settled, "refused")).toEqual([3]);
    expect(linesOf(settled, "accepted")).toEqual([2, 4]);
  });

  it("tries creates again after a status that is safe", async () => {
    const pushed = await push3("create", status(503), { retries: 1, safeStatus: new Set([503]) });
    expect(short(pushed)).toEqual({ outcomes: "3 failed", requests: 2, stop: "" });
  });

  it("sends creates in doubt again if they carry a key", async () => {
    const pushed = await push3(
      "create",
      ({ number, socket }, response) => (number === 1 ? socket.destroy() : answer(response)),
      { hasKeys: true },
    );
    expect(short(pushed)).toEqual({ outcomes: "3 accepted", requests: 2, stop: "" });
  });

  it.each([
    [400, "creates-refused"],
    [401, "credentials-refused"],
    [413, undefined],
  ])("keeps creates in doubt that were lost once, whatever %i says of the second try", async (code, stop) => {
    const pushed = await push3(
      "create",
      ({ number, socket }, response) => (number === 1 ? socket.destroy() : answer(response, code)),
      { hasKeys: true },
    );
    expect(pushed.settled).toMatchObject([{ outcome: "inDoubt", attempts: 2 }]);
    expect(pushed.failure?.code).toBe(stop);
  });

  it("keeps a single create in doubt that was lost once and then refused", async () => {
    const http = await startService(({ number, socket }, response) =>
      number === 1 ? socket.destroy() : answer(response, 422),
    );
    const { settled } = await sendAll(openSession(http.url, { hasKeys: true }), [create(2)]);
    expect(settled).toMatchObject([{ outcome: "inDoubt", status: 422 }]);
  });

  it("hides secrets and control characters in what the service says", async () => {
    const pushed = await push3("update", (_, response) => answer(response, 200, `hello ${TOKEN}\n\u001b[2J`));
    expect(pushed.settled[0]?.msg).toBe("hello ***\\n\\u001b[2J");
    const stopped = await push3("update", (_, response) => answer(response, 401, `bad ${TOKEN}`));
    expect(`${stopped.failure?.message}`).toContain("bad ***");
  });

  it("shows where a redirect points, without its query", async () => {
    const { failure } = await push3(
      "update",
      status(301, { location: "https://u:p@new.example/api/?k=secret" }),
    );
    expect(failure?.message).toContain("to https://new.example/api/");
    expect(failure?.message).not.toMatch(/secret|u:p/);
  });

  it("names the options of the database version", async () => {
    const { failure } = await push3("create", (_, response) =>
      answer(response, 400, "Invalid database version."),
    );
    expect(failure?.hint).toMatch(/--db-version .*--db-version-in/);
  });
});
