import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PreparedRecord, recordJson } from "../../src/model/settlement.ts";
import { buildBody } from "../../src/send/service.ts";
import { toRecord, toRecords } from "../support/to-record.ts";

const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }));

/** The records of a chunk, which share its text. */
function inOneText(jsons: readonly string[], text: Buffer = Buffer.from(jsons.join(","))): PreparedRecord[] {
  let start = 0;
  return jsons.map((json) => {
    const bytes = Buffer.byteLength(json);
    const place = { line: 2, rowStart: 0, rowEnd: 1 };
    const record = toRecord({ ...place, key: undefined, ordinal: 0, text, start, bytes });
    start += bytes + 1;
    return record;
  });
}

describe("the body of a request", () => {
  it("is the array of its records, whatever stretches they come from and whichever are left out", () => {
    const stretches = fc.array(fc.array(value, { maxLength: 6 }), { maxLength: 6 });
    const envelope = fc.constantFrom(
      { before: "[", after: "]" },
      { before: '{"database_version":"é","data":[', after: "]}" },
    );
    fc.assert(
      fc.property(stretches, envelope, fc.infiniteStream(fc.boolean()), (texts, around, isLeftOut) => {
        const all = texts.flatMap((values) => {
          const jsons = values.map((text) => JSON.stringify({ a: text.toWellFormed() }));
          const records = inOneText(jsons);
          expect(records.map(recordJson)).toEqual(jsons);
          return records;
        });
        const kept = all.filter(() => isLeftOut.next().value !== true);
        const { before, after } = around;
        const expected = before + kept.map(recordJson).join(",") + after;
        expect(buildBody(toRecords(kept), around).toString()).toBe(expected);
      }),
    );
  });

  it("takes records from the text that each is in, though one begins where another would go on", () => {
    const [first] = inOneText(['{"a":"1"}', '{"a":"2"}']);
    const [, second] = inOneText(['{"a":"3"}', '{"a":"4"}']);
    const body = buildBody(toRecords([first!, second!]), { before: "[", after: "]" });
    expect(body.toString()).toBe('[{"a":"1"},{"a":"4"}]');
  });
});
