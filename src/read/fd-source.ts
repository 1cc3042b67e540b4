import { read } from "node:fs";
import { promisify } from "node:util";
import type { Source } from "./open-source.ts";
import { readPacking, unpack } from "./unpack.ts";

const readAt = promisify(read);
/** Small, so that what a chunk becomes fits into the young heap of a worker. */
const CHUNK_BYTES = 16_384;

/** A file that this process has open, as another thread of it sees it. Plain data. */
export interface OpenFile {
  readonly fd: number;
  readonly name: string;
  /** Size as stored. */
  readonly bytes: number;
}

/** The source of a file that stays open elsewhere: closing it does nothing. */
export async function openFdSource({ fd, name, bytes }: OpenFile): Promise<Source> {
  const head = Buffer.alloc(4);
  const { bytesRead } = await readAt(fd, head, 0, 4, 0);
  const packing = readPacking(head.subarray(0, bytesRead));
  const open = (): AsyncIterable<Buffer> => readFrom(fd);
  return {
    name,
    bytes,
    open: packing === undefined ? open : () => unpack(open(), packing, name),
    close: async () => undefined,
  };
}

async function* readFrom(fd: number): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    // A new buffer each time: chunks are handed on without being copied.
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const { bytesRead } = await readAt(fd, buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
