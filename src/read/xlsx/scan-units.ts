import { isUtf8 } from "node:buffer";
import type { XmlScanner } from "./xml-scanner.ts";

/** The XML of one row, or of one shared string, is at most so long. */
const MOST_UNIT_BYTES = 32 * 1024 ** 2;

/**
 * Reads an XML document unit by unit: `takeUnit` reads one, such as a row or what is between two rows, and gives false
 * where the bytes end inside it; it then gets the same unit again with more bytes. Yields after each stretch.
 */
export async function* scanUnits(
  chunks: AsyncIterable<Buffer>,
  xml: XmlScanner,
  takeUnit: () => boolean,
): AsyncGenerator<void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isFirst = true;
  let wanted = 0;
  const scan = (): void => {
    xml.bytes = held.length === 1 ? held[0]! : Buffer.concat(held);
    xml.at = 0;
    if (isFirst) xml.checkBeginning();
    isFirst = false;
    let at = 0;
    let { depth } = xml.nesting;
    while (takeUnit()) {
      at = xml.at;
      depth = xml.nesting.depth;
    }
    xml.nesting.depth = depth;
    if (!isUtf8(xml.bytes.subarray(0, at))) throw xml.fault("it is not UTF-8");
    const rest = xml.bytes.subarray(at);
    if (rest.length > MOST_UNIT_BYTES) throw xml.fault("one row or text in it is longer than 32 MiB");
    held = [rest];
    xml.bytes = rest;
    xml.at = 0;
    heldBytes = rest.length;
    // A unit that is longer than what is there is looked at again when there is twice as much.
    wanted = 2 * rest.length;
  };
  for await (const chunk of chunks) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < wanted) continue;
    scan();
    yield;
  }
  scan();
  xml.checkEnd();
  yield;
}
