/** What the command of a test says about undeclared columns: nothing, or that they are sent. */
export type SaysOfOthers = "nothing" | "send";

const WITHOUT_FILES = new Set(["resume", "runs", "sandbox", "help", "doctor", "completion", "complete"]);

/** Adds `--other-columns send` unless the command says something itself: most tests are not about declarations. */
export function sendOthers(argv: readonly string[], says: SaysOfOthers = "send"): readonly string[] {
  const isOther =
    argv.length === 0 || argv.some((word) => WITHOUT_FILES.has(word) || word === "--other-columns");
  return says === "nothing" || isOther ? argv : [...argv, "--other-columns", "send"];
}
