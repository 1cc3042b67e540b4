import { given } from "../options/given.ts";
import type { OptionValues } from "../options/table.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";

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
    ...given({ hasKeys: values.idempotencyKey }),
    ...given({
      timeoutMs: values.timeout,
      maxWaitMs: values.maxWait,
      ratePerSecond: values.rate,
      lateMs: values.late,
    }),
  };
}
