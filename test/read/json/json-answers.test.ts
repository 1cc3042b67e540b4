import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-rows.ts";
import { CUTS, failureOf, read, type Pass } from "./json-support.ts";

/** Reads as the command does, with the format detected. */
function readFound(text: string, options: Parameters<typeof read>[1] = {}): Promise<Pass> {
  const format = detectJson(Buffer.from(text), options) ?? "json";
  return read(text, { format, ...options });
}

const forms = (text: string): string[] => [text, JSON.stringify(JSON.parse(text), undefined, 2)];

const ANSWERS = [
  ['{"error":"invalid_token","data":[]}', '"error": "invalid_token"'],
  ['{"data":[],"error":{"code":401}}', '"error"'],
  ['{"errors":[{"message":"x"}],"data":[]}', '"errors"'],
  ['{"errors":["x"],"data":[]}', '"errors"'],
  ['{"data":[{"cle":"F1"}],"errors":[{"message":"x"}]}', '"errors"'],
  ['{"data":[],"exception":"Timeout"}', '"exception": "Timeout"'],
  ['{"success":false,"data":[]}', '"success": "false"'],
  ['{"success":false,"data":[{"cle":"F1"}]}', '"success": "false"'],
] as const;

describe("the answer of a service that failed", () => {
  it.each(ANSWERS)("is never an export: %s", async (text, told) => {
    for (const form of forms(text)) {
      for (const cut of CUTS)
        for (const jsonPath of [undefined, "data"]) {
          const how = { cut, ...(jsonPath && { jsonPath }) };
          const error = await failureOf(readFound(form, how));
          expect(error).toMatchObject({ kind: "input", code: "json-answer" });
          expect(error.message).toContain(`not an export: ${told}`);
          expect(error.hint).toContain("ask the service again");
        }
    }
  });

  it("is one where no list of records is beside it, and where the path leads to null", async () => {
    expect((await failureOf(readFound('{"error":"invalid_token"}'))).code).toBe("json-answer");
    const text = '{"data":null,"errors":[{"message":"x"}]}';
    expect((await failureOf(readFound(text, { jsonPath: "data" }))).code).toBe("json-answer");
  });

  it.each([
    '{"errors":[],"data":[{"cle":"F1"}]}',
    '{"data":[{"cle":"F1"}],"error":null,"success":true}',
    '{"data":[{"cle":"F1"}],"error":false,"exception":""}',
    '{"errors":{},"error":0,"data":[{"cle":"F1"}]}',
  ])("is not seen where the member holds nothing: %s", async (text) => {
    expect((await readFound(text)).rows).toHaveLength(1);
  });

  it("is an export where the option of the hint says that the member is no failure", async () => {
    const text = '{"error":"late","data":[{"cle":"F1"}]}';
    const hint = "--type error=text, if the member is no failure";
    expect((await failureOf(readFound(text))).hint).toContain(hint);
    const declared = ["error"];
    expect((await failureOf(readFound(text, { declared }))).hint).toMatch(/^--json-path data sends/);
    expect((await readFound(text, { declared, jsonPath: "data" })).rows).toHaveLength(1);
  });

  it("is no row among records", async () => {
    const text = '{"cle":"F1"}\n{"error":"time-out","code":504}\n{"cle":"F2","error":"x"}\n';
    const pass = await read(text, { format: "ndjson" });
    expect(pass.rows.map(({ line }) => line)).toEqual([1, 3]);
    expect(pass.problems).toMatchObject([{ line: 2, header: "error" }]);
  });

  it("is no row of a file in which every row says so", async () => {
    const pass = await readFound('[{"error":"x","code":1},{"error":"y"}]');
    const problem = { line: 1, header: "error" };
    expect(pass).toMatchObject({ rows: [], problems: [problem, problem] });
  });
});

describe("a list of records in an object", () => {
  it.each([
    '{"data":[],"total":0,"next":null}',
    '{"orders":[]}',
    "[]",
    '{"status":"success","code":200,"message":"OK","data":[]}',
    '{"count":0,"page":1,"results":[],"links":{}}',
    '{"@odata.context":"https://x/$metadata#Orders","value":[]}',
  ])("may be empty: %s", async (text) => {
    for (const form of forms(text)) {
      for (const cut of CUTS) {
        const { rows, problems } = await readFound(form, { cut });
        expect([rows, problems]).toEqual([[], []]);
      }
    }
  });

  it("has records with members that are named as those of an answer", async () => {
    const text = '{"data":[{"cle":"F1","status":"failed"}],"status":"success","message":"1 order"}';
    expect((await readFound(text)).rows).toHaveLength(1);
  });
});
