import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../src/model/failure.ts";
import { buildBody } from "../../src/send/service.ts";
import { createTarget, displayUrl, type Target, type TargetOptions } from "../../src/send/target.ts";
import { emptyRecord, toRecords } from "../support/to-record.ts";

const TOKEN = "a-very-secret-token";

function target(more: Partial<TargetOptions> = {}): Target {
  return createTarget({ url: "https://host.example", table: "commandes", token: TOKEN, ...more });
}

function problem(more: Partial<TargetOptions>): RecPushError {
  try {
    target(more);
  } catch (error) {
    if (error instanceof RecPushError) return error;
    throw error;
  }
  throw new Error("no usage problem");
}

const plain = (host: string): string => `http://${host}`;

function headersOf(more: Partial<TargetOptions>): Record<string, string> {
  const flat = target(more).requestHeaders();
  return Object.fromEntries(flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ""]] : [])));
}

describe("createTarget", () => {
  it.each([
    ["https://host.example", "commandes", "https://host.example/api/items/commandes/"],
    ["https://host.example/", "commandes", "https://host.example/api/items/commandes/"],
    ["https://host.example/base", "commandes", "https://host.example/base/api/items/commandes/"],
    ["https://host.example:8443/a/b//", "t", "https://host.example:8443/a/b/api/items/t/"],
    [
      "https://host.example",
      "mes commandes/é?#",
      "https://host.example/api/items/mes%20commandes%2F%C3%A9%3F%23/",
    ],
    ["http://127.0.0.1:81", "t", "http://127.0.0.1:81/api/items/t/"],
    ["http://127.8.9.10", "t", "http://127.8.9.10/api/items/t/"],
    ["http://localhost:81", "t", "http://localhost:81/api/items/t/"],
    ["http://[::1]:81/x", "t", "http://[::1]:81/x/api/items/t/"],
  ])("joins %s and %s", (url, table, expected) => {
    const made = target({ url, table });
    expect(made.origin + made.requestPath()).toBe(expected);
    expect(displayUrl(made)).toBe(expected);
  });

  it.each<[keyof TargetOptions, string, unknown[], Partial<TargetOptions>?]>([
    ["url", "bad-url", ["", "host.example", "localhost:8080", "ftp://host.example"]],
    ["url", "bad-url", ["https://me:pw@host.example", "https://me@host.example"]],
    ["url", "bad-url", ["https://host.example/?a=b", "https://host.example/#top"]],
    ["url", "bad-url", ["https://host.example/base/api/items/commandes/"]],
    ["url", "bad-url", ["host.example", "localhost.example", "127.0.0.1.example", "10.0.0.1"].map(plain)],
    ["table", "bad-option-value", ["", " ", ".", "..", "\uD800"]],
    ["token", "bad-token", ["", `${TOKEN}\n`, "jeton€"]],
    ["query", "bad-option-value", [["novalue"], ["=v"]]],
    ["headers", "bad-header", [["no colon"], ["a b: c"], ["x-a: 1\r\nx-b: 2"]]],
    ["headers", "bad-header", [["Content-Type: text/plain"], ["content-length: 1"], ["HOST: other"]]],
    ["headers", "bad-header", [["Transfer-Encoding: chunked"], ["Authorization: Basic eA=="]]],
    ["headers", "bad-header", [["access_token: x"]]],
    ["headers", "bad-header", [["database_version: 8"]], { dbVersion: "7" }],
    ["dbVersion", "bad-option-value", [""]],
    ["dbVersionIn", "bad-option-value", ["header:x"]],
    ["dbVersionIn", "bad-option-value", ["header", "cookie:x", "query:", "body:v"], { dbVersion: "7" }],
    ["dbVersionIn", "bad-option-value", ["body:data"], { dbVersion: "7", body: "data" }],
    ["dbVersionIn", "bad-header", ["header:host"], { dbVersion: "7" }],
    ["dbVersionIn", "bad-header", ["header:v"], { dbVersion: "7\n" }],
  ])("refuses, of %s, as %s: %j", (option, code, values, more) => {
    for (const value of values) {
      const error = problem({ ...more, [option]: value });
      expect([value, error.kind, error.code]).toEqual([value, "usage", code]);
      expect(error.hint).toBeTruthy();
    }
  });

  it("takes plain http to another machine only when it may", () => {
    expect(displayUrl(target({ url: "http://10.0.0.1", allowHttp: true }))).toBe(
      "http://10.0.0.1/api/items/commandes/",
    );
  });

  it("never quotes a secret in a usage problem", () => {
    const problems = [
      problem({ url: "https://me:hunter22@host.example" }),
      problem({ url: "me:hunter22@host.example" }),
      problem({ url: "ftp://me:hunter22@host.example/?k=hunter22" }),
      problem({ url: "https://host.example/?k=hunter22" }),
      problem({ token: "hunter22\n" }),
      problem({ headers: ["x-a: hunter22\nb"] }),
      problem({ headers: ["hunter22"] }),
      problem({ headers: ["content-type: hunter22"] }),
      problem({ query: ["hunter22"] }),
    ];
    for (const { message, hint } of problems) expect(`${message} ${hint}`).not.toContain("hunter22");
  });

  it.each([
    ["both", { access_token: TOKEN, authorization: `Bearer ${TOKEN}` }],
    ["access_token", { access_token: TOKEN, authorization: undefined }],
    ["bearer", { access_token: undefined, authorization: `Bearer ${TOKEN}` }],
  ] as const)("sends the token by --auth %s", (auth, expected) => {
    const { access_token, authorization } = headersOf({ auth });
    expect({ access_token, authorization }).toEqual(expected);
  });

  it("adds headers of its own and the user's", () => {
    const headers = headersOf({ headers: ["X-Team: a: b ", "Accept: */*"] });
    expect(headers).toMatchObject({ "content-type": "application/json", "accept-encoding": "identity" });
    expect(headers).toMatchObject({ "x-team": "a: b", accept: "*/*" });
  });

  it("leaves authorization to -H where the token goes into the other header", () => {
    expect(headersOf({ auth: "access_token", headers: ["Authorization: Basic eA=="] })["authorization"]).toBe(
      "Basic eA==",
    );
  });

  it.each([
    [{ dbVersion: "7" }, { header: "7", path: "/api/items/commandes/", body: "[{}]" }],
    [
      { dbVersion: "7", dbVersionIn: "query:v" },
      { path: "/api/items/commandes/?k=a%26b&v=7", body: "[{}]" },
    ],
    [
      { dbVersion: '7"', dbVersionIn: "body:v", body: "data" as const },
      { path: "/api/items/commandes/", body: '{"data":[{}],"v":"7\\""}' },
    ],
    [{ body: "data" as const }, { path: "/api/items/commandes/", body: '{"data":[{}]}' }],
  ])("places the database version: %j", (more, expected) => {
    const options =
      "dbVersionIn" in more && more.dbVersionIn === "query:v" ? { ...more, query: ["k=a&b"] } : more;
    const made = target(options);
    expect({
      header: headersOf(options)["database_version"],
      path: made.requestPath(),
      body: buildBody(toRecords([emptyRecord(2, "K")]), made.envelope).toString(),
    }).toEqual({ header: undefined, ...expected });
  });

  it("shows neither token nor values of headers and query when it is printed", () => {
    const made = target({ headers: ["x-key: hunter22"], query: ["key=hunter22"] });
    const shown = inspect(made, { depth: 9, showHidden: true }) + JSON.stringify(made) + displayUrl(made);
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain("hunter22");
    expect(displayUrl(made)).toBe("https://host.example/api/items/commandes/?key=…");
    expect(made.secrets()).toEqual([TOKEN, "hunter22", "hunter22"]);
  });

  it("has no secret in the token of a sandbox, which is printed", () => {
    expect(target({ isTokenPublic: true, headers: ["x-key: hunter22"] }).secrets()).toEqual(["hunter22"]);
  });
});
