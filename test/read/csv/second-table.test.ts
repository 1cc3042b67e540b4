import { describe, expect, it } from "vitest";
import { readTable, sourceOf } from "../chunks.ts";

/** The lines of the rows, or the code of the error with its line. */
async function read(lines: readonly string[], size = 0): Promise<unknown> {
  const known = new Set(["cle", "num_commande", "date_billed", "nom"]);
  try {
    const isKnownHeader = (cell: string): boolean => known.has(cell);
    const source = sourceOf(`${lines.join("\n")}\n`, size);
    const { rows } = await readTable(source, { delimiter: ";", isKnownHeader });
    return rows.map(([line]) => line);
  } catch (error) {
    const { code, place } = error as { code: string; place: { line: number } };
    return `${code} ${place?.line}`;
  }
}

const HEADER = "cle;num_commande;date_billed";
const ROWS = ["C1;551035;2016-07-13", "C2;551036;2016-07-14", "C3;551037;2016-07-15"];
const SECOND = ["client;numero;echeance", "X9;77;2016-08-01"];

describe.each([0, 1, 7])("the header of a second table, in chunks of %i bytes", (size) => {
  it.each<[string, readonly string[], number]>([
    ["below three rows and a blank line", [HEADER, ...ROWS, "", ...SECOND], 6],
    ["below three rows and a row of blank cells", [HEADER, ...ROWS, ";;", ...SECOND], 6],
    ["below three rows", [HEADER, ...ROWS, ...SECOND], 5],
    ["below two rows", [HEADER, ...ROWS.slice(0, 2), ...SECOND], 4],
    [
      "that is no wider, above rows of words",
      [
        "cle;nom;prix;jour",
        "A1;x;640,35;10/08/2017",
        "A2;y;1,50;22/11/2019",
        "code;rue;ville;pays",
        "K1;a;Paris;FR",
      ],
      4,
    ],
    ["below one row and a blank line", [HEADER, ROWS[0]!, "", ...SECOND], 4],
    ["without a row of its own", [HEADER, ...ROWS, "", SECOND[0]!], 6],
    ["with a digit in a name", [HEADER, ...ROWS, "", "client;numero;echeance 2016", SECOND[1]!], 6],
    ["of text only", ["cle;nom", "C1;Dupont", "C2;Martin", "", "client;ville", "X9;Paris"], 5],
    [
      "where one column alone holds numbers",
      [
        "nom;num_commande;ville",
        "Dupont;1;Lyon",
        "Martin;2;Paris",
        "",
        "client;numero;pays",
        "Durand;3;Italie",
      ],
      5,
    ],
  ])("stops the run %s", async (_, lines, line) => {
    expect(await read(lines, size)).toBe(`second-table ${line}`);
  });

  it.each<[string, readonly string[]]>([
    ["a word among few rows", ["cle;nom;num_commande", "12;Pince;3", "Outils;Scie;plate", "14;Vis;4"]],
    ["names below a blank line, among names", ["nom;num_commande", "Dupont;A1", "Martin;", "", "Durand;x"]],
    ["a key with digits below a blank line", ["cle;nom", "C1;Dupont", "C2;Martin", "", "C3;Durand"]],
    ["a total below a blank line", ["cle;num_commande", "C1;1", "C2;2", "", "Total;3"]],
    ["a word below a blank line in a single column", ["cle", "C1", "C2", "", "Fin"]],
  ])("is not seen in %s", async (_, lines) => {
    const rows = lines.flatMap((text, at) => (at === 0 || text === "" ? [] : [at + 1]));
    expect(await read(lines, size)).toEqual(rows);
  });
});
