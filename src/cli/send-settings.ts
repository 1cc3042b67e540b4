import { given } from "../options/given.ts";
import type { OptionValues } from "../options/table.ts";
import { defaultSendSettings, type SendSettings } from "../send/settings.ts";

/** Converts the options of the group "Sending" to settings. */
export function sendSettingsOf(
  values: OptionValues,
  base: Pick<SendSettings, "redact" | "userAgent">,
): SendSettings {
  const { batchSize, batchBytes, compress, concurrency, retries, maxFailed } = values;
  const { safeStatus, atomicBatches, okMsg: okMessages } = values;
  return {
    ...defaultSendSettings,
    ...base,
    ...given({ batchSize, batchBytes, compress, retries, maxFailed }),
    ...given({ concurrency: concurrency === "auto" ? undefined : concurrency }),
    ...given({ safeStatus, atomicBatches, okMessages }),
    ...given({ hasKeys: values.idempotencyKey }),
    ...given({
      timeoutMs: values.timeout,
      maxWaitMs: values.maxWait,
      ratePerSecond: values.rate,
      lateMs: values.late,
    }),
  };
}
