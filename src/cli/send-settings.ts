import { defaultSendSettings, type SendSettings } from "../send/settings.ts";
import type { Compression } from "../send/request-body.ts";
import type { RawOptions } from "./program.ts";
import { given, isSet, parsed, textsOf } from "./raw-options.ts";
import { parseBytes, parseConcurrency, parseCount, parseDuration, parseRate, wrongValue } from "./values.ts";

/** The options of section "Sending" as settings. Throws usage. */
export function readSendSettings(
  options: RawOptions,
  base: Pick<SendSettings, "redact" | "userAgent">,
): SendSettings {
  return {
    ...defaultSendSettings,
    ...base,
    ...given({
      batchSize: parsed(options, "batchSize", parseCount),
      batchBytes: parsed(options, "batchBytes", parseBytes),
      compress: parsed(options, "compress", parseCompression),
      concurrency: parseInFlight(options),
      maxConcurrency: parsed(options, "maxConcurrency", parseCount),
      timeoutMs: parsed(options, "timeout", parseTimeout),
      retries: parsed(options, "retries", (option, value) => parseCount(option, value, 0)),
      maxWaitMs: parsed(options, "maxWait", parseDuration),
      ratePerSecond: parsed(options, "rate", parseRate),
      maxFailed: parsed(options, "maxFailed", parseCount),
    }),
    safeStatus: new Set(textsOf(options, "safeStatus").flatMap(parseStatuses)),
    atomicBatches: isSet(options, "atomicBatches"),
    retryCreates: isSet(options, "retryCreates"),
  };
}

function parseInFlight(options: RawOptions): SendSettings["concurrency"] | undefined {
  const concurrency = parsed(options, "concurrency", parseConcurrency);
  const most = parsed(options, "maxConcurrency", parseCount);
  if (typeof concurrency === "number" && most !== undefined && concurrency > most) {
    throw wrongValue("--concurrency", `${concurrency}`, `no more than --max-concurrency ${most}, or auto`);
  }
  return concurrency;
}

function parseTimeout(option: string, value: string): number {
  const ms = parseDuration(option, value);
  if (ms > 0) return ms;
  throw wrongValue(option, value, "a time above 0, such as 60s");
}

function parseCompression(option: string, value: string): Compression {
  if (value === "gzip") return value;
  throw wrongValue(option, value, "gzip");
}

/** Statuses whose outcome is open unless the user knows the service: 408 and 5xx. */
function parseStatuses(text: string): number[] {
  return text.split(",").map((part) => {
    const status = part.trim();
    if (/^(408|5\d\d)$/.test(status)) return Number(status);
    throw wrongValue("--safe-status", text, "408 or statuses from 500 to 599, such as 503");
  });
}
