import type { RecordKind } from "../../src/model/settlement.ts";
import type { Draw } from "./random.ts";

/** A row of a chaos file. Its number identifies it in the service. */
export interface ChaosRow {
  readonly line: number;
  readonly kind: RecordKind;
  /** Its position among the updates or the creates. */
  readonly ordinal: number;
  readonly key: string | undefined;
  readonly number: string;
  /** The service refuses it in every batch. */
  readonly isBad: boolean;
}

/** Creates, updates and, unless `areDistinct`, repeated keys in any order, a few of them bad. */
export function drawRows(draw: Draw, areDistinct = false): ChaosRow[] {
  const keys = draw.between(10, 120);
  const createsPercent = draw.between(10, 80);
  const counts = { create: 0, update: 0 };
  return Array.from({ length: draw.between(150, 500) }, (_, at) => {
    const kind = draw.percent(createsPercent) ? "create" : "update";
    return {
      line: at + 2,
      kind,
      ordinal: counts[kind]++,
      key: kind === "update" ? `K${areDistinct ? at : draw.between(1, keys)}` : undefined,
      number: String(100_000 + at),
      isBad: draw.percent(1),
    };
  });
}

/** A column that is left out of the records. It makes the file so large that a thread prepares them. */
export const FILLER = "remplissage";
const LARGE_BYTES = 5_000_000;

/** The rows as a CSV file. */
export function toCsv(rows: readonly ChaosRow[], isLarge: boolean): string {
  const filler = "x".repeat(isLarge ? LARGE_BYTES / rows.length : 1);
  const lines = rows.map(({ key = "", number, isBad }) =>
    [key, number, isBad ? "bad" : "good", filler].join(),
  );
  return `${["cle,num_commande,etat", FILLER].join()}\n${lines.join("\n")}\n`;
}
