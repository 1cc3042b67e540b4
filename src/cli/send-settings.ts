import { given } from "../options/given.ts";
import type { OptionValues } from "../options/table.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";

/** The options of the group "Sending" as settings. */
export function sendSettingsOf(
  values: OptionValues,
  base: Pick<SendSettings, "redact" | "userAgent">,
): SendSettings {
  const { batchSize, batchBytes, compress, concurrency, maxConcurrency, retries, maxFailed } = values;
  const { safeStatus, atomicBatches, retryCreates } = values;
  return {
    ...defaultSendSettings,
    ...base,
    ...given({ batchSize, batchBytes, compress, concurrency, maxConcurrency, retries, maxFailed }),
    ...given({ safeStatus, atomicBatches, retryCreates }),
    ...given({ timeoutMs: values.timeout, maxWaitMs: values.maxWait, ratePerSecond: values.rate }),
  };
}
