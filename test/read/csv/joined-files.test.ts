import { describe, expect, it } from "vitest";
import { readTable, sourceOf } from "../chunks.ts";

const SIZES = [0, 1, 2, 7];
const TABLE = "cle;num_commande;date_billed\nA1;1;25/07/2016\nA2;2;26/07/2016\n";
const OPEN = TABLE.slice(0, -1);
const BOM = "\uFEFF";

describe.each(SIZES)("a file joined to another, in chunks of %i bytes", (size) => {
  it.each([
    [
      "with its byte order mark and no header",
      `${TABLE}${BOM}A3;3;27/07/2016\n`,
      "begins with a byte order mark",
    ],
    ["without a line end", `${OPEN}${TABLE}`, "a header begins within this line"],
    ["without a line end, with its byte order mark", `${OPEN}${BOM}${TABLE}`, "a header begins within this"],
    [
      "without a line end, its columns in another order",
      `${OPEN}cle;date_billed;num_commande\nA3;27/07/2016;3\n`,
      "a header begins within this line",
    ],
    ["without a line end, of other columns", `${OPEN}ref;ville;nom\nA3;Lyon;x\n`, "a header begins within"],
    [
      "without a line end, where all columns hold words",
      "cle;ville;nom\nA1;Paris;x\nA2;Lyon;ycle;nom;ville\nA3;x;Nice\n",
      "a header begins within this line",
    ],
  ])("stops the run where it begins %s", async (_, text, message) => {
    await expect(readTable(sourceOf(text, size))).rejects.toThrow(message);
  });

  it.each([
    ["after a line end", `${TABLE}${TABLE}`],
    ["with its byte order mark", `${TABLE}${BOM}${TABLE}`],
  ])("is read whole where it has the same header %s", async (_, text) => {
    const { rows, headers } = await readTable(sourceOf(text, size));
    expect(rows.map(([line]) => line)).toEqual([2, 3, 5, 6]);
    expect(headers).toEqual([4]);
  });

  it("loses nothing where it has no header and only a line end is missing", async () => {
    const { rows, problems } = await readTable(sourceOf(`${OPEN}A3;3;27/07/2016\nA4;4;28/07/2016\n`, size));
    expect(rows.map(([line]) => line)).toEqual([2, 4]);
    expect(problems.map(({ line }) => line)).toEqual([3]);
  });
});
