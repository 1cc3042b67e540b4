import { mkdir, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { RecPushError } from "../model/failure.ts";
import { syncDirectory } from "../state/sync-directory.ts";

/** Makes a directory (0700) in a place that exists, durably; nothing if it is there. Throws what node:fs throws. */
export async function makePlace(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    await syncDirectory(dirname(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
  }
}

/** Files of a plan that was cut off before it was in force. */
const OF_DRAFT = /^(?:survey-\d+|left-out-\d+-\d+|\.(?:survey|left-out|plan)[-.\w]*)$/;

/** Makes the directory of a new plan. Throws a usage error if it holds anything else than a plan that was cut off. */
export async function makePlanDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RecPushError("usage", "plan-directory", `the directory of the plan cannot be made: ${why}`, {
      hint: "name another with --out",
    });
  }
  const found = (await readdir(directory)).filter((name) => name !== "plan.draft" && !OF_DRAFT.test(name));
  if (found.length === 0) return;
  const isPlan = found.includes("plan");
  throw new RecPushError(
    "usage",
    "plan-directory",
    isPlan ? `${directory} holds a plan already` : `${directory} is not empty: it holds ${found[0]}`,
    {
      hint: isPlan
        ? "rec-push runs --plan DIR says what is left of it; name another directory with --out"
        : "name a directory that is new or empty with --out",
    },
  );
}
