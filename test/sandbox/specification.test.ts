import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeHtml } from "../../src/sandbox/server.ts";
import { type SandboxRecord, Store } from "../../src/sandbox/store.ts";
import { get, post, sandboxFor } from "./client.ts";

const ok = "Update Items OK.";
const one = [
  { cle: "A1", num_commande: "551035", date_billed: "2016-07-05", actual_billable_amount: "437.50" },
];

describe("the answers of the specification", () => {
  it("answers a batch with 200 and the one field msg", async () => {
    const answer = await post(await sandboxFor(), one);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ msg: ok });
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  it.each([
    ["no version", {}, "", one, 400, "Please specify database version."],
    ["an empty version", { database_version: "" }, "", one, 400, "Please specify database version."],
    ["an unknown version", { database_version: "9" }, "", one, 400, "Invalid database version."],
    ["an unknown version in the query", {}, "?database_version=9", one, 400, "Invalid database version."],
    [
      "an unknown version in the body",
      {},
      "",
      { data: one, database_version: "9" },
      400,
      "Invalid database version.",
    ],
    [
      "a version that is no string",
      {},
      "",
      { data: one, database_version: 12 },
      400,
      "Invalid database version.",
    ],
    [
      "two versions of which one is wrong",
      { database_version: "12" },
      "?database_version=9",
      one,
      400,
      "Invalid database version.",
    ],
    ["the version as header", { database_version: "12" }, "", one, 200, ok],
    ["the version in the query", {}, "?database_version=12", one, 200, ok],
    ["the version in the body", {}, "", { data: one, database_version: "12" }, 200, ok],
    ["another valid version", { database_version: "13" }, "", one, 200, ok],
  ])("takes the database version: %s", async (_, headers, query, body, status, msg) => {
    const sandbox = await sandboxFor({ dbVersions: ["12", "13"] });
    const answer = await post(sandbox, body, { headers, path: `/api/items/commandes/${query}` });
    expect([answer.status, answer.msg]).toEqual([status, msg]);
    expect(sandbox.store.snapshot("commandes")).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each([
    ["no token", {}, 401],
    ["a wrong access_token", { access_token: "wrong" }, 401],
    ["a wrong Bearer", { authorization: "Bearer wrong" }, 401],
    ["another scheme", { authorization: "Basic c2VjcmV0" }, 401],
    ["a right and a wrong one", { access_token: "s3cret", authorization: "Bearer wrong" }, 401],
    ["access_token", { access_token: "s3cret" }, 200],
    ["Bearer", { authorization: "Bearer s3cret" }, 200],
    ["both", { access_token: "s3cret", authorization: "bearer s3cret" }, 200],
  ])("takes the token: %s", async (_, headers: Record<string, string>, status) => {
    const sandbox = await sandboxFor({ token: "s3cret" });
    const response = await fetch(`${sandbox.url}/api/items/commandes/`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(one),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ msg: status === 200 ? ok : "Invalid API key." });
    expect(sandbox.store.tables()).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("where the specification is silent", () => {
  it.each([
    ["the bare array", one],
    ["an object with data", { data: one }],
  ])("takes %s", async (_, body) => {
    const sandbox = await sandboxFor();
    expect((await post(sandbox, body)).status).toBe(200);
    expect(sandbox.store.snapshot("commandes")).toEqual(one);
  });

  it.each([
    ["not JSON", "[{", /not JSON/],
    ["an empty body", "", /not JSON/],
    ["a number", "12", /must be an array/],
    ["null", "null", /must be an array/],
    ["a single record", '{"cle":"1"}', /must be an array/],
    ["data that is no array", '{"data":{"cle":"1"}}', /must be an array/],
    ["a record that is an array", '[{"cle":"1"},[]]', /^Record 2 is not an object/],
    ["a number as value", '[{"cle":"1"},{"a":1}]', /^Record 2, field "a": the value is not a string/],
    ["null as value", '[{"a":null}]', /not a string/],
    ["a nested value", '[{"a":{}}]', /not a string/],
    ["an empty key", '[{"cle":""}]', /cle is empty/],
  ])("refuses %s with 400, says why, and applies nothing", async (_, body, msg) => {
    const sandbox = await sandboxFor();
    const answer = await post(sandbox, body);
    expect([answer.status, answer.msg]).toEqual([400, expect.stringMatching(msg)]);
    expect(sandbox.store.tables()).toEqual([]);
  });

  it.each([
    ["no trailing slash", "/api/items/commandes", 404, /trailing slash/],
    ["an empty table name", "/api/items//", 404, /nothing at this path/],
    ["another path", "/api/", 404, /\/api\/items\/TABLE\//],
    ["broken percent-encoding", "/api/items/%E9/", 404, /cannot be read/],
    ["a path for reading", "/", 405, /GET/],
  ])("refuses %s", async (_, path, status, msg) => {
    const answer = await post(await sandboxFor(), one, { path });
    expect([answer.status, answer.msg]).toEqual([status, expect.stringMatching(msg)]);
  });

  it("takes any base path, and table names in any script", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, one, { path: `/base/v1/api/items/${encodeURIComponent("Factures réglées/2016")}/` });
    expect(sandbox.store.tables().map(({ name }) => name)).toEqual(["Factures réglées/2016"]);
  });

  it.each([
    ["text/plain", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON", 200],
  ])("answers the content type %s with %d", async (type, status) => {
    expect((await post(await sandboxFor(), one, { headers: { "content-type": type } })).status).toBe(status);
  });

  it("refuses bytes that are not UTF-8", async () => {
    const answer = await post(await sandboxFor(), Buffer.from('[{"a":"é"}]', "latin1"));
    expect([answer.status, answer.msg]).toEqual([400, "The body is not valid UTF-8."]);
  });

  it.each([
    ["gzip", gzipSync(JSON.stringify(one)), 200],
    ["gzip", Buffer.from("not packed"), 400],
    ["br", Buffer.from("x"), 415],
  ])("answers content-encoding %s (%#) with its status", async (encoding, body, status) => {
    const answer = await post(await sandboxFor(), body, { headers: { "content-encoding": encoding } });
    expect(answer.status).toBe(status);
  });

  it.each([
    ["as sent", "x".repeat(64 * 1024 * 1024 + 1), {}, 413, "The body is larger than 67108864 bytes."],
    [
      "unpacked",
      gzipSync("x".repeat(64 * 1024 * 1024 + 1)),
      { "content-encoding": "gzip" },
      400,
      "The body is not gzip, or too large when it is unpacked.",
    ],
  ])("refuses a body over the limit, %s", async (_, body, headers, status, msg) => {
    const sandbox = await sandboxFor();
    const answer = await post(sandbox, body, { headers });
    expect([answer.status, answer.msg]).toEqual([status, msg]);
    expect((await post(sandbox, one)).status).toBe(200);
  });

  it("answers other methods with 405 and names those it knows", async () => {
    const sandbox = await sandboxFor();
    const response = await fetch(`${sandbox.url}/api/items/commandes/`, { method: "PUT", body: "[]" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });

  it("gives what it holds to programs, in order of creation and without a token", async () => {
    const sandbox = await sandboxFor();
    const records = Array.from({ length: 3000 }, (_, index) => ({
      cle: `K${index}`,
      text: `é"\n${"x".repeat(50)}`,
    }));
    await post(sandbox, records);
    expect(JSON.parse((await get(sandbox, "/api/items/commandes/")).body)).toEqual(records);
    expect((await get(sandbox, "/api/items/factures/")).status).toBe(404);
    expect((await get(sandbox, "/api/items/commandes")).msg).toMatch(/trailing slash/);
  });
});

describe("the store", () => {
  it.each([
    ["already in the table", [[{ cle: "F000001", a: "old" }], [{ a: "new" }]]],
    ["earlier in the batch", [[{ cle: "F000001", a: "old" }, { a: "new" }]]],
    ["later in the batch", [[{ a: "new" }, { cle: "F000001", a: "old" }]]],
  ])("never gives out a key that is %s", (_, batches: SandboxRecord[][]) => {
    const store = new Store();
    for (const batch of batches) store.apply("t", batch);
    expect(store.table("t")?.records.get("F000001")).toEqual({ cle: "F000001", a: "old" });
    expect(store.table("t")?.records.get("F000002")).toEqual({ cle: "F000002", a: "new" });
  });

  it("treats fields named like members of every object as fields", () => {
    const store = new Store();
    store.apply("t", JSON.parse('[{"cle":"1","__proto__":"a","constructor":"b"}]') as SandboxRecord[]);
    store.apply("t", JSON.parse('[{"cle":"1","__proto__":"c"},{"__proto__":"d"}]') as SandboxRecord[]);
    expect(store.snapshot("t").map((fiche) => JSON.stringify(fiche))).toEqual([
      '{"cle":"1","__proto__":"c","constructor":"b"}',
      '{"cle":"F000001","__proto__":"d"}',
    ]);
  });

  it("ends with the last value of every field, and one fiche a create, for any batches", () => {
    const record = fc.record(
      { cle: fc.constantFrom("a", "b", "F000002"), x: fc.string(), y: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.array(record)), (batches) => {
        const store = new Store();
        for (const batch of batches) store.apply("t", batch);
        const all = batches.flat();
        const keys = new Set(all.flatMap(({ cle }) => cle ?? []));
        const creates = all.filter(({ cle }) => cle === undefined).length;
        // A create may take F000002 before an update names it: then that update is one of an existing fiche.
        const count = store.snapshot("t").length;
        expect(count).toBeLessThanOrEqual(keys.size + creates);
        expect(count).toBeGreaterThanOrEqual(keys.size + creates - (keys.has("F000002") ? 1 : 0));
        for (const key of ["a", "b"]) {
          const expected = Object.assign({}, ...all.filter(({ cle }) => cle === key)) as SandboxRecord;
          expect(store.table("t")?.records.get(key) ?? {}).toEqual(expected);
        }
      }),
    );
  });
});

describe("the page for people", () => {
  it("shows tables, counts and records", async () => {
    const sandbox = await sandboxFor();
    await post(
      sandbox,
      Array.from({ length: 60 }, (_, index) => ({ cle: `K${index}`, montant: `${index}.50` })),
    );
    const { status, body, headers } = await get(sandbox, "/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("The first 50 of 60 records");
    expect(body).toContain("<td>K49</td><td>49.50</td>");
    expect(body).not.toContain("K50");
    expect(body).toContain('<a href="/api/items/commandes/">');
  });

  it("shows one table at a time, with links to the others", async () => {
    const sandbox = await sandboxFor();
    const name = "é & b";
    await post(sandbox, [{ cle: "A1", montant: "1", digits: "0012" }]);
    await post(sandbox, [{ cle: "B1", x: "y" }], { path: `/api/items/${encodeURIComponent(name)}/` });
    const first = (await get(sandbox, "/")).body;
    expect(first).toContain('<a href="/?table=commandes" aria-current="page">commandes (1)</a>');
    expect([first.includes(">A1<"), first.includes(">B1<")]).toEqual([true, false]);
    const [, other = ""] = /href="(\/\?table=%C3[^"]*)"/.exec(first) ?? [];
    const second = (await get(sandbox, other)).body;
    expect([second.includes(">A1<"), second.includes(">B1<")]).toEqual([false, true]);
  });

  it("shows an empty sandbox", async () => {
    const { body } = await get(await sandboxFor(), "/");
    expect(body).toContain("No table yet");
  });

  it("escapes everything that comes from elsewhere", async () => {
    const evil = `<script>alert("1")</script>'&`;
    const sandbox = await sandboxFor();
    await post(sandbox, [{ cle: evil, [evil]: evil }], { path: `/api/items/${encodeURIComponent(evil)}/` });
    const { body, headers } = await get(sandbox, "/");
    expect(body).not.toMatch(/<script/i);
    expect(body).toContain("&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  });

  it("takes nothing from elsewhere and says its language", async () => {
    const { body } = await get(await sandboxFor(), "/");
    expect(body).not.toMatch(/src=|https?:|@import|url\(/);
    expect(body).toContain('<html lang="en">');
  });

  it("survives fields named like members of every object", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, '[{"cle":"1","constructor":"a","__proto__":"b","toString":"c"},{"cle":"2"}]');
    expect((await get(sandbox, "/")).body).toContain("<td>a</td><td>b</td><td>c</td>");
  });

  it("shortens long values", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, [{ cle: "1", text: "x".repeat(10_000) }]);
    expect((await get(sandbox, "/")).body).toContain(`>${"x".repeat(200)}…</td>`);
  });

  it("leaves no sign that HTML would read, whatever the text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!#\d\d;)/);
      }),
    );
  });
});
