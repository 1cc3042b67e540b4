import type { RunFacts } from "../../src/store/run-facts.ts";
import { GivenUp } from "../../src/store/held-lock.ts";
import type { TableLock } from "../../src/store/held-lock.ts";
import type { JournalEntry } from "../../src/store/journal.ts";

/** A lock that nobody else takes. */
export function heldWith(fence: number): TableLock {
  return {
    table: { url: FACTS.identity.url },
    fence,
    found: { number: 0, sum: 0 },
    wasReleased: true,
    handOn: async () => undefined,
    noteLines: async () => undefined,
    givenUp: new GivenUp(),
    noteSending: async () => undefined,
    check: async () => undefined,
    checkAfterGap: () => undefined,
    release: async () => undefined,
  };
}

/** A run of ten creates and ten updates. */
export const FACTS: RunFacts = {
  program: "0.1.0",
  run: "20261121-031500-3f9a1c",
  command: "20261121-031500-3f9a1c",
  startedAt: "2026-11-21T03:15:00.000Z",
  olderRuns: [],
  table: "commandes",
  identity: { content: "abc", url: "http://127.0.0.1/api/items/commandes/", dbVersion: null, runKey: null },
  file: "orders.csv",
  path: "/data/orders.csv",
  options: {},
  declared: {},
  headerNames: [],
  queryNames: [],
  plan: {},
  compared: { shape: "0", hashed: [] },
  totals: { read: 20, rejected: 0, skipped: 0, updates: 10, creates: 10 },
};

/** The process of a run that nobody pushes any more. */
const GONE = { pid: 1, space: "another start", host: "elsewhere", startedAt: "1" };

export const BEGIN: JournalEntry = {
  entry: "begin",
  at: "2026-11-21T03:15:00.000Z",
  process: GONE,
};

/** An orderly end. */
export const END: JournalEntry = {
  entry: "end",
  at: "2026-11-21T03:16:00.000Z",
  end: { exitCode: 0, reason: "" },
};

export function intent(first: number, last: number, batch = 1): JournalEntry {
  return {
    entry: "intent",
    batch,
    kind: "create",
    ordinals: [[first, last]],
    lines: [first + 2, last + 2],
    prints: "",
  };
}

export function outcome(
  kind: "update" | "create",
  outcome: "accepted" | "refused" | "failed" | "inDoubt",
  [first, last]: readonly [number, number],
  batch = 1,
): JournalEntry {
  return {
    entry: "outcome",
    batch,
    kind,
    outcome,
    ordinals: [[first, last]],
    lines: [first + 2, last + 2],
    status: 200,
    msg: "Update Items OK.",
    attempts: 1,
  };
}
