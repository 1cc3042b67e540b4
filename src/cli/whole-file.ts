import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { isatty } from "node:tty";

/**
 * A stream to an open file that writes each text whole, or fails and calls `onLost`: Node ignores it if only a part was
 * written, as on a disk that becomes full. `undefined` if the descriptor is no file: the reader of a pipe, a socket or a
 * terminal may leave.
 */
export function openWholeFile(descriptor: number, onLost: (error: Error) => void): Writable | undefined {
  if (!isFile(descriptor)) return undefined;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
        done();
      } catch (error) {
        // The stream tells of it later, perhaps after the command has ended.
        onLost(error as Error);
        done(error as Error);
      }
    },
  });
}

/** True for devices too, such as /dev/null. */
function isFile(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isFile() || (found.isCharacterDevice() && !isatty(descriptor));
  } catch {
    return false;
  }
}
