import { describe, expect, it } from "vitest";
import { detectJson } from "../../../src/read/json/json-detect.ts";
import { CUTS, failureOf, plainRows, read } from "./json-support.ts";

const indented = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 2);

const LIST = "export or convert it as a list of records";

describe("records under their ids", () => {
  it.each([
    ["in a member", '{"orders":{"1001":{"num_commande":"1"},"1002":{"num_commande":"2"}}}', LIST],
    ["of the file", '{"1001":{"cle":"C1","n":"1"},"1002":{"cle":"C2"}}', LIST],
    ["deeper inside", '{"data":{"orders":{"7":{"cle":"C1"},"8":{"cle":"C2"}}},"count":2}', LIST],
    ["beside an empty array", '{"orders":{"7":{"cle":"C1"},"8":{"cle":"C2"}},"errors":[]}', LIST],
    ["with arrays in them", '{"7":{"cle":"C1","l":[{"a":1}]},"8":{"cle":"C2","l":[{"a":1}]}}', LIST],
    ["with letters", '{"C1":{"num_commande":"1"},"C2":{"num_commande":"2"}}', LIST],
    [
      "as Firebase makes them",
      '{"-KabcdefghijklmnopQ1":{"cle":"1"},"-KabcdefghijklmnopQ2":{"cle":"2"}}',
      LIST,
    ],
    ["of which there is one", '{"orders":{"1001":{"num_commande":"1"}}}', LIST],
    [
      "in what may be a record",
      '{"cle":"F1","lines":{"1":{"sku":"a"},"2":{"sku":"b"}}}',
      "; --format ndjson, if",
    ],
  ])("are not read as one record: %s", async (_, text, hint) => {
    expect(detectJson(Buffer.from(text))).toBe("json");
    for (const form of [text, indented(text)]) {
      for (const cut of CUTS) {
        const error = await failureOf(read(form, cut === undefined ? {} : { cut }));
        expect(error).toMatchObject({ kind: "input", code: "json-not-records" });
        expect(error.message).toContain("it looks like records under their ids");
        expect(error.hint).toContain(hint);
      }
    }
  });

  it.each([
    ["named members", '{"cle":"F1","billing":{"mail":"a"},"shipping":{"mail":"b"}}'],
    ["nothing but named members", '{"billing":{"mail":"a"},"shipping":{"mail":"b"}}'],
    ["numbered members", '{"cle":"F1","address1":{"zip":"a"},"address2":{"zip":"b"}}'],
    ["one member with a number", '{"cle":"F1","2016":{"sum":"1"},"shop":{"id":"1"}}'],
    ["members that are not alike", '{"cle":"F1","parts":{"1":{"a":"1"},"2":{"b":"1"}}}'],
  ])("are not seen in a record with objects: %s", async (_, text) => {
    expect(detectJson(Buffer.from(text))).toBe("ndjson");
    expect(plainRows(await read(indented(text)))).toHaveLength(1);
  });

  it("are one record of a file where the member is dropped or the format is named", async () => {
    const text = '{"cle":"F1","lines":{"1":{"sku":"a"},"2":{"sku":"b"}}}';
    expect(detectJson(Buffer.from(text), undefined, ["lines"])).toBe("ndjson");
    expect(plainRows(await read(text, { format: "ndjson" }))).toEqual([["F1", {}]]);
  });
});
