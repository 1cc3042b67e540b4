import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-detect.ts";
import { CUTS, failureOf, read, type Pass } from "./json-support.ts";

/** Reads as the command does, with the format detected. */
function readFound(text: string, options: Parameters<typeof read>[1] = {}): Promise<Pass> {
  return read(text, { format: detectJson(Buffer.from(text)) ?? "json", ...options });
}

const forms = (text: string): string[] => [text, JSON.stringify(JSON.parse(text), undefined, 2)];

describe("the error answer of a service", () => {
  it.each([
    ["gRPC gateway", '{"code":16,"message":"..","details":[]}', '"message": ".."'],
    [
      "gRPC gateway with details",
      '{"code":3,"message":"bad","details":[{"@type":"x","field":"y"}]}',
      '"bad"',
    ],
    ["problem details", '{"type":"about:blank","title":"Gone","status":410,"errors":[]}', '"status": "410"'],
    [
      "problem details with members of its own",
      '{"type":"https://x.org/credit","title":"No credit","detail":"30","balance":30,"accounts":["/a"]}',
      '"detail": "30"',
    ],
    ["an error beside no data", '{"error":{"code":401,"message":"Unauthorized"},"data":[]}', "Unauthorized"],
    ["an error in a word", '{"error":"invalid_token","data":[]}', '"error": "invalid_token"'],
    ["GraphQL", '{"errors":[{"message":"x","path":["orders"]}],"data":null}', '"errors"'],
    ["GraphQL with empty data", '{"data":{"orders":[]},"errors":[{"message":"x"}]}', '"errors"'],
    ["a list of errors that is empty", '{"errors":[]}', "without records"],
    ["status", '{"status":"error","data":[]}', '"status": "error"'],
    ["status and words", '{"status":"fail","message":"Token expired","items":[]}', '"Token expired"'],
    ["JSend", '{"status":"fail","data":{"title":"needed"}}', '"status": "fail"'],
    ["success", '{"success":false,"data":[]}', '"success": "false"'],
    ["Slack", '{"ok":false,"error":"not_authed"}', "not_authed"],
    ["a status number", '{"items":[],"status":500}', '"status": "500"'],
    ["words alone", '{"message":"Unauthorized","data":[]}', '"message": "Unauthorized"'],
    ["Django", '{"detail":"Authentication credentials were not provided."}', "Authentication"],
    ["in meta", '{"meta":{"code":400,"error_message":"x"},"data":[]}', '"code": "400"'],
    [
      "in status",
      '{"status":{"error_code":1001,"error_message":"bad key"},"data":[]}',
      '"error_code": "1001"',
    ],
    [
      "Google",
      '{"error":{"code":403,"message":"x","errors":[{"reason":"y"}],"status":"D"}}',
      '"code": "403"',
    ],
    ["AWS", '{"__type":"AccessDeniedException","Message":"not authorized"}', "not authorized"],
    ["AWS S3", '{"Code":"AccessDenied","Message":"x","Resource":"/","RequestId":"1","HostId":"2"}', "Denied"],
    ["Okta", '{"errorCode":"E0000011","errorSummary":"Invalid","errorCauses":[]}', "E0000011"],
    ["WeChat", '{"errcode":40013,"errmsg":"invalid appid"}', "40013"],
    ["Twilio", '{"code":20003,"message":"Authenticate","more_info":"https://x","status":401}', "401"],
    ["this service", '{"msg":"wrong token"}', '"msg": "wrong token"'],
    ["Elasticsearch", '{"took":3,"timed_out":true,"hits":[]}', '"timed_out"'],
    [
      "Odoo",
      '{"jsonrpc":"2.0","id":null,"error":{"code":200,"message":"Odoo Server Error","data":{"arguments":[]}}}',
      "Odoo Server Error",
    ],
    [
      "Magento",
      '{"message":"The consumer isn\'t authorized to access %resources.","parameters":{"resources":"x"}}',
      "authorized",
    ],
    ["Salesforce", '[{"errorCode":"INVALID_SESSION_ID","message":"Session expired"}]', "every row"],
    ["an error beside some records", '{"success":false,"data":[{"cle":"F1"}]}', '"success": "false"'],
  ])("is never taken for an empty export: %s", async (_, text, told) => {
    for (const form of forms(text)) {
      for (const cut of CUTS) {
        const error = await failureOf(readFound(form, cut === undefined ? {} : { cut }));
        expect(error).toMatchObject({ kind: "input", code: "json-answer" });
        expect(error.message).toContain(told);
        expect(error.hint).toContain("ask the service again");
      }
    }
  });

  it("does not offer its list of failures as records", async () => {
    const error = await failureOf(readFound('{"status":404,"errors":[{"field":"x"}],"data":[]}'));
    expect(error.hint).not.toContain("errors");
    expect(error.hint).toContain("--json-path data");
  });

  it.each([
    '{"status":"error","data":[]}',
    '{"data":[],"errors":[{"message":"x"}]}',
    '{"errors":["x"],"data":[]}',
    '{"success":false,"data":[],"next":null}',
    '{"data":[],"error":"time-out"}',
    '{"message":"Rate limit exceeded","data":[]}',
    '{"meta":{"status":"error"},"data":[]}',
    '{"data":null,"errors":[{"message":"x"}]}',
    '{"errors":[{"message":"x"}],"data":[{"cle":"F1"}]}',
    '{"success":false,"data":[{"cle":"F1"}]}',
    '{"status":"error","data":{"cle":"F1"}}',
    '{"message":"Unauthenticated."}',
  ])("is seen where --json-path names a member of it: %s", async (text) => {
    for (const form of forms(text)) {
      for (const cut of CUTS) {
        const reading = readFound(form, { jsonPath: "data", ...(cut === undefined ? {} : { cut }) });
        expect((await failureOf(reading)).code).toBe("json-answer");
      }
    }
  });

  it.each([
    '{"result":{"items":[]},"errors":{"base":["x"]}}',
    '{"result":{"items":[{"cle":"F1"}],"error":"time-out"}}',
    '{"result":{"message":"Rate limit exceeded","items":[]},"took":3}',
  ])("is seen in each object that the path leads into: %s", async (text) => {
    expect((await failureOf(readFound(text, { jsonPath: "result.items" }))).code).toBe("json-answer");
  });

  it("is not seen in an object on the path that is a record itself", async () => {
    const text = '{"order":{"number":"C1","status":"failed","lines":[]}}';
    expect((await readFound(text, { jsonPath: "order.lines" })).rows).toEqual([]);
  });

  it("is an export with records where the option says so", async () => {
    const text = '{"errors":[{"message":"x"}],"data":[{"cle":"F1"}]}';
    const error = await failureOf(readFound(text));
    expect(error.hint).toContain("if it is the export, --json-path data --type errors=text");
    expect((await readFound(text, { jsonPath: "data", declared: ["errors"] })).rows).toHaveLength(1);
  });

  it("is an empty export where the option that it names says that the member is no failure", async () => {
    const text = '{"status":"failed","orders":[]}';
    const error = await failureOf(readFound(text, { jsonPath: "orders" }));
    expect(error.hint).toContain("--type status=text");
    const pass = await readFound(text, { jsonPath: "orders", declared: ["status"] });
    expect(pass.rows).toEqual([]);
  });
});

describe("an export without rows", () => {
  it.each([
    '{"data":[],"total":0,"next":null}',
    '{"orders":[]}',
    "[]",
    '{"data":[],"errors":[]}',
    '{"data":[],"error":null,"success":true}',
    '{"errors":[],"data":[],"total":0}',
    '{"status":"success","code":200,"message":"OK","data":[]}',
    '{"code":0,"message":"success","data":[]}',
    '{"status":"ok","message":"No orders found","data":[]}',
    '{"errcode":0,"errmsg":"ok","items":[]}',
    '{"meta":{"status":200,"errors":0},"results":[]}',
    '{"count":0,"page":1,"results":[],"links":{}}',
    '{"took":3,"timed_out":false,"hits":[]}',
    '{"@odata.context":"https://x/$metadata#Orders","value":[]}',
  ])("is nothing to do: %s", async (text) => {
    for (const form of forms(text)) {
      for (const cut of CUTS) {
        const { rows, problems } = await readFound(form, cut === undefined ? {} : { cut });
        expect([rows, problems]).toEqual([[], []]);
      }
    }
  });
});

describe("records with a status of their own", () => {
  it.each([
    '[{"cle":"F1","status":"error","message":"late"}]',
    '{"cle":"F1","status":"error","message":"late"}',
    '{"data":[{"cle":"F1","status":"failed"}],"status":"success"}',
    '{"message":"3 orders","data":[{"cle":"F1"}]}',
  ])("are rows: %s", async (text) => {
    expect((await readFound(text)).rows).toHaveLength(1);
  });
});
