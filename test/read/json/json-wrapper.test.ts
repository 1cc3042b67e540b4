import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-detect.ts";
import { MemberJudge } from "../../../src/read/json/member-judge.ts";
import { CUTS, failureOf, plainRows, read } from "./json-support.ts";

const RECORD = '"cle":"F1","num_commande":"551035"';
const LINES = '"lines":[{"cle":"L1"},{"cle":"L2"}]';

/** The object written over several lines. */
const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

it("is a wrapper if it is an answer of JSON-RPC", async () => {
  const text = '{"jsonrpc":"2.0","id":7,"result":[{"a":1}]}';
  const declared = ["id"];
  expect(plainRows(await read(text, { declared }))).toEqual([["#1"]]);
});

describe("rows that are lists of cells", () => {
  const sheet = {
    range: "Feuille1!A1:C3",
    majorDimension: "ROWS",
    values: [
      ["cle", "note"],
      ["C1", "x"],
    ],
  };

  it.each([undefined, 1])("are refused, on one line as on several (%s)", async (space) => {
    const text = JSON.stringify(sheet, undefined, space);
    expect(detectJson(Buffer.from(text))).toBe("json");
    const error = await failureOf(read(text));
    expect(error.code).toBe("json-not-records");
    expect(error.message).toContain('the rows in "values" are lists of cells without names');
    expect(error.hint).toContain("export the rows as objects, or as CSV");
  });

  it("are a member like others in a record with a declared member", async () => {
    const place = {
      cle: "C1",
      shape: [
        [1, 2],
        [3, 4],
      ],
    };
    expect(detectJson(Buffer.from(JSON.stringify(place)), new MemberJudge(["cle"]))).toBe("ndjson");
    const error = await failureOf(read(JSON.stringify(place, undefined, 1), { declared: ["cle"] }));
    expect(error.code).toBe("json-record-or-wrapper");
  });
});

describe("an object with an array and a member that could be the record", () => {
  it.each([
    ["before the array", `{${RECORD},${LINES}}`, "lines"],
    ["behind the array", `{${LINES},${RECORD}}`, "lines"],
    ["beside an empty array", `{${RECORD},"tags":[]}`, "tags"],
    ["beside an array of other values", `{${RECORD},"tags":["a"]}`, "tags"],
    ["that is an object", `{"order":{${RECORD}},${LINES}}`, "lines"],
    ["that is null", `{"customer":null,${LINES}}`, "lines"],
    ["of which the name is one of an answer, too", `{"title":"x",${LINES}}`, "lines"],
  ])("asks for its reading: %s", async (_, text, array) => {
    for (const cut of CUTS) {
      const error = await failureOf(read(indented(text), cut === undefined ? {} : { cut }));
      expect(error).toMatchObject({ kind: "input", code: "json-record-or-wrapper" });
      expect(error.hint).toContain(`--format ndjson --drop ${array} sends the object as one record`);
    }
  });

  it.each([
    `{${RECORD},${LINES}}`,
    `{${RECORD},"tags":[]}`,
    `{"result":{"rows":[{"cle":"L1"}]},"cost":{"used":1}}`,
  ])("is asked about on one line as over several, unless the array is dropped: %s", (text) => {
    const [alone, withNext] = [Buffer.from(`${text}\n`), Buffer.from(`${text}\n${text}\n`)];
    expect([detectJson(alone), detectJson(withNext)]).toEqual(["json", "ndjson"]);
    expect(detectJson(alone, undefined, ["lines", "tags", "result_rows"])).toBe("ndjson");
    expect(detectJson(Buffer.from(text.replace("{", '{"_rejected_line":"1",')))).toBe("ndjson");
  });

  it("names the path to the array before the other reading", async () => {
    const { hint } = await failureOf(read(indented(`{${RECORD},${LINES}}`)));
    expect(hint).toMatch(
      /^--json-path lines sends the records in the array; or --format ndjson --drop lines /,
    );
  });

  it("is a row where the format says so, as it is with another below", async () => {
    const line = `{${RECORD},${LINES}}\n`;
    const [one, two] = [
      await read(line, { format: "ndjson" }),
      await read(line + line, { format: "ndjson" }),
    ];
    expect(plainRows(two)).toEqual([...plainRows(one), ...plainRows(one)]);
    expect(plainRows(one)).toEqual([["F1", "551035", []]]);
  });

  it.each([
    ["declared", { declared: ["total"] }, '{"total":"12","lines":[{"cle":"L1"}]}'],
    ["declared inside an object", { declared: ["ref"] }, '{"meta":{"ref":"12"},"lines":[{"cle":"L1"}]}'],
  ])("asks, too, where a name that answers have is %s", async (_, options, text) => {
    expect(plainRows(await read(text))).toEqual([["L1"]]);
    expect((await failureOf(read(text, options))).code).toBe("json-record-or-wrapper");
  });
});

describe("the answer of a service without records", () => {
  it.each([
    '{"error":"invalid_token","error_description":"expired"}',
    '{"error":{"code":401,"message":"Unauthorized"}}',
    '{"status":404,"error":"Not Found","message":"none","path":"/x","timestamp":"2016-07-05"}',
    '{"type":"about:blank","title":"Not Found","status":404,"detail":"none","instance":"/x"}',
    '{"message":"Not Found","documentation_url":"https://example.org"}',
    '{"success":false,"message":"quota"}',
    '{"errors":[{"code":"1","detail":"x"}]}',
    '{"data":[],"error":"time-out"}',
    '{"data":[{"cle":"F1"}],"error":"time-out"}',
    '{"Message":"An error has occurred.","ExceptionMessage":"x","StackTrace":"y"}',
    '{"fault":{"faultstring":"x"}}',
  ])("is refused: %s", async (text) => {
    expect(detectJson(Buffer.from(text))).toBe("json");
    for (const form of [text, indented(text)]) {
      expect(await failureOf(read(form))).toMatchObject({ kind: "input", code: "json-answer" });
    }
  });

  it("names the path to an object in it that may be the record", async () => {
    const error = await failureOf(read('{"status":"ok","data":{"cle":"F1"}}'));
    expect(error).toMatchObject({
      code: "json-answer",
      hint: expect.stringContaining("; if it is the export, --json-path data") as string,
    });
  });

  it("is no row among records", async () => {
    const pass = await read('{"cle":"F1"}\n{"error":"time-out","code":504}\n{"cle":"F2","error":"x"}\n', {
      format: "ndjson",
    });
    expect(pass.rows.map(({ line }) => line)).toEqual([1, 3]);
    expect(pass.problems).toMatchObject([{ line: 2, header: "error" }]);
  });

  it("is a row where its member is declared", async () => {
    const pass = await read('{"error":"E1"}\n', { format: "ndjson", declared: ["error"] });
    expect(pass).toMatchObject({ rows: [{ line: 1 }], problems: [] });
  });

  it("is not seen in a failure that is none", async () => {
    expect(plainRows(await read('{"data":[{"cle":"F1"}],"error":null,"success":true}'))).toEqual([["F1"]]);
  });
});

describe("the rule of wrappers", () => {
  const envelope = fc.constantFrom(
    "count",
    "total",
    "next",
    "page",
    "has_more",
    "@odata.context",
    "meta",
    "links",
  );
  const own = fc.constantFrom("cle", "num_commande", "customer", "ref", "montant", "Order No", "état");
  const scalar = fc.constantFrom<unknown>("x", 1, null, true, "");
  const members = (name: fc.Arbitrary<string>) =>
    fc.uniqueArray(fc.tuple(name, fc.oneof(scalar, fc.constant({}), fc.constant({ a: 1 }))), {
      selector: ([key]) => key,
      maxLength: 4,
    });
  const rows = fc.array(fc.constant({ cle: "L1" }), { maxLength: 3 });

  it("gives the rows of an array only where no member beside it can be of a record, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(members(envelope), members(own), rows, fc.nat(8), fc.boolean(), async (...drawn) => {
        const [around, record, list, at, isIndented] = drawn;
        const all: (readonly [string, unknown])[] = [...around, ...record];
        all.splice(at % (all.length + 1), 0, ["lines", list]);
        const text = JSON.stringify(Object.fromEntries(all), undefined, isIndented ? 2 : undefined);
        const isWrapper = record.length === 0;
        const format = detectJson(Buffer.from(text));
        expect(format).toBe("json");
        const told = isWrapper ? plainRows(await read(text)) : (await failureOf(read(text))).code;
        expect(told).toEqual(isWrapper ? list.map(() => ["L1"]) : "json-record-or-wrapper");
      }),
    );
  });
});
