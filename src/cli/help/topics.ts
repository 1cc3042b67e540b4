/** The topics of `rec-push help`, and the sections of README that make up each. */
export const TOPICS = {
  dates: ["### Dates"],
  amounts: ["### Amounts"],
  encodings: ["### Encodings"],
  "exit-codes": ["## Exit codes", "## When something goes wrong"],
  config: ["## The config file"],
  credentials: ["## Credentials and the network"],
  runs: ["## Runs: nothing lost, nothing twice", "## Files that hold yesterday's rows again"],
  sandbox: ["## The sandbox"],
  cron: ["## From cron"],
  ci: ["## In CI"],
  shards: ["## On many machines"],
} as const;

/** The name of a topic. */
export type Topic = keyof typeof TOPICS;

/** True for the name of a topic. */
export function isTopic(word: string): word is Topic {
  return Object.hasOwn(TOPICS, word);
}
