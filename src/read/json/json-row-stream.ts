import type { RowChunk } from "../../model/row.ts";
import { cutIntoPieces } from "../source/block-proof.ts";
import type { JsonRowList } from "./json-row-list.ts";
import type { JsonScanner } from "./json-scan.ts";

function* drain(scanner: JsonScanner, list: JsonRowList): Generator<RowChunk> {
  while (scanner.scan()) {
    const chunk = list.take();
    if (chunk !== undefined) yield chunk;
  }
  const rest = list.hasChunk() ? list.take() : undefined;
  if (rest !== undefined) yield rest;
}

/** Feeds the scanner, whose first listener is already set, and yields what the list collects. */
export async function* streamRows(
  chunks: AsyncIterable<Buffer>,
  scanner: JsonScanner,
  list: JsonRowList,
): AsyncGenerator<RowChunk, void, undefined> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    // A chunk may be a whole file; what is kept between two size checks must not be.
    for (const piece of cutIntoPieces(chunk)) {
      waitingBytes += piece.length;
      // The beginning of a long name or value is only copied and scanned again once twice as much is available.
      if (waitingBytes < scanner.keptBytes) {
        waiting.push(Buffer.from(piece));
        continue;
      }
      scanner.feed(waiting.length === 0 ? piece : Buffer.concat([...waiting, piece]));
      waiting = [];
      waitingBytes = 0;
      yield* drain(scanner, list);
      scanner.listener.checkSize();
    }
  }
  if (waitingBytes > 0) scanner.feed(Buffer.concat(waiting));
  scanner.window.ended = true;
  yield* drain(scanner, list);
  list.judgeRows();
  const last = list.takeLast();
  if (last !== undefined) yield last;
}
