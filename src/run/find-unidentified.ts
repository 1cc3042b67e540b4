import { resolve } from "node:path";
import { hasContent } from "../finish/has-content.ts";
import type { Comparison } from "../ledger/compare-creates.ts";
import { identityFields } from "../ledger/exports-rule.ts";
import type { QuestionFacts } from "../ledger/ledger-questions.ts";
import type { LedgerSource } from "../ledger/ledger-sources.ts";
import type { RunKeeping } from "./start-run.ts";

/** Only this many files are looked at. */
const MOST_FILES = 3;

type Earlier = QuestionFacts["earlier"][number];

/** The earlier files with creates that have no identity yet and are not in the input, the latest last. */
export async function findUnidentified(
  sources: readonly LedgerSource[],
  { shared }: Pick<Comparison, "shared">,
  { cwd, exports }: Pick<RunKeeping, "cwd" | "exports">,
): Promise<QuestionFacts["earlier"]> {
  const identity = identityFields(exports)?.join("\n");
  const without = sources.filter(
    ({ kind, identity: own }, at) =>
      (kind === "created" || kind === "added") && own?.join("\n") !== identity && shared[at]!.missing > 0,
  );
  const latest = without.slice(-MOST_FILES);
  const found: Earlier[] = without
    .slice(0, -MOST_FILES)
    .map(({ run, startedAt, file }) => ({ run, startedAt, file }));
  for (const { run, startedAt, file, content } of latest) {
    const isThere = content !== undefined && (await hasContent(resolve(cwd, file), content)) === true;
    found.push({ run, startedAt, file, path: isThere ? file : undefined });
  }
  return found;
}
