import { readJournal } from "../journal/read-journal.ts";
import { NumberRanges } from "../journal/number-ranges.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { TakePrint } from "./ledger-file.ts";

/**
 * Passes on the prints of those creates of a run that the service accepted or may have, each once. `width` is the
 * size of a print in bytes. `account` is that of the same journal.
 */
export async function scanJournal(
  path: string,
  account: RunAccount,
  width: number,
  take: TakePrint,
): Promise<void> {
  const seen = new NumberRanges();
  await readJournal(path, (entry) => {
    if (entry.entry !== "intent" || entry.kind !== "create") return;
    const prints = Buffer.from(entry.prints, "base64");
    let at = -width;
    for (const [first, last] of entry.ordinals) {
      for (let ordinal = first; ordinal <= last; ordinal++) {
        at += width;
        const standing = account.standingOf("create", ordinal);
        if ((standing !== "accepted" && standing !== "inDoubt") || seen.has(ordinal)) continue;
        take(prints, at, standing === "inDoubt");
      }
      seen.add([first, last]);
    }
  });
}
