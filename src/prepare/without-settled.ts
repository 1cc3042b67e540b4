import type { PreparedRecord } from "../model/record.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { Tally } from "../run/tally.ts";

/** Leaves out what an earlier process of the run settled: only what is certainly not applied is sent. */
export async function* withoutSettled(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  account: RunAccount,
  { isStreamed }: { readonly isStreamed?: boolean },
  tally: Tally,
): AsyncGenerator<readonly PreparedRecord[]> {
  if (account.lastBatch === 0) {
    yield* chunks;
    return;
  }
  // Outcomes of this process come in while it reads; they are behind what is read here.
  for await (const chunk of chunks) {
    const open = chunk.filter(
      ({ key, ordinal }) =>
        account.standingOf(key === undefined ? "create" : "update", ordinal) === undefined,
    );
    // Without a survey rows are counted as they are read, and these were counted when the run was taken up.
    if (isStreamed === true) tally.addRead(open.length - chunk.length);
    if (open.length > 0) yield open;
  }
}

/** Leaves out creates, which an earlier run of the same content created. */
export async function* withoutCreates(
  chunks: AsyncIterable<readonly PreparedRecord[]>,
  { isStreamed }: { readonly isStreamed?: boolean },
  tally: Tally,
): AsyncGenerator<readonly PreparedRecord[]> {
  for await (const chunk of chunks) {
    const updates = chunk.filter(({ key }) => key !== undefined);
    // With a survey they were counted as skipped before.
    if (isStreamed === true) tally.move("skipped", chunk.length - updates.length);
    if (updates.length > 0) yield updates;
  }
}
