import type { Batch } from "../model/record-list.ts";
import type { RecPushError } from "../model/failure.ts";
import type { RecordKind } from "../model/record.ts";
import type { Settled } from "../model/outcome.ts";

/** A pause of all requests. */
export interface Waiting {
  readonly forMs: number;
  readonly why: string;
  /** True if the service said how long. */
  readonly isAsked: boolean;
}

/** Signals that control the sending of one input, and its callbacks. */
export interface SendOptions {
  /** When set, no new batch and no retry is sent; requests in flight finish. */
  readonly drain: AbortSignal;
  /** When set, requests in flight are cut off. */
  readonly abort: AbortSignal;
  /**
   * Awaited before a create is sent for the first time, with exactly the records of the request (a half announces
   * itself again), and their texts as they are about to be sent, separated by commas. If it throws, the run stops and the request is not sent. Records that were announced and are not among those settled
   * when sending has ended were certainly not applied.
   */
  readonly beforeCreate?: (batch: Batch, texts: Buffer) => Promise<void>;
  /** Awaited before each request, repeated ones included. If it throws, the run stops and the request is not sent. */
  readonly beforeRequest?: (kind: RecordKind) => Promise<void>;
  /**
   * Awaited with every outcome before anything relies on it; a record that is never settled was not sent. If it
   * throws, the run stops.
   */
  readonly onSettled: (settled: Settled) => Promise<void>;
  /** The number of the first batch; 1 by default. */
  readonly firstBatch?: number;
  /** How long ago updates left that an earlier command gave up: they may still land and put old values over those of this input. */
  readonly givenUpAgoMs?: number | undefined;
  /** An update that left so long ago is given up without an answer, for now or for good: it may still land. */
  readonly onGivenUp?: (agoMs: number) => void;
  /** True if no two records have the same key, so that none of them has to wait for another. */
  readonly hasDistinctKeys?: boolean;
  /** The service asks for a pause of `forMs`, which holds for all requests. */
  readonly onWaiting?: (waiting: Waiting) => void;
  /** A request is sent, for the first time or again, or has ended. */
  readonly onRequest?: (change: "sent" | "sentAgain" | "ended") => void;
}

/** How sending one input ended. */
export interface SendEnd {
  /**
   * The reason why it stopped; `undefined`: every record was sent, except those held back. Records that were never
   * settled were not sent.
   */
  readonly failure: RecPushError | undefined;
}
