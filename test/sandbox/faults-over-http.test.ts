import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { isCut, post, sandboxFor } from "./client.ts";

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
    ["rate=0.001,skip=0", 200, "Update Items OK.", 3],
    ["refuse=num_commande:551035", 400, 'Record 3, field "num_commande": the value "551035" is refused.', 0],
    ["refuse=num_commande:551035,status=422,msg=No", 422, "No", 0],
    ["refuse=num_commande:551036", 200, "Update Items OK.", 3],
    ["status=599", 599, "Status 599.", 0],
  ])("%s answers %d %s and applies %d records", async (fault, status, msg, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const answer = await post(sandbox, three);
    expect([answer.status, answer.msg, held(sandbox)]).toEqual([status, msg, applied]);
    expect(sandbox.requests()).toEqual({ requests: 1, statuses: { [status]: 1 } });
  });

  it.each([
    ["drop=before", 0],
    ["drop=after", 3],
    ["latency=20,drop=after", 3],
  ])("%s cuts the connection and applies %d records", async (fault, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    expect(await isCut(post(sandbox, three))).toBe(true);
    expect(held(sandbox)).toBe(applied);
    expect(sandbox.requests().statuses).toEqual({ drop: 1 });
  });

  it.each([
    ["hang", 0],
    ["hang,after-applying", 3],
  ])("%s never answers and applies %d records", async (fault, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const cut = isCut(post(sandbox, three));
    await expect.poll(() => sandbox.requests().statuses).toEqual({ hang: 1 });
    expect(held(sandbox)).toBe(applied);
    await sandbox.close();
    expect(await cut).toBe(true);
  });

  it("lets many requests wait at once without a warning of Node", async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const sandbox = await sandboxFor({ faults: ["latency=100"] });
    await Promise.all(Array.from({ length: 20 }, () => post(sandbox, three)));
    expect([held(sandbox), warned.mock.calls]).toEqual([3, []]);
  });

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

  it("gives a status that has no body none", async () => {
    const answer = await post(await sandboxFor({ faults: ["status=204"] }), three);
    expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([204, null, ""]);
  });

  it("misbehaves also on a body that it would refuse, unless it has to apply it first", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1", "status=500,after-applying"] });
    expect((await post(sandbox, "nonsense")).status).toBe(503);
    expect((await post(sandbox, "nonsense")).status).toBe(400);
  });

  it("does not count requests without the token", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1"] });
    expect((await post(sandbox, three, { headers: { access_token: "wrong" } })).status).toBe(401);
    expect((await post(sandbox, three)).status).toBe(503);
    expect((await post(sandbox, three)).status).toBe(200);
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
