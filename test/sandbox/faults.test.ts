import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import { faultWords, parseFault, sandboxHelp } from "../../src/sandbox/faults.ts";
import type { Sandbox } from "../../src/sandbox/start-sandbox.ts";
import { isCut, post, sandboxFor } from "./client.ts";

function complaint(text: string): string {
  try {
    parseFault(text);
  } catch (error) {
    if (error instanceof RecPushError && error.kind === "usage") return error.message;
    throw error;
  }
  return "";
}

describe("a fault rule", () => {
  it.each([
    ['status=400,msg="Busy, sorry"', "Busy, sorry"],
    ['status=400,msg="say ""no"""', 'say "no"'],
    [" status = 400 ,msg=a=b c, times=3", "a=b c"],
    ['msg=" x "', " x "],
    ['msg=say "no"', 'say "no"'],
  ])("reads the value of msg in %s", (text, msg) => {
    expect(parseFault(text).msg).toBe(msg);
  });

  it.each([
    ["statuss=503", /"statuss" is not one of status, msg, .*times/],
    ["", /a word is missing/],
    ["status=503,", /a word is missing/],
    ["status", /status needs a value: status=CODE/],
    ["status=", /status needs a value/],
    ["status=99", /from 200 to 599, not "99"/],
    ["status=abc", /a whole number/],
    ["status=503,status=500", /given twice/],
    ["hang=1", /hang takes no value/],
    ["drop=later", /one of before, after, not/],
    ["kind=both", /one of create, update/],
    ["refuse=cle", /FIELD:VALUE/],
    ["refuse=:x", /FIELD:VALUE/],
    ["rate=0", /rate needs a number/],
    ["drop=after,hang", /drop and hang need a rule each/],
    ["drop=after,status=500", /drop and status need a rule each/],
    ["times=2", /does not say what happens/],
    ['msg="open', /quote of msg is not closed/],
    ['msg="a" b', /text follows it/],
  ])("is a usage error when it reads %s", (text, message) => {
    expect(complaint(text)).toMatch(message);
  });

  it("is read or complained about, whatever the text", () => {
    const words = fc.array(fc.tuple(fc.constantFrom(...faultWords), fc.string()));
    const likely = words.map((pairs) => pairs.map(([key, value]) => `${key}=${value}`).join(","));
    fc.assert(
      fc.property(fc.oneof(fc.string(), likely), (text) => {
        expect(complaint(text)).toMatch(/^$|^The fault "[^]*" cannot be set: [^]*\.$/);
      }),
    );
  });

  it("keeps any quoted text", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(parseFault(`status=500,msg="${text.replaceAll('"', '""')}",times=1`).msg).toBe(text);
      }),
    );
  });

  it("has every word in the help, which fits a terminal", () => {
    for (const key of faultWords) expect(sandboxHelp).toMatch(new RegExp(`^    ${key}[=[ ]`, "m"));
    expect(Math.max(...sandboxHelp.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});

const UPDATES = [{ cle: "1" }, { cle: "2" }, { cle: "3", num_commande: "551035" }];
const CREATE = [{ num_commande: "551036" }];
const BATCHES = { u: UPDATES, c: CREATE, m: [...UPDATES, ...CREATE] };
const [OK, TOO_MANY] = ["Update Items OK.", "Too many requests."];

const held = ({ store }: Sandbox): number => store.snapshot("commandes").length;

describe("misbehaviour on request", () => {
  it.each<[fault: string, status: number, msg: string, applied: number]>([
    ["status=503", 503, "Service Unavailable.", 0],
    ["status=500,after-applying", 500, "Something went wrong. Please try again later.", 3],
    ["status=502,after-applying=2", 502, "Bad Gateway.", 2],
    ["status=400,msg=Invalid version.", 400, "Invalid version.", 0],
    ["status=200", 200, OK, 0],
    ["status=204", 204, "", 0],
    ["msg=Fine.", 200, "Fine.", 3],
    ["latency=5", 200, OK, 3],
    ["refuse=num_commande:551035", 400, 'Record 3, field "num_commande": the value "551035" is refused.', 0],
    ["refuse=num_commande:551035,status=422,msg=No", 422, "No", 0],
    ["refuse=num_commande:551036", 200, OK, 3],
    ["refuse=constructor:551035", 200, OK, 3],
    ["status=599", 599, "Status 599.", 0],
  ])("%s answers %d %s and applies %d records", async (fault, status, msg, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const answer = await post(sandbox, UPDATES);
    expect([answer.status, answer.msg, held(sandbox)]).toEqual([status, msg, applied]);
    expect(sandbox.requests()).toEqual({ requests: 1, statuses: { [status]: 1 } });
    // A status without a body has none.
    expect(answer.headers.get("content-type")).toBe(status === 204 ? null : "application/json");
  });

  it.each<[fault: string, end: string, applied: number]>([
    ["drop=before", "drop", 0],
    ["drop=after", "drop", 3],
    ["latency=20,drop=after", "drop", 3],
    ["hang", "hang", 0],
    ["hang,after-applying", "hang", 3],
  ])("%s gives no answer but a %s, and applies %d records", async (fault, end, applied) => {
    const sandbox = await sandboxFor({ faults: [fault] });
    const cut = isCut(post(sandbox, UPDATES));
    await expect.poll(() => sandbox.requests().statuses).toEqual({ [end]: 1 });
    expect(held(sandbox)).toBe(applied);
    await sandbox.close();
    expect(await cut).toBe(true);
  });

  /** Statuses of requests in turn, which arrive at once, or at these times. */
  it.each<[faults: string, requests: string, statuses: string, times?: readonly number[]]>([
    ["status=503,times=2", "uuu", "503 503 200"],
    ["status=503,skip=2,times=1", "uuuu", "200 200 503 200"],
    ["status=503,kind=create", "ucum", "200 503 200 503"],
    ["status=503,kind=update,skip=1", "ucuc", "200 200 503 200"],
    ['status=503,match="""551036"""', "uc", "200 503"],
    ["refuse=num_commande:551036,times=1", "ucuc", "200 400 200 200"],
    [
      "rate=2",
      "uuuuuuuuu",
      "200 200 429 429 429 429 200 200 429",
      [0, 0, 0, 499, 500, 501, 5000, 5000, 5000],
    ],
    ["rate=0.5", "uuuu", "200 429 429 200", [0, 1000, 1999, 2000]],
    ["latency=2 status=503,times=1 latency=1 status=500", "uu", "503 500"],
  ])("%s: requests %s are answered with %s", async (faults, requests, statuses, times = []) => {
    let nowMs = 0;
    const sandbox = await sandboxFor({ faults: faults.split(/ (?=\w+=)/), nowMs: () => nowMs });
    const seen: number[] = [];
    for (const [at, kind] of (requests.split("") as (keyof typeof BATCHES)[]).entries()) {
      nowMs = times[at] ?? nowMs;
      seen.push((await post(sandbox, BATCHES[kind])).status);
    }
    expect(seen.join(" ")).toBe(statuses);
    sandbox.setFaults([]);
    expect((await post(sandbox, UPDATES)).status).toBe(200);
  });

  it.each([
    ["status=429,retry-after=2", 1, "Too Many Requests.", "2"],
    ["rate=0.25", 2, TOO_MANY, "4"],
    ["rate=0.25,times=1", 1, OK, null],
  ])("%s: request %i has the msg %s and the Retry-After %s", async (fault, count, msg, retryAfter) => {
    const sandbox = await sandboxFor({ faults: [fault], nowMs: () => 1000 });
    for (let number = 1; number < count; number += 1) await post(sandbox, UPDATES);
    const answer = await post(sandbox, UPDATES);
    expect([answer.msg, answer.headers.get("retry-after")]).toEqual([msg, retryAfter]);
  });

  it("lets many requests wait at once without a warning of Node", async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on("warning", warned);
    onTestFinished(() => void process.off("warning", warned));
    const sandbox = await sandboxFor({ faults: ["latency=100"] });
    await Promise.all(Array.from({ length: 20 }, () => post(sandbox, UPDATES)));
    expect([held(sandbox), warned.mock.calls]).toEqual([3, []]);
  });

  it("applies after a long latency although the client has gone, as a slow service does", async () => {
    const sandbox = await sandboxFor({ faults: ["latency=600"] });
    const answer = fetch(`${sandbox.url}/api/items/commandes/`, {
      method: "POST",
      headers: { "content-type": "application/json", access_token: "sandbox" },
      body: JSON.stringify(UPDATES),
      signal: AbortSignal.timeout(300),
    });
    expect(await isCut(answer)).toBe(true);
    await expect.poll(() => held(sandbox)).toBe(3);
  });

  it("misbehaves also on a body that it would refuse, unless it has to apply it first", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1", "status=500,after-applying"] });
    expect((await post(sandbox, "nonsense")).status).toBe(503);
    expect((await post(sandbox, "nonsense")).status).toBe(400);
  });

  it("does not count requests without the token", async () => {
    const sandbox = await sandboxFor({ faults: ["status=503,times=1"] });
    expect((await post(sandbox, UPDATES, { headers: { access_token: "wrong" } })).status).toBe(401);
    expect((await post(sandbox, UPDATES)).status).toBe(503);
  });
});

describe("an Idempotency-Key", () => {
  const headers = { "idempotency-key": '"k1"' };
  const other = { "idempotency-key": '"k2"' };

  it("has a request applied once where keys are honoured, also if its answer was lost", async () => {
    const sandbox = await sandboxFor({ faults: ["honour-keys", "drop=after,times=1"] });
    expect(await isCut(post(sandbox, CREATE, { headers }))).toBe(true);
    for (let time = 0; time < 2; time += 1)
      expect((await post(sandbox, CREATE, { headers })).status).toBe(200);
    expect(held(sandbox)).toBe(1);
    expect((await post(sandbox, UPDATES, { headers })).status).toBe(422);
    expect((await post(sandbox, CREATE, { headers: other })).status).toBe(200);
    expect(held(sandbox)).toBe(2);
  });

  it.each([
    ["means nothing where they are not", [], [200, 200], 2],
    ["is free again where nothing was applied", ["honour-keys", "status=500,times=1"], [500, 200], 1],
  ])("%s", async (_, faults, statuses, applied) => {
    const sandbox = await sandboxFor({ faults });
    for (const status of statuses) expect((await post(sandbox, CREATE, { headers })).status).toBe(status);
    expect(held(sandbox)).toBe(applied);
  });
});
