/** What a test's command says of columns that nobody declared: nothing, as users' commands do, or that they are sent. */
export type SaysOfOthers = "nothing" | "send";

const WITHOUT_FILES = new Set(["resume", "runs", "sandbox", "help", "doctor", "completion"]);

/** Most tests are about something else than declarations: their commands send every column of their files. */
export function sendOthers(argv: readonly string[], says: SaysOfOthers = "send"): readonly string[] {
  const isOther =
    argv.length === 0 || argv.some((word) => WITHOUT_FILES.has(word) || word === "--other-columns");
  return says === "nothing" || isOther ? argv : [...argv, "--other-columns", "send"];
}
