import type { Counts } from "../model/event.ts";
import type { RunAccount } from "./run-account.ts";

/** The rows of a run by outcome; `rows` is the number of rows read so far. */
export function countRun(
  account: RunAccount,
  rows: { readonly read: number; readonly rejected: number; readonly skipped: number },
): Counts {
  const [accepted, refused] = [account.count("accepted"), account.count("refused")];
  const [failed, inDoubt] = [account.count("failed"), account.count("inDoubt")];
  const { read, rejected, skipped } = rows;
  const notSent = read - rejected - skipped - accepted - refused - failed - inDoubt;
  return { accepted, refused, failed, inDoubt, rejected, skipped, notSent };
}
