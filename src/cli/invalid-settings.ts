import { RecPushError } from "../model/failure.ts";
import type { InvalidLimit } from "../survey/survey-inputs.ts";
import type { RawOptions } from "./program.ts";
import { parsed, textOf } from "./raw-options.ts";
import { wrongValue } from "./values.ts";

/** What the options say about invalid rows. Throws usage. */
export function readInvalidSettings(options: RawOptions): {
  readonly onInvalid: "stop" | "skip";
  readonly maxInvalid: InvalidLimit | undefined;
} {
  const onInvalid = textOf(options, "onInvalid") === "skip" ? "skip" : "stop";
  const maxInvalid = parsed(options, "maxInvalid", parseInvalidLimit);
  if (maxInvalid !== undefined && onInvalid === "stop") {
    throw new RecPushError(
      "usage",
      "limit-without-skip",
      "--max-invalid is for --on-invalid skip: without it the first invalid row stops the run",
      { hint: "add --on-invalid skip, or leave --max-invalid out" },
    );
  }
  return { onInvalid, maxInvalid };
}

/** Reads `20` rows or `1.5%` of them. */
export function parseInvalidLimit(option: string, value: string): InvalidLimit {
  const [, number, percent] = /^(\d{1,12}(?:\.\d{1,6})?)(%)?$/.exec(value) ?? [];
  if (percent !== undefined && Number(number) <= 100) return { percent: Number(number) };
  if (percent === undefined && number !== undefined && !number.includes(".")) return { rows: Number(number) };
  throw wrongValue(option, value, "a number of rows such as 20, or a share of them such as 1%");
}
