import { RecPushError } from "../model/failure.ts";
import type { Pin, Reading } from "../model/reading.ts";

/** The reading of one input, and the options that were inferred for it because they were not given. */
export interface Inferences {
  readonly reading: Reading;
  readonly pins: readonly Pin[];
}

/** The failure if anything was inferred, with the options that would have said it, for all inputs at once. */
export function stopOnInference(inputs: readonly Inferences[]): RecPushError | undefined {
  const lines = inputs.flatMap(({ reading, pins }) =>
    pins.map(({ option, because }) => `${reading.file}: ${option} is inferred (${because})`),
  );
  const [first] = lines;
  if (first === undefined) return undefined;
  const options = new Set(inputs.flatMap(({ pins }) => pins.map(({ option }) => option)));
  return new RecPushError(
    "input",
    "inferred",
    lines.length === 1
      ? `--pinned: ${first}; nothing was sent`
      : `--pinned: ${lines.length} things are inferred; nothing was sent\n  ${lines.join("\n  ")}`,
    { options: [...options], hint: `if this is how the file is meant, add: ${[...options].join(" ")}` },
  );
}
