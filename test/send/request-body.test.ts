import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeRecords } from "../../src/fields/record/place-records.ts";
import { recordJson } from "../../src/model/record.ts";
import { buildBody } from "../../src/send/request-body.ts";

const place = { line: 2, key: undefined, row: 0, ordinal: 0 };
const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }));

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
          const records = placeRecords(
            values.map(() => place),
            jsons,
          );
          expect(records.map(recordJson)).toEqual(jsons);
          return records;
        });
        const kept = all.filter(() => isLeftOut.next().value !== true);
        const { before, after } = around;
        const expected = before + kept.map(recordJson).join(",") + after;
        expect(buildBody(kept, around).toString()).toBe(expected);
      }),
    );
  });
});
