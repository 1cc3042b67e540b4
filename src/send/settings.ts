import { performance } from "node:perf_hooks";

/** How records are sent; each member has its option. */
export interface SendSettings {
  /** Most records of a batch (`--batch-size`). */
  readonly batchSize: number;
  /** Most bytes of a request body, everything counted (`batchBytes`). */
  readonly batchBytes: number;
  /** How bodies are compressed (`compress`); the limits above apply to the uncompressed size. */
  readonly compress: "gzip" | undefined;
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

/** The bounds of the waits between tries. */
interface BackOff {
  /** The longest wait before the second try; it doubles with each further try. */
  readonly baseMs: number;
  /** No wait is longer. */
  readonly capMs: number;
}

/**
 * Milliseconds before try `attempt + 1`, where `attempt` counts from 1: exponential with full jitter, so that many
 * senders do not all come back at once. `random` gives a number from 0 up to, not including, 1.
 */
export function backOffMs(attempt: number, { baseMs, capMs }: BackOff, random: () => number): number {
  const ceiling = Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 52));
  return Math.round(random() * ceiling);
}

/**
 * Milliseconds that a Retry-After header asks for (RFC 9110, 10.2.3: seconds or a date); 0 for a past date,
 * `undefined` for nonsense.
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** The form that RFC 9110, 5.6.7, wants sent; nobody sends the two obsolete ones. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Time as the sender sees it, replaceable so that tests need not wait. */
export interface Clock {
  /** Milliseconds since 1970; never goes back. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is set: the caller checks the signal. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted || ms <= 0) {
        resolve();
        return;
      }
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener("abort", wake, { once: true });
    }),
};
