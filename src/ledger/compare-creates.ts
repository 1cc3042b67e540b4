import { PRINT_BYTES } from "./comparison-form.ts";
import type { Origin, TakePrint } from "./ledger-file.ts";
import type { PrintSpool } from "./print-spool.ts";
import { partOf, PrintTable } from "./print-table.ts";

/** Bits of what is known of a create: its whole record is in the ledger. */
export const EQUAL = 1;
/** Its identity is in the ledger. */
export const IDENTIFIED = 2;
/** Its identity is in the ledger with this very record. */
export const UNCHANGED = 4;
/** The user was told before that this record differs from the one created. */
export const TOLD = 8;
/** It is not asked for: an earlier process of its run settled it. */
export const SETTLED = 16;
/** The create that it equals is in doubt. */
export const DOUBTFUL = 32;
/** A later create of the same input has its identity. */
export const REPEATED = 64;

/** Some creates that an input is compared with. */
export interface Compared extends Pick<Origin, "kind" | "run" | "identity"> {
  readonly scan: (take: TakePrint) => Promise<void>;
}

/** How many creates a source shares with the input, each counted as often as both hold it. */
interface Shared {
  readonly shared: number;
  /** Those that the input does not hold, or not so often. */
  readonly missing: number;
}

/** The creates of an input beside those of the ledger. */
export interface Comparison {
  /** By create, in file order: bits. */
  readonly states: Uint8Array;
  /** By source, in their order, as far as whole records tell. */
  readonly shared: readonly Shared[];
  /** By run: the creates of the input that it left in doubt. */
  readonly doubtful: ReadonlyMap<string, number>;
  /** Creates of the ledger that have no such identity, and that no record of the input equals. */
  readonly unidentified: number;
}

/** More creates than these are compared in parts, each with a table of its own, so that memory stays flat. */
const MOST_IN_A_TABLE = 500_000;

/**
 * Compares the creates of an input with those of the ledger, counted: of three equal rows of which the ledger holds two,
 * the third is new. With an identity, whole records are compared with creates that have none only.
 */
export async function compareCreates(
  spool: PrintSpool,
  sources: readonly Compared[],
  identity: readonly string[] | undefined,
  { isSettled, mostInATable = MOST_IN_A_TABLE }: CompareOptions = {},
): Promise<Comparison> {
  const states = new Uint8Array(spool.count);
  if (isSettled !== undefined) for (const at of states.keys()) if (isSettled(at)) states[at] = SETTLED;
  const has = (source: Compared): boolean =>
    identity !== undefined && source.identity?.join("\n") === identity.join("\n");
  const parts = Math.max(1, Math.ceil(spool.count / mostInATable));
  const counts = sources.map(() => ({ shared: 0, missing: 0 }));
  const whole = sources
    .map((source, at) => ({ source, at }))
    .filter(({ source }) => source.kind !== "changed");
  const doubtful = new Map<string, number>();
  for (let part = 0; part < parts; part++) {
    const table = await tableOf(spool, 0, part, parts, states);
    // A create that has an identity since is still among those without one: its source is older.
    const asked = whole.filter(({ source }) => (source.kind === "known") === has(source));
    await compareWhole(table, asked, counts, doubtful);
  }
  const unidentified = counts.reduce(
    (sum, { missing }, at) => (sources[at]!.kind === "known" ? sum - missing : sum + missing),
    0,
  );
  if (identity !== undefined) {
    const identified = sources.filter(has);
    for (let part = 0; part < parts; part++) {
      const table = await tableOf(spool, PRINT_BYTES, part, parts, states);
      await compareIdentities(table, identified, doubtful);
    }
  }
  return { states, shared: counts, doubtful, unidentified };
}

/** For tests, and for a run that goes on. */
interface CompareOptions {
  readonly isSettled?: ((ordinal: number) => boolean) | undefined;
  readonly mostInATable?: number;
}

/** The creates of one part of an input. */
interface Part {
  readonly table: PrintTable;
  readonly spool: PrintSpool;
  readonly states: Uint8Array;
  /** By slot: how many creates of the input have the print. */
  readonly own: Uint32Array;
  /** Calls with each create of the part that is asked for, in file order. */
  readonly each: (take: (bytes: Buffer, at: number, number: number) => void) => Promise<void>;
  readonly isIn: (bytes: Buffer, at: number) => boolean;
}

async function tableOf(
  spool: PrintSpool,
  offset: number,
  part: number,
  parts: number,
  states: Uint8Array,
): Promise<Part> {
  const isIn = (bytes: Buffer, at: number): boolean => partOf(bytes, at, parts) === part;
  const each: Part["each"] = (take) =>
    spool.scan((bytes, at, number) => {
      if ((states[number]! & SETTLED) === 0 && isIn(bytes, at + offset)) take(bytes, at + offset, number);
    });
  let prints = 0;
  await each(() => {
    prints += 1;
  });
  const table = new PrintTable(prints);
  const own = new Uint32Array(table.slots);
  const last = new Uint32Array(offset === 0 ? 0 : table.slots);
  await each((bytes, at, number) => {
    const slot = table.add(bytes, at);
    if (offset > 0) {
      if (own[slot]! > 0) states[last[slot]!]! |= REPEATED;
      last[slot] = number;
    }
    own[slot]! += 1;
  });
  return { table, spool, states, own, each, isIn };
}

async function compareWhole(
  { table, states, own, each, isIn }: Part,
  sources: readonly { readonly source: Compared; readonly at: number }[],
  counts: { shared: number; missing: number }[],
  doubtful: Map<string, number>,
): Promise<void> {
  const certain = new Uint32Array(table.slots);
  const inDoubt = new Uint32Array(table.slots);
  const doubtSource = new Uint32Array(table.slots);
  // How often the source counted in `turn` holds the print.
  const turn = new Uint32Array(table.slots);
  const held = new Uint32Array(table.slots);
  for (const { source, at: number } of sources) {
    const count = counts[number]!;
    await source.scan((bytes, at, isDoubtful) => {
      if (!isIn(bytes, at)) return;
      const slot = table.find(bytes, at);
      if (slot < 0) {
        count.missing += 1;
        return;
      }
      if (source.kind === "known") return;
      if (turn[slot] !== number + 1) {
        turn[slot] = number + 1;
        held[slot] = 0;
      }
      held[slot]! += 1;
      if (held[slot]! > own[slot]!) count.missing += 1;
      else count.shared += 1;
      if (isDoubtful) {
        inDoubt[slot]! += 1;
        doubtSource[slot] = number;
      } else certain[slot]! += 1;
    });
  }
  const runs = new Map(sources.map(({ source, at }) => [at, source.run]));
  await each((bytes, at, number) => {
    const slot = table.find(bytes, at);
    if (certain[slot]! > 0) {
      certain[slot]! -= 1;
      states[number]! |= EQUAL;
    } else if (inDoubt[slot]! > 0) {
      inDoubt[slot]! -= 1;
      states[number]! |= EQUAL | DOUBTFUL;
      addOne(doubtful, runs.get(doubtSource[slot]!)!);
    }
  });
}

/** By slot, what the ledger knows of an identity. */
async function compareIdentities(
  { table, states, each, isIn }: Part,
  sources: readonly Compared[],
  doubtful: Map<string, number>,
): Promise<void> {
  const known = new Uint8Array(table.slots);
  const doubtSource = new Uint32Array(table.slots);
  // The record that an identity was created with, and the one that was told of last.
  const created = new Int32Array(table.slots * 3);
  const told = new Int32Array(table.slots * 3);
  const put = (words: Int32Array, slot: number, bytes: Buffer, at: number): void => {
    for (let word = 0; word < 3; word++) words[slot * 3 + word] = bytes.readInt32LE(at + 4 * word);
  };
  const isSame = (words: Int32Array, slot: number, bytes: Buffer, at: number): boolean =>
    [0, 1, 2].every((word) => words[slot * 3 + word] === bytes.readInt32LE(at + 4 * word));
  for (const [number, source] of sources.entries()) {
    await source.scan((bytes, at, isDoubtful) => {
      const place = at + PRINT_BYTES;
      if (!isIn(bytes, place)) return;
      const slot = table.find(bytes, place);
      if (slot < 0) return;
      if (source.kind === "changed") {
        put(told, slot, bytes, at);
        known[slot]! |= TOLD;
        return;
      }
      put(created, slot, bytes, at);
      known[slot]! |= IDENTIFIED;
      if (isDoubtful) {
        known[slot]! |= DOUBTFUL;
        doubtSource[slot] = number;
      } else known[slot]! &= ~DOUBTFUL;
    });
  }
  await each((bytes, place, number) => {
    const slot = table.find(bytes, place);
    const state = known[slot]!;
    if ((state & IDENTIFIED) === 0) return;
    const at = place - PRINT_BYTES;
    states[number]! |= IDENTIFIED | (state & DOUBTFUL);
    if (isSame(created, slot, bytes, at)) states[number]! |= UNCHANGED;
    else if ((state & TOLD) !== 0 && isSame(told, slot, bytes, at)) states[number]! |= TOLD;
    if ((state & DOUBTFUL) !== 0) addOne(doubtful, sources[doubtSource[slot]!]!.run);
  });
}

function addOne(counts: Map<string, number>, run: string): void {
  counts.set(run, (counts.get(run) ?? 0) + 1);
}
