import type { Cell } from "../../model/row.ts";
import { showCell } from "../cell-text.ts";
import type { PlannedColumn } from "../columns/planned-column.ts";
import type { TakeCell } from "../record/field-plan.ts";
import { quoteText } from "../../model/visible-text.ts";
import { isDecodedTwice } from "./decoded-twice.ts";
import { WidthWatch } from "./width-watch.ts";
import { readDigits } from "../digits.ts";
import { keyReader } from "../key.ts";
import { KEY_FIELD } from "../columns/known-fields.ts";
import { looksTyped, type TypedLook } from "./looks-typed.ts";
import {
  type BulkCells,
  takePlainDigits,
  takePlainEvidence,
  takePlainKey,
  takePlainText,
  TEXT_WAYS,
  unlessSampled,
} from "./plain-cells.ts";
import type { TakeBytes } from "../record/examined-field.ts";
import { type ColumnNote, TextDamage } from "./text-damage.ts";
import { TextSum } from "./text-sum.ts";
import type { SumSoFar } from "../totals/watched-columns.ts";
import { collectEvidence, type TypedColumn } from "./settle.ts";
import { readText } from "../text.ts";
import type { FieldType, FormatPins } from "../value.ts";

const SAMPLES = 3;
/** Stands for a wire value that is not known yet and is not empty. */
const NOT_YET_KNOWN = "?";

/** What the survey knows about one used column, in memory that does not grow with the rows. */
export interface ColumnWatch {
  readonly column: PlannedColumn;
  readonly type: FieldType;
  /**
   * Takes a cell for the survey; for dates and amounts this only decides whether the cell can be read, because the wire
   * value is not known yet.
   */
  readonly take: TakeCell;
  /** Takes plain cells from their bytes, as `take` does from their text. */
  readonly takeBytes: TakeBytes | undefined;
  /** The same for many rows at once; `undefined` if none of its cells is plain. */
  readonly bulk: BulkCells | undefined;
  /** True if no cell becomes a sample any more. */
  readonly isSampled: () => boolean;
  /** Present if the format has to be settled from all values. */
  readonly typed: TypedColumn | undefined;
  /** The sum of a text column that holds numbers. */
  readonly sum: SumSoFar | undefined;
  /** The type that a text column seems to have. */
  readonly looksLike: () => "date" | "amount" | undefined;
  readonly samples: readonly Cell[];
  /** Likely damage by a spreadsheet or an earlier export, as sentences that name lines. */
  readonly damage: () => readonly ColumnNote[];
}

/** Begins to watch a column that goes to a field. */
export function watchColumn(column: PlannedColumn, type: FieldType, pins: FormatPins): ColumnWatch {
  const samples: Cell[] = [];
  const field = column.field!;
  const watch = {
    column,
    type,
    samples,
    takeBytes: undefined,
    bulk: undefined,
    isSampled: () => samples.length >= SAMPLES,
    typed: undefined,
    sum: undefined,
    looksLike: () => undefined,
    damage: () => [],
  };
  const fromBytes = (take: TakeBytes): TakeBytes => unlessSampled(take, samples, SAMPLES);
  if (field === KEY_FIELD) {
    const take = sampling(keyReader(pins.keyLiterals), samples);
    return { ...watch, take, takeBytes: fromBytes(takePlainKey), bulk: { kind: "key" } };
  }
  if (type.kind === "text") {
    const look = looksTyped();
    const damage = new TextDamage(field);
    const sum = new TextSum(field);
    let twice: string | undefined;
    const take: TakeCell = (cell, line) => {
      look.add(cell);
      sum.add(cell, line);
      damage.add(cell, line);
      if (twice === undefined && typeof cell === "string" && isDecodedTwice(cell)) {
        twice = `line ${line} holds ${quoteText(cell)}, which looks like text decoded twice: export the file again, with one encoding`;
      }
      return readText(cell);
    };
    return {
      ...watch,
      take: sampling(take, samples),
      takeBytes: fromBytes(takePlainText(look, sum)),
      bulk: { kind: "text", way: () => wayOf(look, sum, damage), sum },
      sum,
      looksLike: () => (type.isCertain === true ? undefined : look.verdict()),
      damage: () => [
        ...(twice === undefined ? [] : [{ text: twice, isAlwaysShown: true as const }]),
        ...damage.notices(
          samples.some((cell) => typeof cell === "string"),
          type.isCertain === true,
        ),
      ],
    };
  }
  if (type.kind === "digits") {
    const widths = new WidthWatch();
    const take: TakeCell = (cell, line) => {
      const digits = readDigits(cell);
      if (typeof digits === "string") widths.add(digits.length, line);
      return digits;
    };
    const damage = (): ColumnNote[] => {
      const short = widths.describeShort();
      return short === undefined
        ? []
        : [{ text: `${short}: a spreadsheet may have taken leading zeros away` }];
    };
    const takeBytes = fromBytes(takePlainDigits(widths));
    return { ...watch, take: sampling(take, samples), takeBytes, bulk: { kind: "digits", widths }, damage };
  }
  const evidence = collectEvidence(type, pins, field);
  const take: TakeCell = (cell, line) => evidence.add(cell, line) ?? NOT_YET_KNOWN;
  const plain = takePlainEvidence(evidence);
  return {
    ...watch,
    take: sampling(take, samples),
    takeBytes: plain && fromBytes(plain.take),
    bulk: plain?.bulk,
    typed: { name: column.name, field, type, evidence },
  };
}

function wayOf(
  look: TypedLook,
  sum: TextSum,
  { hasTrue }: TextDamage,
): ReturnType<Extract<BulkCells, { kind: "text" }>["way"]> {
  if (look.isClosed && sum.isClosed) return hasTrue ? TEXT_WAYS.truths : TEXT_WAYS.others;
  if (look.isClosed) return TEXT_WAYS.numbers;
  return sum.isClosed ? TEXT_WAYS.open : TEXT_WAYS.amounts;
}

// Keeps the first different cells that can be taken.
function sampling(take: TakeCell, samples: Cell[]): TakeCell {
  return (cell, line) => {
    const taken = take(cell, line);
    if (samples.length < SAMPLES && typeof taken === "string" && !isSampled(cell, samples))
      samples.push(cell);
    return taken;
  };
}

function isSampled(cell: Cell, samples: readonly Cell[]): boolean {
  return samples.some((sample) => sample === cell || showCell(sample) === showCell(cell));
}
