import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ClientTokens, SANDBOX_CLIENT } from "../../src/sandbox/oauth.ts";
import { type SandboxRecord, Store } from "../../src/sandbox/store.ts";
import { get, post, sandboxFor } from "./client.ts";

const OK = "Update Items OK.";
const MISSING = "Please specify database version.";
const INVALID = "Invalid database version.";
const ONE = [
  { cle: "A1", num_commande: "551035", date_billed: "2016-07-05", actual_billable_amount: "437.50" },
];

const TOO_LARGE = "x".repeat(64 * 1024 * 1024 + 1);

it.each([
  ["sandbox", "sandbox-secret", 200],
  ["sandbox", "another", 401],
  ["another", "sandbox-secret", 401],
])("gives the client %s with the secret %s a token: %i", (client_id, client_secret, status) => {
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id, client_secret });
  expect(new ClientTokens(SANDBOX_CLIENT, 60, () => 0).answer(form).status).toBe(status);
});

describe("the answers of the specification", () => {
  it("answers a batch with 200 and the one field msg", async () => {
    const answer = await post(await sandboxFor(), ONE);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({ msg: OK });
    expect(answer.headers.get("content-type")).toBe("application/json");
  });

  it.each<[header: string | undefined, query: string | undefined, body: unknown, answer: string]>([
    [undefined, undefined, undefined, MISSING],
    ["", undefined, undefined, MISSING],
    ["9", undefined, undefined, INVALID],
    [undefined, "9", undefined, INVALID],
    [undefined, undefined, "9", INVALID],
    [undefined, undefined, 12, INVALID],
    ["12", "9", undefined, INVALID],
    ["12", undefined, undefined, OK],
    [undefined, "12", undefined, OK],
    [undefined, undefined, "12", OK],
    ["13", undefined, undefined, OK],
  ])(
    "takes the version %j of the header, %j of the query, %j of the body: %s",
    async (header, query, body, answer) => {
      const sandbox = await sandboxFor({ dbVersions: ["12", "13"] });
      const headers = header === undefined ? {} : { database_version: header };
      const path = `/api/items/commandes/${query === undefined ? "" : `?database_version=${query}`}`;
      const sent = body === undefined ? ONE : { data: ONE, database_version: body };
      const { status, msg } = await post(sandbox, sent, { headers, path });
      expect([status, msg]).toEqual([answer === OK ? 200 : 400, answer]);
      expect(sandbox.store.snapshot("commandes")).toHaveLength(answer === OK ? 1 : 0);
    },
  );

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
      body: JSON.stringify(ONE),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ msg: status === 200 ? OK : "Invalid API key." });
    expect(sandbox.store.tables()).toHaveLength(status === 200 ? 1 : 0);
  });
});

describe("where the specification is silent", () => {
  it.each([
    ["the bare array", ONE],
    ["an object with data", { data: ONE }],
  ])("takes %s", async (_, body) => {
    const sandbox = await sandboxFor();
    expect((await post(sandbox, body)).status).toBe(200);
    expect(sandbox.store.snapshot("commandes")).toEqual(ONE);
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
    const answer = await post(await sandboxFor(), ONE, { path });
    expect([answer.status, answer.msg]).toEqual([status, expect.stringMatching(msg)]);
  });

  it("takes any base path, and table names in any script", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, ONE, { path: `/base/v1/api/items/${encodeURIComponent("Factures réglées/2016")}/` });
    expect(sandbox.store.tables().map(({ name }) => name)).toEqual(["Factures réglées/2016"]);
  });

  it.each([
    ["text/plain", 415],
    ["application/json; charset=iso-8859-1", 415],
    ["application/json; charset=utf-8", 200],
    ["Application/JSON", 200],
  ])("answers the content type %s with %d", async (type, status) => {
    expect((await post(await sandboxFor(), ONE, { headers: { "content-type": type } })).status).toBe(status);
  });

  it.each<[body: string, Buffer | string, encoding: string, status: number, msg: string | RegExp]>([
    ["packed with gzip", gzipSync(JSON.stringify(ONE)), "gzip", 200, OK],
    ["that is not packed", Buffer.from("not packed"), "gzip", 400, /not gzip, or too large/],
    ["of another packing", Buffer.from("x"), "br", 415, /"br" is not supported/],
    ["that is not UTF-8", Buffer.from('[{"a":"é"}]', "latin1"), "", 400, "The body is not valid UTF-8."],
    ["over the limit", TOO_LARGE, "", 413, "The body is larger than 67108864 bytes."],
    ["over the limit when it is unpacked", gzipSync(TOO_LARGE), "gzip", 400, /too large when it is unpacked/],
  ])("answers a body %s with its status, and goes on", async (_, body, encoding, status, msg) => {
    const sandbox = await sandboxFor();
    const answer = await post(sandbox, body, {
      headers: encoding === "" ? {} : { "content-encoding": encoding },
    });
    expect([answer.status, answer.msg]).toEqual([status, expect.stringMatching(msg)]);
    expect((await post(sandbox, ONE)).status).toBe(200);
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

/** A text that a page must not take for markup. */
const EVIL = `<script>alert("1")</script>'&`;
const SIXTY = Array.from({ length: 60 }, (_, index) => ({ cle: `K${index}`, montant: `${index}.50` }));
const OBJECTS = '[{"cle":"1","constructor":"a","__proto__":"b","toString":"c"},{"cle":"2"}]';

describe("the page for people", () => {
  it.each<[what: string, records: unknown, table: string, shown: string[], hidden?: string]>([
    ["that nothing is there yet", undefined, "t", ["No table yet"]],
    ["the first records", SIXTY, "t", ["The first 50 of 60 records", "<td>K49</td><td>49.50</td>"], "K50"],
    ["the beginning of long values", [{ a: "x".repeat(10_000) }], "t", [`>${"x".repeat(200)}…</td>`]],
    ["fields named like members of every object", OBJECTS, "t", ["<td>a</td><td>b</td><td>c</td>"]],
    [
      "any text as text",
      [{ cle: EVIL, [EVIL]: EVIL }],
      EVIL,
      ["&#60;script&#62;alert(&#34;1&#34;)&#60;/script&#62;&#39;&#38;"],
      "<script",
    ],
  ])("shows %s, and loads nothing", async (_, records, table, shown, hidden = "src=") => {
    const sandbox = await sandboxFor();
    const path = `/api/items/${encodeURIComponent(table)}/`;
    if (records !== undefined) await post(sandbox, records, { path });
    const { status, body, headers } = await get(sandbox, "/");
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const text of [...shown, '<html lang="en">']) expect(body).toContain(text);
    expect(body).not.toContain(hidden);
    expect(body).not.toMatch(/src=|https?:|@import|url\(/);
  });

  it("shows one table at a time, with links to the others", async () => {
    const sandbox = await sandboxFor();
    await post(sandbox, [{ cle: "A1" }]);
    await post(sandbox, [{ cle: "B1" }], { path: `/api/items/${encodeURIComponent("é & b")}/` });
    const first = (await get(sandbox, "/")).body;
    expect(first).toContain('<a href="/?table=commandes" aria-current="page">commandes (1)</a>');
    expect(first).toContain('<a href="/api/items/commandes/">');
    expect([first.includes(">A1<"), first.includes(">B1<")]).toEqual([true, false]);
    const [, other = ""] = /href="(\/\?table=%C3[^"]*)"/.exec(first) ?? [];
    const second = (await get(sandbox, other)).body;
    expect([second.includes(">A1<"), second.includes(">B1<")]).toEqual([false, true]);
  });
});
