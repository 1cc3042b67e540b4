import { resolve } from "node:path";
import type { OptionTexts } from "../journal/run-facts.ts";
import type { RawOptions } from "./program.ts";

/**
 * The options that a run's journal keeps, so that a resume reads and sends as before. What may be secret (-H, --query)
 * is not among them, nor what is said for one command only.
 */
const KEPT: readonly string[] = [
  "format",
  "jsonPath",
  "encoding",
  "delimiter",
  "quote",
  "escape",
  "comment",
  "headerLine",
  "header",
  "skipLines",
  "skipFooter",
  "keepFooter",
  "oneTable",
  "maxRowBytes",
  "survey",
  "map",
  "drop",
  "keep",
  "type",
  "set",
  "null",
  "default",
  "required",
  "pattern",
  "oneOf",
  "dateFormat",
  "decimal",
  "timeZone",
  "empty",
  "only",
  "onRepeat",
  "onInvalid",
  "maxInvalid",
  "url",
  "auth",
  "dbVersion",
  "dbVersionIn",
  "body",
  "allowHttp",
  "batchSize",
  "batchBytes",
  "compress",
  "concurrency",
  "maxConcurrency",
  "rate",
  "timeout",
  "retries",
  "maxWait",
  "maxFailed",
  "atomicBatches",
  "safeStatus",
  "tokenEnv",
];

export function keptOptions(options: RawOptions, cwd: string): OptionTexts {
  const kept: Record<string, string | readonly string[] | boolean> = {};
  for (const name of KEPT) {
    const value = options[name];
    if (value !== undefined) kept[name] = value;
  }
  // A path counts from where the command was given.
  const { tokenFile } = options;
  if (typeof tokenFile === "string") kept["tokenFile"] = resolve(cwd, tokenFile);
  return kept;
}
