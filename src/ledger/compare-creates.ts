import type { Origin } from "../store/book-entries.ts";
import { placeOfHash } from "./comparison-form.ts";
import type { TakePrint } from "./ledger-file.ts";
import { partOf, type PrintSpool, PrintTable } from "./print-table.ts";

/** A set of creates that an input is compared with. */
export interface ComparedCreates extends Pick<Origin, "kind" | "run" | "hashed"> {
  readonly scan: (take: TakePrint) => Promise<void>;
}

/** How many creates a source shares with the input; equal ones count as often as both hold them. */
interface Shared {
  readonly shared: number;
  /** Creates of the source that the input does not hold, or holds fewer times. */
  readonly missing: number;
}

/** The creates of an input compared with those of the ledger. */
export interface Comparison {
  /** One entry of bits per create, in file order. */
  readonly states: Uint8Array;
  /** One entry per source, in the same order, judged by whole records. */
  readonly shared: readonly Shared[];
  /** One entry per source: true if it holds some of the creates, judged by whole records or by identity. */
  readonly holds: readonly boolean[];
  /** By run: the creates of the input that this run left in doubt. */
  readonly doubtful: ReadonlyMap<string, number>;
  /** Creates of the ledger that have no hash of the identity and equal no record of the input. */
  readonly unidentified: number;
}

/** More creates than this are compared in parts, each with a table of its own, so that memory stays flat. */
const MOST_IN_A_TABLE = 2 ** 20;

/**
 * Compares the creates of an input with those of the ledger and counts them: if the input holds three equal rows and
 * the ledger two, the third is new. With an identity, whole records are only compared with creates that have no hash of it.
 */
export async function compareCreates(
  spool: PrintSpool,
  sources: readonly ComparedCreates[],
  identity: readonly string[] | undefined,
  { isSettled, mostInATable = MOST_IN_A_TABLE }: CompareOptions = {},
): Promise<Comparison> {
  const states = new Uint8Array(spool.count);
  if (isSettled !== undefined) for (const at of states.keys()) if (isSettled(at)) states[at] = STATE.settled;
  const own = placeOfHash(spool, identity);
  const compared = sources.map((source): Compared => {
    const place = own === undefined ? undefined : placeOfHash(source, identity);
    return { source, place, held: 0, shared: 0, holds: false };
  });
  const parts = Math.max(1, Math.ceil(spool.count / mostInATable));
  const doubtful = new Map<string, number>();
  const hasWhole = compared.some(isWhole);
  for (let part = 0; part < parts && hasWhole; part++)
    await compareWhole(await partOfSpool(spool, 0, part, parts, states), compared, doubtful);
  for (let part = 0; part < parts && own !== undefined; part++)
    await compareIdentities(await partOfSpool(spool, own, part, parts, states), own, compared, doubtful);
  const shared = compared.map(({ held, shared }) => ({ shared, missing: held - shared }));
  const unidentified = shared.reduce((sum, { missing }) => sum + missing, 0);
  return { states, shared, holds: compared.map(({ holds }) => holds), doubtful, unidentified };
}

/** For tests, and for a run that is resumed. */
interface CompareOptions {
  readonly isSettled?: ((ordinal: number) => boolean) | undefined;
  readonly mostInATable?: number;
}

interface Compared {
  readonly source: ComparedCreates;
  /** Where the hash of the identity is in its prints; `undefined` if whole records are compared. */
  readonly place: number | undefined;
  /** Its creates, if they are compared as whole records, and how many of them the input holds. */
  held: number;
  shared: number;
  holds: boolean;
}

function isWhole({ source, place }: Compared): boolean {
  return source.kind !== "changed" && place === undefined;
}

async function compareWhole(
  { table, states, own, each }: SpoolPart,
  sources: readonly Compared[],
  doubtful: Map<string, number>,
): Promise<void> {
  const certain = new Uint32Array(table.most);
  const inDoubt = new Uint32Array(table.most);
  const doubtSource = new Uint32Array(table.most);
  // How often (`times`) the source numbered in `turn` holds the print.
  const turn = new Uint32Array(table.most);
  const times = new Uint32Array(table.most);
  let hasFound = false;
  for (const [number, one] of sources.entries()) {
    if (!isWhole(one)) continue;
    one.held = 0;
    await one.source.scan((bytes, at, isDoubtful) => {
      one.held += 1;
      const entry = table.find(bytes, at);
      if (entry < 0) return;
      hasFound = true;
      if (turn[entry] !== number + 1) {
        turn[entry] = number + 1;
        times[entry] = 0;
      }
      times[entry]! += 1;
      if (times[entry]! <= own[entry]!) {
        one.shared += 1;
        one.holds = true;
      }
      if (isDoubtful) {
        inDoubt[entry]! += 1;
        doubtSource[entry] = number;
      } else certain[entry]! += 1;
    });
  }
  if (!hasFound) return;
  await each((bytes, at, number) => {
    const entry = table.find(bytes, at);
    if (certain[entry]! > 0) {
      certain[entry]! -= 1;
      states[number]! |= STATE.equal;
    } else if (inDoubt[entry]! > 0) {
      inDoubt[entry]! -= 1;
      states[number]! |= STATE.equal | STATE.doubtful;
      addOne(doubtful, sources[doubtSource[entry]!]!.source.run);
    }
  });
}

/** Sets the bits that compare each create's identity with the ledger. `own`: where its hash is in the input's prints. */
async function compareIdentities(
  { table, states, each }: SpoolPart,
  own: number,
  sources: readonly Compared[],
  doubtful: Map<string, number>,
): Promise<void> {
  const known = new Uint8Array(table.most);
  const doubtSource = new Uint32Array(table.most);
  // The record that was created with an identity, and the last differing one that was reported to the user.
  const created = new Int32Array(table.most * 3);
  const told = new Int32Array(table.most * 3);
  let hasFound = false;
  const put = (words: Int32Array, entry: number, bytes: Buffer, at: number): void => {
    for (let word = 0; word < 3; word++) words[entry * 3 + word] = bytes.readInt32LE(at + 4 * word);
  };
  const isSame = (words: Int32Array, entry: number, bytes: Buffer, at: number): boolean =>
    [0, 1, 2].every((word) => words[entry * 3 + word] === bytes.readInt32LE(at + 4 * word));
  for (const [number, one] of sources.entries()) {
    const { source, place: hash } = one;
    if (hash === undefined) continue;
    await source.scan((bytes, at, isDoubtful) => {
      const entry = table.find(bytes, at + hash);
      if (entry < 0) return;
      if (source.kind === "changed") {
        put(told, entry, bytes, at);
        known[entry]! |= STATE.told;
        return;
      }
      hasFound = true;
      one.holds = true;
      put(created, entry, bytes, at);
      known[entry]! |= STATE.identified;
      if (isDoubtful) {
        known[entry]! |= STATE.doubtful;
        doubtSource[entry] = number;
      } else known[entry]! &= ~STATE.doubtful;
    });
  }
  if (!hasFound) return;
  await each((bytes, place, number) => {
    const entry = table.find(bytes, place);
    const state = known[entry]!;
    if ((state & STATE.identified) === 0) return;
    const at = place - own;
    states[number]! |= STATE.identified | (state & STATE.doubtful);
    if (isSame(created, entry, bytes, at)) states[number]! |= STATE.unchanged;
    else if ((state & STATE.told) !== 0 && isSame(told, entry, bytes, at)) states[number]! |= STATE.told;
    if ((state & STATE.doubtful) !== 0) addOne(doubtful, sources[doubtSource[entry]!]!.source.run);
  });
}

function addOne(counts: Map<string, number>, run: string): void {
  counts.set(run, (counts.get(run) ?? 0) + 1);
}

/** The creates of one part of an input, by the number of their print in the table. */
interface SpoolPart {
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
async function partOfSpool(
  spool: PrintSpool,
  offset: number,
  part: number,
  parts: number,
  states: Uint8Array,
): Promise<SpoolPart> {
  const each: SpoolPart["each"] = (take) =>
    spool.scan((bytes, at, number) => {
      if ((states[number]! & STATE.settled) !== 0) return;
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
      if (own[entry]! > 0) states[last[entry]!]! |= STATE.repeated;
      last[entry] = number;
    }
    own[entry]! += 1;
  });
  return { table, states, own, each };
}

/** Bits about a create. */
export const STATE = {
  /** Its whole record is in the ledger. */
  equal: 1,
  /** Its identity is in the ledger. */
  identified: 2,
  /** Its identity is in the ledger with exactly this record. */
  unchanged: 4,
  /** It differs from the record created before, and the user has heard of it. */
  told: 8,
  /** The ledger is not asked about it: an earlier process of its run settled it. */
  settled: 16,
  /** The create that it equals is in doubt. */
  doubtful: 32,
  /** A later create of the same input has its identity. */
  repeated: 64,
} as const;
