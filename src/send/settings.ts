import type { Compression } from "./request-body.ts";
import type { BackOff } from "./retry.ts";

/** How records are sent; each member has its option. */
export interface SendSettings {
  /** Most records of a batch (`--batch-size`). */
  readonly batchSize: number;
  /** Most bytes of a request body, everything counted (`--batch-bytes`). */
  readonly batchBytes: number;
  /** How bodies are compressed (`--compress`); the limits above apply to the uncompressed size. */
  readonly compress: Compression | undefined;
  /** Requests in flight at once; with `most`: as many as the service can handle, and no more than that (`--concurrency`). */
  readonly concurrency: number | { readonly most: number };
  /** Most milliseconds from connecting to the last byte of the answer; `undefined`: 60 s for updates, 300 s for creates. */
  readonly timeoutMs: number | undefined;
  /** Tries after the first (`--retries`). */
  readonly retries: number;
  readonly backOff: BackOff;
  /** The most milliseconds, in total, that a run waits because the service asks for it (`--max-wait`). */
  readonly maxWaitMs: number;
  /**
   * How long later rows wait after an update of the same key if one of its tries was given up before it was settled
   * (`--late`).
   */
  readonly lateMs: number;
  /** Requests per second, over all connections (`--rate`); `undefined`: no limit. */
  readonly ratePerSecond: number | undefined;
  /** The run stops after this many batches in a row that failed or are in doubt (`--max-failed`). */
  readonly maxFailed: number;
  /** 5xx statuses and 408 that mean that the service has certainly applied nothing (`--safe-status`). */
  readonly safeStatus: ReadonlySet<number>;
  /** The service applies all records of a batch or none (`--atomic-batches`). */
  readonly atomicBatches: boolean;
  /** Texts of `msg` that mean success, beside the specified one (`--ok-msg`). */
  readonly okMessages: readonly string[];
  /** Creates carry a key, under which they are sent again (`--idempotency-key`). */
  readonly hasKeys: boolean;
  /** The `user-agent` header, such as `rec-push/1.0.0`. */
  readonly userAgent: string;
  /** Hides secrets; applied to every text that comes from the service or from an error. */
  readonly redact: (text: string) => string;
}

/** The defaults of the options. */
export const defaultSendSettings: Omit<SendSettings, "userAgent" | "redact"> = {
  batchSize: 500,
  batchBytes: 1024 * 1024,
  compress: undefined,
  concurrency: { most: 32 },
  timeoutMs: undefined,
  retries: 4,
  backOff: { baseMs: 500, capMs: 30_000 },
  maxWaitMs: 15 * 60_000,
  lateMs: 30_000,
  ratePerSecond: undefined,
  maxFailed: 5,
  safeStatus: new Set(),
  atomicBatches: false,
  okMessages: [],
  hasKeys: false,
};
