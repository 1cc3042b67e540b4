import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecPushError } from "../../../src/model/failure.ts";
import type { CsvRows } from "../../../src/read/csv/csv-cells.ts";
import { RepeatedHeader } from "../../../src/read/csv/read-csv-rows.ts";
import { RowScanner } from "../../../src/read/csv/row-scanner.ts";
import { draws } from "../../support/draws.ts";
import { parted } from "../../support/parted.ts";
import { readTable, sourceOf } from "../chunks.ts";
import { FRENCH } from "../split.ts";

/** Some of these are as long as others and begin with the same letter. */
const NAMES = ["commande", "Créée le", "CMD-000001", "État", "Réf", "ref", "prix", "a b", 'taille "L"', ""];
const OTHERS = parted`CMD-000002|creee-le12|Etat|etats|12,50|Âge|rEf.|prim|é|"x"|xyz`;

const nameRow = fc.shuffledSubarray(NAMES, { minLength: 2 });
const name = fc.constantFrom(...NAMES);
const cell = fc.oneof(
  fc.constantFrom(...NAMES, ...OTHERS),
  name.map((text) => text.toUpperCase()),
  fc.tuple(fc.constantFrom(" ", "\ufeff", "\u00a0"), name).map((parts) => parts.join("")),
  fc.tuple(name, fc.constantFrom("\t ", " ")).map((parts) => parts.join("")),
);

/** The rows of a CSV without a line end inside a cell. */
function scanRows(rows: readonly (readonly string[])[]): CsvRows {
  const text = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(";"));
  const scanner = new RowScanner(FRENCH, { maxRowBytes: 10_000 });
  return scanner.push(Buffer.from(`${text.join("\n")}\n`)).rows;
}

/** The header's name without its case and what surrounds it. */
function plain(cell: string): string {
  return cell
    .replace(/^\ufeff/, "")
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .toLowerCase();
}

/**
 * The same on texts. With `isStrict`, another order counts only in a row whose first filled cell is one of the names: of
 * the others those that begin with an odd character are looked at too.
 */
function findByTexts(
  names: readonly string[],
  rows: CsvRows,
  isStrict: boolean,
): readonly number[] | "other" {
  const wanted = names.map(plain);
  const found: number[] = [];
  for (const { line, texts: cells } of rows) {
    const said = cells.map(plain);
    if (wanted.every((name, at) => said[at] === name)) found.push(line);
    else if (cells[0]!.startsWith("\ufeff")) return "other";
    else {
      const known = new Set(said.filter((name) => name !== "" && wanted.includes(name)));
      const first = said.find((name, at) => name !== "" || cells[at] !== "") ?? "";
      const isTelling = !isStrict || wanted.includes(first);
      if (isTelling && known.size > 1 && 2 * known.size > said.filter((name) => name !== "").length)
        return "other";
    }
  }
  return found;
}

function find(names: readonly string[], rows: CsvRows): readonly number[] | "other" {
  try {
    return new RepeatedHeader("orders.csv", 1, names).find(rows).map((index) => rows.line(index));
  } catch (error) {
    if (error instanceof RecPushError) return "other";
    throw error;
  }
}

it("a repeated header is found among rows that may begin like it", () => {
  let seen = 0;
  fc.assert(
    fc.property(
      nameRow,
      fc.array(fc.oneof(fc.array(cell, { minLength: 1, maxLength: 6 }), nameRow), { maxLength: 5 }),
      fc.nat(),
      (names, others, at) => {
        const rows = scanRows([...others, names.with(0, names[0]!.toUpperCase()), ...others.slice(at % 3)]);
        const found = find(names, rows);
        expect([findByTexts(names, rows, true), findByTexts(names, rows, false)]).toContainEqual(found);
        if (found !== "other" && found.length > 0) seen += 1;
      },
    ),
    draws(100),
  );
  expect(seen).toBeGreaterThan(15);
});

it("no row becomes text that does not begin with one of the names", () => {
  const names = ["commande", "Créée le", "ville", ""];
  const lines = ["CMD-000001|Nîmes||x", "cmd00001|ville||", "||Orléans|", "|||", "École|é|commande|"];
  const rows = scanRows(lines.map((line) => line.split("|")));
  const texts: number[] = [];
  for (const { spans } of rows) {
    const text = spans.text.bind(spans);
    spans.text = (cell) => {
      texts.push(cell);
      return text(cell);
    };
  }
  expect(find(names, rows)).toEqual([]);
  expect(texts).toEqual([]);
});

const SIZES = [0, 1, 2, 7];
const TABLE = "cle;num_commande;date_billed\nA1;1;25/07/2016\nA2;2;26/07/2016\n";
const OPEN = TABLE.slice(0, -1);
const BOM = "\uFEFF";

describe.each(SIZES)("a file joined to another, in chunks of %i bytes", (size) => {
  it("stops the run where it begins with its byte order mark and no header", async () => {
    const text = `${TABLE}${BOM}A3;3;27/07/2016\n`;
    await expect(readTable(sourceOf(text, size))).rejects.toThrow("begins with a byte order mark");
  });

  it.each([
    ["with the same columns", TABLE],
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
