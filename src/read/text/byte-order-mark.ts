/** A byte order mark at the very beginning, and the encoding it indicates. */
export interface ByteOrderMark {
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";
  readonly bytes: number;
}

/** Needs the first four bytes of the input, or all of a shorter one. */
export function readByteOrderMark(head: Buffer): ByteOrderMark | undefined {
  const [a, b, c, d] = head;
  if (a === 0xef && b === 0xbb && c === 0xbf) {
    return { encoding: "utf-8", bytes: 3 };
  }
  if (a === 0xff && b === 0xfe) {
    return c === 0 && d === 0 ? { encoding: "utf-32le", bytes: 4 } : { encoding: "utf-16le", bytes: 2 };
  }
  if (a === 0xfe && b === 0xff) {
    return { encoding: "utf-16be", bytes: 2 };
  }
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) {
    return { encoding: "utf-32be", bytes: 4 };
  }
  return undefined;
}

/** Joins the first chunks until they hold `bytes` bytes, so that a mark is never cut in two. */
export async function* joinHead(chunks: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    if (head.length + chunk.length < bytes) {
      head = Buffer.concat([head, chunk]);
      continue;
    }
    yield head.length === 0 ? chunk : Buffer.concat([head, chunk]);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) {
    yield head;
  }
}
