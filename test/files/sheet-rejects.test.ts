import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldPlan } from "../../src/fields/record/field-plan.ts";
import { SheetRejects } from "../../src/files/write-rows.ts";
import type { Reading } from "../../src/model/reading.ts";
import { cutBytesAt } from "../read/chunks.ts";

const COLUMNS = ["a", "b", "c"];
const ADDED = [3, "b", 'is no "date"'];

async function rejectOf(texts: readonly string[]): Promise<string> {
  const plan = { fields: [], parts: { specs: [] } } as unknown as FieldPlan;
  const rejects = new SheetRejects({ columns: COLUMNS } as unknown as Reading, plan, undefined);
  const row = texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(",");
  const pieces: Buffer[] = [];
  for await (const piece of rejects.row(cutBytesAt(Buffer.from(`${row}\n`), 7), ADDED)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe("a rejected row of a workbook", () => {
  it("has all its cells, whatever is in them", async () => {
    const text = fc.oneof(
      fc.constantFrom("A1", "Orléans", "5 €", "😀", 'say "x"', "", "a\nb", "\ufeff"),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 3, maxLength: 3 }), async (texts) => {
        const [row] = parse(await rejectOf(texts), { recordDelimiter: "\n", delimiter: ";" });
        expect(row).toEqual(["3", "b", 'is no "date"', ...texts]);
      }),
    );
  });
});
