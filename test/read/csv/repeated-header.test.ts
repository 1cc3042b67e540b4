import { describe, expect, it } from "vitest";
import { readTable, sourceOf } from "../chunks.ts";

describe("a header that is repeated", () => {
  it.each([
    ["in capitals", "Créée le;commande;n", "CRÉÉE LE;COMMANDE;N"],
    ["with a first column that has no name", ";commande;ville", " ;Commande;VILLE"],
    ["in quotes behind a byte order mark", '"prix";taille;n', '\ufeff"prix";taille;n'],
    ["with quotes in its name", '"prix ""L""";taille;n', '"Prix ""L""";TAILLE;n'],
    ["after a byte order mark", "Réf;ref;n", "\ufeffRÉF;REF;N"],
  ])("is passed over %s", async (_, header, again) => {
    const source = sourceOf(`${header}\nA1;x;1\n${again}\nA2;y;2\n`);
    const { rows, headers } = await readTable(source, { headerLine: 1 });
    expect([headers, rows.map(([line]) => line)]).toEqual([[3], [2, 4]]);
  });

  it("is not seen in rows that begin like it", async () => {
    const lines = [
      "commande;Créée le;n",
      "CMD-0001;x;1",
      "commande;commande;2",
      "Commande;;",
      "créée le;y;z",
    ];
    const { rows, headers } = await readTable(sourceOf(`${lines.join("\n")}\n`), { headerLine: 1 });
    expect([headers, rows.length]).toEqual([[], 4]);
  });
});

const SIZES = [0, 1];
const TABLE = "cle;num_commande;date_billed\nA1;1;25/07/2016\nA2;2;26/07/2016\n";
const OPEN = TABLE.slice(0, -1);
const BOM = "\uFEFF";

describe.each(SIZES)("a file joined to another, in chunks of %i bytes", (size) => {
  it("stops the run where it begins with its byte order mark and no header", async () => {
    const text = `${TABLE}${BOM}A3;3;27/07/2016\n`;
    await expect(readTable(sourceOf(text, size))).rejects.toThrow("begins with a byte order mark");
  });

  it.each([
    ["with its byte order mark", `${BOM}${TABLE}`],
    ["with its columns in another order", "cle;date_billed;num_commande\nA3;27/07/2016;3\n"],
  ])("has its header rejected where a line end is missing before it, %s", async (_, joined) => {
    const { problems } = await readTable(sourceOf(`${OPEN}${joined}`, size));
    expect(problems).toMatchObject([{ line: 3, reason: "the row has 5 cells, the header has 3" }]);
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
