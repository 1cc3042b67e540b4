import { RecPushError } from "../model/failure.ts";
import type { Pin, Reading } from "../model/reading.ts";

/** The reading of one input, and the options that were not given and had to be inferred for it. */
export interface Inferences {
  readonly reading: Reading;
  readonly pins: readonly Pin[];
}

/** The failure if anything was inferred, for all inputs at once, with the options that would have settled it. */
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
