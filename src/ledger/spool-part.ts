import { REPEATED, SETTLED } from "./create-bits.ts";
import type { PrintSpool } from "./print-spool.ts";
import { partOf, PrintTable } from "./print-table.ts";

/** The creates of one part of an input, by the number of their print in the table. */
export interface SpoolPart {
  readonly table: PrintTable;
  readonly states: Uint8Array;
  /** How many creates of the input have the print. */
  readonly own: Uint32Array;
  /** Calls `take` with each create of the part that is to be compared, in file order. */
  readonly each: (take: (bytes: Buffer, at: number, number: number) => void) => Promise<void>;
}

/**
 * The prints at `offset` of the prints of a spool that belong to a part, and a table of them. Sets the bit of each create whose
 * identity comes again later.
 */
export async function partOfSpool(
  spool: PrintSpool,
  offset: number,
  part: number,
  parts: number,
  states: Uint8Array,
): Promise<SpoolPart> {
  const each: SpoolPart["each"] = (take) =>
    spool.scan((bytes, at, number) => {
      if ((states[number]! & SETTLED) !== 0) return;
      if (partOf(bytes, at + offset, parts) === part) take(bytes, at + offset, number);
    });
  let prints = 0;
  if (parts === 1) prints = spool.count;
  else
    await each(() => {
      prints += 1;
    });
  const table = new PrintTable(prints);
  const own = new Uint32Array(table.most);
  const last = new Uint32Array(offset === 0 ? 0 : table.most);
  await each((bytes, at, number) => {
    const entry = table.add(bytes, at);
    if (offset > 0) {
      if (own[entry]! > 0) states[last[entry]!]! |= REPEATED;
      last[entry] = number;
    }
    own[entry]! += 1;
  });
  return { table, states, own, each };
}
