import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { get, isCut, post, sandboxFor } from "./client.ts";

const three = [{ cle: "1" }, { cle: "2" }, { cle: "3", num_commande: "551035" }];

function held(sandbox: Sandbox): number {
  return sandbox.store.snapshot("commandes").length;
}

describe("misbehaviour on request", () => {
  it.each([
    ["status=503", 503, "Service Unavailable.", 0],
    ["status=500,after-applying", 500, "Something went wrong. Please try again later.", 3],
    ["status=502,after-applying=2", 502, "Bad Gateway.", 2],
    ["status=400,msg=Invalid version.", 400, "Invalid version.", 0],
    ["status=200", 200, "Update Items OK.", 0],
    ["msg=Fine.", 200, "Fine.", 3],
    ["latency=5", 200, "Update Items OK.", 3],
    ["slow-body=20", 200, "Update Items OK.", 3],
    ["rate=0.001,skip=0", 200, "Update Items OK.", 3],
    ["body-limit=20", 413, "The body is larger than 20 bytes.", 0],
    ["body-limit=2000", 200, "Update Items OK.", 3],
    ["token-life=0", 401, "Invalid API key.", 0],
    ["refuse=num_commande:551035", 400, 'Record 3, field "num_commande": the value "551035" is refused.', 0],
    ["refuse=num_commande:551035,status=422,msg=No", 422, "No", 0],
    ["refuse=num_commande:551036", 200, "Update Items OK.", 3],
    ["status=599", 599, "Status 599.", 0],
  ])("%s answers %d %s and applies %d records", async (fault, status, msg, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const answer = await post(sandbox, three);
    expect([answer.status, answer.msg, held(sandbox)]).toEqual([status, msg, applied]);
    expect(sandbox.requests()).toEqual({ requests: 1, statuses: { [status]: 1 }, recordsApplied: applied });
  });

  it.each([
    ["drop=before", 0, "dropped"],
    ["drop=after", 3, "dropped"],
    ["drop=midway", 3, "dropped"],
    ["latency=20,drop=after", 3, "dropped"],
  ])("%s cuts the connection and applies %d records", async (fault, applied, status) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    expect(await isCut(post(sandbox, three))).toBe(true);
    expect(held(sandbox)).toBe(applied);
    expect(sandbox.requests().statuses).toEqual({ [status]: 1 });
  });

  it.each([
    ["hang", 0],
    ["hang,after-applying", 3],
  ])("%s never answers and applies %d records", async (fault, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const cut = isCut(post(sandbox, three));
    await expect.poll(() => sandbox.requests().statuses).toEqual({ "no answer": 1 });
    expect(held(sandbox)).toBe(applied);
    await sandbox.close();
    expect(await cut).toBe(true);
  });

  it.each(["slow-body=86400000", "drop=midway"])(
    "%s begins its answer and leaves it unfinished",
    async (fault) => {
      const sandbox = await sandboxFor({ faults: [fault] });
      const response = await fetch(`${sandbox.url}/api/items/commandes/`, {
        method: "POST",
        headers: { "content-type": "application/json", access_token: "sandbox" },
        body: JSON.stringify(three),
      });
      expect([response.status, held(sandbox)]).toEqual([200, 3]);
      const cut = isCut(response.text());
      await sandbox.close();
      expect(await cut).toBe(true);
    },
  );

  it("applies after a long latency although the client has gone, as a slow service does", async () => {
    const sandbox = await sandboxFor({ faults: ["latency=600"] });
    const answer = fetch(`${sandbox.url}/api/items/commandes/`, {
      method: "POST",
      headers: { "content-type": "application/json", access_token: "sandbox" },
      body: JSON.stringify(three),
      signal: AbortSignal.timeout(300),
    });
    expect(await isCut(answer)).toBe(true);
    await expect.poll(() => held(sandbox)).toBe(3);
  });

  it.each([
    ["status=429,retry-after=2", 429, "2"],
    ["rate=0.25,times=1", 200, null],
    ["status=503,retry-after-date=10", 503, "Thu, 01 Jan 1970 00:00:11 GMT"],
  ])("%s gives the right Retry-After", async (fault, status, retryAfter) => {
    const answer = await post(await sandboxFor({ faults: [fault], nowMs: () => 1000 }), three);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, retryAfter]);
  });

  it("answers requests above the rate with 429 and a Retry-After of its own", async () => {
    const sandbox = await sandboxFor({ faults: ["rate=0.25"], nowMs: () => 1000 });
    expect((await post(sandbox, three)).status).toBe(200);
    const answer = await post(sandbox, three);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "4"]);
  });

  it.each([
    ["body=html", 200, 0, "text/html; charset=utf-8", /^<!doctype html>/],
    ["body=html,status=502,msg=a<b>&", 502, 0, "text/html; charset=utf-8", /<p>a&lt;b>&amp;<\/p>/],
    ["body=html,after-applying", 200, 3, "text/html; charset=utf-8", /^<!doctype html>/],
    ["empty", 200, 0, null, /^$/],
    ["empty,status=204,after-applying", 204, 3, null, /^$/],
    ["status=204", 204, 0, null, /^$/],
  ])("%s answers %d with another body and applies %d records", async (fault, status, applied, type, body) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const answer = await post(sandbox, three);
    expect([answer.status, held(sandbox), answer.headers.get("content-type")]).toEqual([
      status,
      applied,
      type,
    ]);
    expect(answer.body).toMatch(body);
  });

  it.each([
    ["redirect=https://elsewhere.example/x", 302],
    ["redirect=https://elsewhere.example/x,status=308", 308],
  ])("%s points elsewhere with %d", async (fault, status) => {
    const answer = await post(await sandboxFor({ faults: [fault] }), three);
    expect([answer.status, answer.headers.get("location")]).toEqual([status, "https://elsewhere.example/x"]);
  });

  it("misbehaves also on a body that it would refuse, unless it has to apply it first", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1", "status=500,after-applying"] });
    expect((await post(sandbox, "nonsense")).status).toBe(503);
    expect((await post(sandbox, "nonsense")).status).toBe(400);
  });

  it("applies the records before the one refused when it is not atomic", async () => {
    const sandbox = await sandboxFor({ faults: ["refuse=cle:3"], atomic: false });
    expect((await post(sandbox, three)).status).toBe(400);
    expect(held(sandbox)).toBe(2);
  });

  it("does not count requests without the token", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1"] });
    expect((await post(sandbox, three, { headers: { access_token: "wrong" } })).status).toBe(401);
    expect((await post(sandbox, three)).status).toBe(503);
    expect((await post(sandbox, three)).status).toBe(200);
  });
});

describe("faults set while it runs", () => {
  it("are replaced by POST, listed by GET and ended by DELETE", async () => {
    const sandbox = await sandboxFor({ faults: ["status=500"] });
    const path = "/sandbox/faults";
    const set = await post(sandbox, ["status=503,times=2", "latency=1"], { path });
    expect(set.status).toBe(200);
    expect((await post(sandbox, three)).status).toBe(503);
    expect(JSON.parse((await get(sandbox, path)).body)).toEqual([
      { text: "status=503,times=2", struck: 1 },
      { text: "latency=1", struck: 1 },
    ]);
    const ended = await fetch(sandbox.url + path, {
      method: "DELETE",
      headers: { access_token: sandbox.token },
    });
    expect(await ended.json()).toEqual([]);
    expect((await post(sandbox, three)).status).toBe(200);
  });

  it.each([
    ["a word that does not exist", ["statuss=1"], {}, 400, /not one of status/],
    ["another shape", { fault: "hang" }, {}, 400, /JSON array of texts/],
    ["other values", [1], {}, 400, /JSON array of texts/],
    ["no JSON", "hang", {}, 400, /JSON array of texts/],
    ["a wrong token", ["hang"], { access_token: "wrong" }, 401, /Invalid API key/],
  ])("stay as they were after %s", async (_, body, headers, status, msg) => {
    const sandbox = await sandboxFor({ faults: ["status=503"] });
    const answer = await post(sandbox, body, {
      path: "/sandbox/faults",
      headers,
    });
    expect([answer.status, answer.msg]).toEqual([status, expect.stringMatching(msg)]);
    expect((await post(sandbox, three)).status).toBe(503);
  });

  it("shows counts and the last requests to scripts, without the reading ones", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1"], nowMs: () => 0 });
    for (let request = 0; request < 60; request += 1) await post(sandbox, three);
    const shown = JSON.parse((await get(sandbox, "/sandbox/requests")).body) as { last: unknown[] };
    expect(shown).toMatchObject({ requests: 60, statuses: { 200: 59, 503: 1 }, recordsApplied: 177 });
    expect(shown.last).toHaveLength(50);
    expect(shown.last.at(-1)).toEqual({
      time: "1970-01-01T00:00:00.000Z",
      table: "commandes",
      records: 3,
      applied: 3,
      status: 200,
      note: "",
    });
  });

  it("can be set by the program that started the sandbox", async () => {
    const sandbox = await sandboxFor();
    sandbox.setFaults(["status=503"]);
    expect((await post(sandbox, three)).status).toBe(503);
    expect(() => {
      sandbox.setFaults(["nonsense"]);
    }).toThrow(/not one of/);
  });
});

describe("an Idempotency-Key", () => {
  const headers = { "idempotency-key": '"k1"' };
  const create = [{ num_commande: "551035" }];

  it("has a request applied once where keys are honoured, also if its answer was lost", async () => {
    const sandbox = await sandboxFor({ faults: ["honour-keys", "drop=after,times=1"] });
    expect(await isCut(post(sandbox, create, { headers }))).toBe(true);
    expect((await post(sandbox, create, { headers })).status).toBe(200);
    expect((await post(sandbox, create, { headers })).status).toBe(200);
    expect(held(sandbox)).toBe(1);
    expect((await post(sandbox, [{ num_commande: "551036" }], { headers })).status).toBe(422);
    expect((await post(sandbox, create, { headers: { "idempotency-key": '"k2"' } })).status).toBe(200);
    expect(held(sandbox)).toBe(2);
  });

  it("means nothing where they are not, and is free again where nothing was applied", async () => {
    const deaf = await sandboxFor();
    await post(deaf, create, { headers });
    await post(deaf, create, { headers });
    expect(held(deaf)).toBe(2);
    const sandbox = await sandboxFor({ faults: ["honour-keys", "status=500,times=1"] });
    expect((await post(sandbox, create, { headers })).status).toBe(500);
    expect((await post(sandbox, create, { headers })).status).toBe(200);
    expect(held(sandbox)).toBe(1);
  });
});
