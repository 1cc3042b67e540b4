import { RecPushError } from "../model/failure.ts";
import type { PreparedChunk } from "./packed-chunk.ts";

/** Passes on the rows up to and including the first rejected one, and then throws an input error. */
export async function* stopAtRejected(
  chunks: AsyncIterable<PreparedChunk>,
  file: string,
): AsyncGenerator<PreparedChunk> {
  for await (const chunk of chunks) {
    const [first] = chunk.rejected;
    if (first === undefined) {
      yield chunk;
      continue;
    }
    yield {
      records: chunk.records.filter(({ rowStart }) => rowStart < first.start),
      rejected: [first],
      empty: chunk.empty.filter(({ start }) => start < first.start),
    };
    throw invalidRow(file, first.line);
  }
}

function invalidRow(file: string, line: number): RecPushError {
  return new RecPushError(
    "input",
    "invalid-row",
    `${file}:${line}: an invalid row stopped the run; the rows after it were not read and are not counted`,
    {
      hint: "--on-invalid skip leaves such rows out; without --no-survey they are found before anything is sent",
      place: { file, line },
    },
  );
}
