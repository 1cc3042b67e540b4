import type { DeclaredField } from "../fields/field-options.ts";
import { RecPushError } from "../model/failure.ts";
import type { RunRequest } from "../run/run-inputs.ts";
import { readInvalidSettings } from "./invalid-settings.ts";
import type { RawOptions } from "./program.ts";
import { isSet } from "./raw-options.ts";
import { readReadOptions } from "./read-settings.ts";
import { readFieldOptions, readOnRepeat } from "./record-settings.ts";

/** What push, check and init ask of their inputs, from options and config. Throws usage. */
export function readRunRequest(
  files: readonly string[],
  options: RawOptions,
  declared: ReadonlyMap<string, DeclaredField>,
): RunRequest {
  const isStreamed = options["survey"] === false;
  const invalid = readInvalidSettings(options);
  if (isStreamed && invalid.maxInvalid !== undefined) {
    throw new RecPushError(
      "usage",
      "contradicting-options",
      "--max-invalid needs the survey, which --no-survey leaves out",
    );
  }
  return {
    files,
    read: readReadOptions(options),
    fields: readFieldOptions(options, declared),
    ...invalid,
    onRepeat: readOnRepeat(options),
    isPinned: isSet(options, "pinned"),
    isStreamed,
  };
}
