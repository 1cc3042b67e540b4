import type { InputPart } from "../survey/input-part.ts";
import type { PreparedChunk } from "./packed-chunk.ts";

/** The rows of a part. Where that is known, what comes after it is not read. */
export async function* onlyPart(
  chunks: AsyncIterable<PreparedChunk> | Iterable<PreparedChunk>,
  { from, to, holdsKey }: InputPart,
): AsyncGenerator<PreparedChunk> {
  const isIn = (start: number): boolean => start >= from && start < to;
  for await (const { records, rejected, empty } of chunks) {
    const last = Math.max(
      records.at(-1)?.rowStart ?? -1,
      rejected.at(-1)?.start ?? -1,
      empty.at(-1)?.start ?? -1,
    );
    yield {
      records: records.filter(({ key, rowStart }) =>
        key === undefined || holdsKey === undefined ? isIn(rowStart) : holdsKey(key),
      ),
      rejected: rejected.filter(({ start }) => isIn(start)),
      empty: empty.filter(({ start }) => isIn(start)),
    };
    if (holdsKey === undefined && last >= to) return;
  }
}
