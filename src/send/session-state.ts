import { type Settled, showCount } from "../model/counts.ts";
import { RecPushError } from "../model/failure.ts";
import type { RecordList } from "../model/settlement.ts";
import type { TransportFault } from "./exchange.ts";
import type { Tokens } from "./tokens.ts";
import type { Service } from "./service.ts";
import type { Clock, SendSettings } from "./settings.ts";
import type { Answer } from "./success.ts";
import type { Target } from "./target.ts";
import type { Traffic } from "./traffic.ts";

/** Facts about the service, learnt by sending. */
interface Learnt {
  /** True once something reached the service, or may have. */
  hasReached: boolean;
  /** The largest body that may be tried: halves of what was too large. */
  maxBytes: number;
  /**
   * False until a create is accepted, and after a create in doubt until the next one is accepted: until then creates go
   * one by one, each after the answer to the one before.
   */
  areCreatesProven: boolean;
}

/** State that lasts for a session: all inputs that one command pushes to one target. */
export interface SessionState {
  readonly target: Target;
  readonly settings: SendSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly service: Service;
  /** `undefined` if the target's headers hold the token. */
  readonly tokens: Tokens | undefined;
  readonly traffic: Traffic;
  readonly learnt: Learnt;
  readonly streaks: Streaks;
  readonly heldKeys: HeldKeys;
}

/** After this many single records refused in a row, the service is assumed to refuse every record. */
const MAX_REFUSED_IN_A_ROW = 20;

/** Counts what goes wrong in a row, in the order of settling; an accepted batch resets both counts. */
export class Streaks {
  readonly #maxFailed: number;
  #failed = 0;
  #refused = 0;

  constructor(maxFailed: number) {
    this.#maxFailed = maxFailed;
  }

  /** Returns the failure that stops the run once a count is full. */
  note({ outcome, records, status, msg }: Settled): RecPushError | undefined {
    switch (outcome) {
      case "accepted":
        this.#failed = 0;
        this.#refused = 0;
        return undefined;
      case "refused":
        this.#refused += records.length;
        return this.#refused < MAX_REFUSED_IN_A_ROW ? undefined : allRefused(this.#refused, status, msg);
      case "failed":
      case "inDoubt":
        this.#failed += 1;
        return this.#failed < this.#maxFailed ? undefined : keepsFailing(this.#failed, status, msg);
    }
  }
}

function allRefused(count: number, status: number | undefined, msg: string): RecPushError {
  return new RecPushError(
    "all-refused",
    `the service refused ${showCount(count, "record")} in a row, each sent alone (${status ?? "no answer"}): ${msg}`,
    {
      hint: "check the fields and their formats with rec-push check, mend the rows, and push again",
    },
  );
}

function keepsFailing(count: number, status: number | undefined, msg: string): RecPushError {
  return new RecPushError(
    "keeps-failing",
    `${count === 1 ? "a batch failed or is in doubt" : `${showCount(count, "batch")} in a row failed or are in doubt, the last one`} (${status ?? "no answer"}): ${msg}`,
    { hint: "check the service; with a higher --max-failed N the run goes on for longer" },
  );
}

/**
 * True if the service, or a queue or gateway in front of it, may apply the request after this end, because nobody has said
 * that the request is over.
 */
export function mayLandLater(end: Answer | TransportFault, safeStatus: ReadonlySet<number>): boolean {
  if (end.kind === "fault") return end.stage === "lost" || end.stage === "timeout" || end.stage === "cut";
  const { status } = end;
  if (safeStatus.has(status)) return false;
  return status === 202 || status === 408 || (status > 501 && status !== 503);
}

/** More keys than this are not remembered: the run stops, because its service is down. */
export const MAX_HELD_KEYS = 100_000;

/**
 * Keys whose later rows are held back. The keys of a failed update are held for good, so that a resume sends the rows of
 * a key in order. The keys of an update that was given up and settled by a later try are held for a while, because the
 * first request may still be applied and overwrite their values.
 */
export class HeldKeys {
  /** When each key is free again; `Infinity`: not in this session. */
  readonly #freeAtMs = new Map<string, number>();
  readonly #max: number;
  #allFreeAtMs = 0;

  constructor(max = MAX_HELD_KEYS) {
    this.#max = max;
  }

  /** Remembers the keys; false if there are too many. */
  hold(records: RecordList, untilMs: number, nowMs: number): boolean {
    for (const { key } of records) {
      if (key === undefined) continue;
      // A copy: the key may be a slice of a long text, which would otherwise stay in memory.
      this.#freeAtMs.set(structuredClone(key), Math.max(untilMs, this.#freeAtMs.get(key) ?? 0));
    }
    if (this.#freeAtMs.size <= this.#max) return true;
    for (const [key, freeAtMs] of this.#freeAtMs) if (freeAtMs <= nowMs) this.#freeAtMs.delete(key);
    return this.#freeAtMs.size <= this.#max;
  }

  /** Every update waits until then. */
  holdAll(untilMs: number): void {
    this.#allFreeAtMs = untilMs;
  }

  /** The records that are not held back for good. */
  allowed(records: RecordList): RecordList {
    if (this.#freeAtMs.size === 0) return records;
    return records.filter(({ key }) => key === undefined || this.#freeAtMs.get(key) !== Infinity);
  }

  /** Milliseconds until all of the records that are allowed may be sent. */
  waitMs(records: RecordList, nowMs: number): number {
    let untilMs = this.#allFreeAtMs;
    if (this.#freeAtMs.size > 0) {
      for (const { key } of records) {
        const freeAtMs = key === undefined ? 0 : (this.#freeAtMs.get(key) ?? 0);
        if (freeAtMs < Infinity) untilMs = Math.max(untilMs, freeAtMs);
      }
    }
    return Math.max(0, untilMs - nowMs);
  }
}
