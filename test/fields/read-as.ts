import { faultsError } from "../../src/fields/columns/column-faults.ts";
import { readerOf } from "../../src/fields/survey/column-format.ts";
import { collectEvidence, settleColumns } from "../../src/fields/survey/column-evidence.ts";
import type { ColumnFormat } from "../../src/fields/survey/column-format.ts";
import type { FieldType, FormatPins } from "../../src/fields/type-text.ts";
import { RecPushError } from "../../src/model/failure.ts";
import type { Cell } from "../../src/model/rows.ts";

export const DATE: FieldType = { kind: "date" };
export const AMOUNT: FieldType = { kind: "amount" };

const PLACE = {
  file: "orders.csv",
  headerLine: 1,
  isHeaderless: false,
  noun: "column",
  isSheet: false,
} as const;

/** The day on which everything here is read. */
export const TODAY = 20_261_121;

/** The settled formats of columns; throws the questions about them. */
function formatsOf(columns: Parameters<typeof settleColumns>[0]): ColumnFormat[] {
  const { formats, faults } = settleColumns(columns, "column");
  if (faults.length > 0) throw faultsError(faults, PLACE);
  return [...formats];
}

/** Settles one column alone; the first cell is in line 2. */
export function settleCells(
  cells: readonly Cell[],
  type: FieldType,
  pins: FormatPins = {},
  today = TODAY,
): ColumnFormat {
  return settleFile({ column: [type, cells] }, pins, today)[0]!;
}

/** Settles the columns of one file together. */
export function settleFile(
  file: Readonly<Record<string, readonly [type: FieldType, cells: readonly Cell[]]>>,
  pins: FormatPins = {},
  today = TODAY,
): ColumnFormat[] {
  const columns = Object.entries(file).map(([name, [type, cells]]) => {
    const evidence = collectEvidence(type, pins, name, today);
    for (const [at, cell] of cells.entries()) evidence.take(cell, at + 2);
    return { name, field: name, type, evidence };
  });
  return formatsOf(columns);
}

/** Reads cells as one column; a cell that is refused, before or after settling, gives the reason instead of a value. */
export function readCells(cells: readonly Cell[], type: FieldType, pins: FormatPins = {}): string[] {
  const evidence = collectEvidence(type, pins, "column", TODAY);
  const taken = cells.map((cell, at) => evidence.take(cell, at + 2));
  const columns = [{ name: "column", field: "column", type, evidence }];
  const [format] = formatsOf(columns);
  return cells.map((cell, at) => {
    const first = taken[at];
    const value = typeof first === "string" ? readerOf(format!.spec)(cell) : first;
    return typeof value === "string" ? value : `refused: ${value?.reason}`;
  });
}

/** Reads one cell, the only one of its column. */
export function readCell(cell: Cell, type: FieldType, pins: FormatPins = {}): string {
  return readCells([cell], type, pins)[0]!;
}

/** The same; `stopped` if its column cannot be settled. */
export function readOrStop(cell: Cell, type: FieldType, pins: FormatPins = {}): string {
  try {
    return readCell(cell, type, pins);
  } catch (error) {
    if (error instanceof RecPushError) return "stopped";
    throw error;
  }
}

/** The text about a settled format that people read. */
export function told({ format, settledBy, inferred }: ColumnFormat): unknown[] {
  return [format, settledBy, inferred];
}
