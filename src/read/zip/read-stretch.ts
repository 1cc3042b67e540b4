import { read } from "node:fs";
import { promisify } from "node:util";

const CHUNK_BYTES = 262_144;
const readPiece = promisify(read);

/** The bytes of an open file from `at` on; fewer where the file ends. */
export async function readPart(fd: number, at: number, bytes: number): Promise<Buffer> {
  const part = Buffer.alloc(bytes);
  let have = 0;
  while (have < bytes) {
    const { bytesRead } = await readPiece(fd, part, have, bytes - have, at + have);
    if (bytesRead === 0) break;
    have += bytesRead;
  }
  return part.subarray(0, have);
}

/** A stretch of an open file, in pieces of their own. It ends early where the file does. */
export async function* readStretch(fd: number, at: number, bytes: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes;) {
    const piece = await readPart(fd, at + done, Math.min(CHUNK_BYTES, bytes - done));
    if (piece.length === 0) return;
    done += piece.length;
    yield piece;
  }
}
