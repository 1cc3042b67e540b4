import { isUtf8 } from "node:buffer";
import type { XmlScanner } from "./xml-scanner.ts";

/** The XML of one row, or of one shared string, is at most so long. */
const MOST_UNIT_BYTES = 8 * 1024 ** 2;
/** A stretch of an unpacked part, and what was left of the one before. */
const FIRST_BYTES = 524_288;

/**
 * Reads an XML document unit by unit: `takeUnit` reads one, such as a row or what is between two rows, and gives false
 * where the bytes end inside it; it then gets the same unit again with more bytes. Yields after each stretch, and where
 * `isFull` says so after a unit: a few bytes may name a long text many times.
 */
export async function* scanUnits(
  chunks: AsyncIterable<Buffer>,
  xml: XmlScanner,
  takeUnit: () => boolean,
  isFull: () => boolean = () => false,
): AsyncGenerator<void> {
  // One buffer for the whole document: a new one for each stretch would wait for the garbage collector.
  let held = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let heldBytes = 0;
  let isFirst = true;
  let wanted = 0;
  /** False if it stopped before the end of the bytes. */
  const scan = (): boolean => {
    xml.bytes = held.subarray(0, heldBytes);
    xml.at = 0;
    if (isFirst) xml.checkBeginning();
    isFirst = false;
    let at = 0;
    let { depth } = xml.nesting;
    let isDone = true;
    while (isDone && takeUnit()) {
      at = xml.at;
      depth = xml.nesting.depth;
      isDone = !isFull();
    }
    xml.nesting.depth = depth;
    if (!isUtf8(xml.bytes.subarray(0, at))) throw xml.fault("it is not UTF-8");
    const rest = heldBytes - at;
    if (rest > MOST_UNIT_BYTES) throw xml.fault("one row or text in it is longer than 8 MiB");
    held.copyWithin(0, at, heldBytes);
    heldBytes = rest;
    xml.bytes = held.subarray(0, rest);
    xml.at = 0;
    // A unit that is longer than what is there is looked at again when there is twice as much.
    wanted = isDone ? 2 * rest : 0;
    return isDone;
  };
  for await (const chunk of chunks) {
    if (heldBytes + chunk.length > held.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (heldBytes + chunk.length));
      held.copy(larger, 0, 0, heldBytes);
      held = larger;
    }
    chunk.copy(held, heldBytes);
    heldBytes += chunk.length;
    if (heldBytes < wanted) continue;
    while (!scan()) yield;
    yield;
  }
  while (!scan()) yield;
  xml.checkEnd();
  yield;
}
