import { given } from "../options/given.ts";
import type { OptionValues } from "../options/table.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";

/** How long services are assumed to remember keys. */
const KEY_TTL_MS = 24 * 60 * 60_000;

/** Converts the options of the group "Sending" to settings. */
export function sendSettingsOf(
  values: OptionValues,
  base: Pick<SendSettings, "redact" | "userAgent">,
): SendSettings {
  const { batchSize, batchBytes, compress, concurrency, maxConcurrency, retries, maxFailed } = values;
  const { safeStatus, atomicBatches, retryCreates, okMsg: okMessages } = values;
  return {
    ...defaultSendSettings,
    ...base,
    ...given({ batchSize, batchBytes, compress, concurrency, maxConcurrency, retries, maxFailed }),
    ...given({ safeStatus, atomicBatches, retryCreates, okMessages }),
    keyTtlMs: keyTtlOf(values),
    ...given({
      timeoutMs: values.timeout,
      maxWaitMs: values.maxWait,
      ratePerSecond: values.rate,
      lateMs: values.late,
    }),
  };
}

/** How long the service remembers keys, in milliseconds; `undefined`: creates carry none. */
export function keyTtlOf({ idempotencyKey = false, idempotencyTtl }: OptionValues): number | undefined {
  return idempotencyKey ? (idempotencyTtl ?? KEY_TTL_MS) : undefined;
}
