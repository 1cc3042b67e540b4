import type { CsvChunk } from "./csv-row.ts";

/** Leaves out the last `count` rows, read or unreadable; holds as many chunks back as hold them. */
export async function* dropFooter(chunks: AsyncIterable<CsvChunk>, count: number): AsyncGenerator<CsvChunk> {
  const held: CsvChunk[] = [];
  let rows = 0;
  for await (const chunk of chunks) {
    held.push(chunk);
    rows += sizeOf(chunk);
    while (rows - sizeOf(held[0]!) >= count) {
      rows -= sizeOf(held[0]!);
      yield held.shift()!;
    }
  }
  const starts = held.flatMap(({ rows, unreadable }) => [...rows, ...unreadable].map(({ start }) => start));
  const footer = starts.sort((left, right) => left - right).at(-count) ?? 0;
  for (const { columns, rows, unreadable } of held) {
    const isAbove = ({ start }: { readonly start: number }): boolean => start < footer;
    yield { columns, rows: rows.filter(isAbove), unreadable: unreadable.filter(isAbove) };
  }
}

function sizeOf({ rows, unreadable }: CsvChunk): number {
  return rows.length + unreadable.length;
}
