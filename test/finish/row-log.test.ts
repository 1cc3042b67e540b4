import fc from "fast-check";
import { expect, it } from "vitest";
import { RowLog } from "../../src/finish/row-log.ts";
import type { PreparedRecord } from "../../src/model/record.ts";
import { makeDirectory } from "../support/temp-files.ts";

const key = fc.option(
  fc.oneof(fc.string(), fc.constantFrom("C1", "a b", 'a"b', "a\\b", "a\nb", "\ud800", "é")),
  {
    nil: undefined,
  },
);

it("rows are read as they were logged, whatever their keys hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(key, { minLength: 1, maxLength: 20 }), async (keys) => {
      const log = new RowLog(await makeDirectory());
      const rows = keys.map((one, at) => ({ line: at + 2, key: one, ordinal: at }));
      const records = rows.map((row): PreparedRecord => ({
        ...row,
        rowStart: row.line,
        rowEnd: row.line,
        text: Buffer.alloc(0),
        start: 0,
        bytes: 0,
      }));
      await log.add(0, { records, leftOut: [], rejected: [], empty: [] });
      const found: unknown[] = [];
      for await (const some of log.read(0)) found.push(...some);
      expect(found).toEqual(rows);
      await log.remove();
    }),
  );
});
