import { randomBytes } from "node:crypto";
import { constants, createReadStream, openSync, type Stats } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import { showInteger } from "../../model/counts.ts";
import { interruption, RecPushError, throwIfInterrupted } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { StoredFile } from "./source.ts";

/**
 * The bytes of a pipe, a socket or a device, which come only once. Setting the signal also ends waiting for a writer:
 * an interruption is thrown then.
 */
export async function* readStream(path: string, { mode }: Stats, stop: AbortSignal): AsyncGenerator<Buffer> {
  const stream = openStream(path, mode & constants.S_IFMT);
  const end = (): void => void stream.destroy();
  stop.addEventListener("abort", end, { once: true });
  try {
    throwIfInterrupted(stop);
    for await (const chunk of stream) yield chunk as Buffer;
    throwIfInterrupted(stop);
  } catch (error) {
    throw stop.aborted ? interruption() : error;
  } finally {
    stop.removeEventListener("abort", end);
    stream.destroy();
  }
}

/**
 * A stream that closes the file. Where it can, it waits in the event loop, for the writer of a named pipe too, because a
 * read or an open in a thread cannot be ended.
 */
function openStream(path: string, type: number): Readable {
  const fd = openSync(path, constants.O_RDONLY | (type === constants.S_IFIFO ? constants.O_NONBLOCK : 0));
  if (isatty(fd)) return new ReadStream(fd);
  const isEvented = type === constants.S_IFIFO || type === constants.S_IFSOCK;
  return isEvented ? new Socket({ fd, readable: true, writable: false }) : createReadStream("", { fd });
}

/** The most bytes of an input that are copied unless `maxInputBytes` says otherwise. */
const DEFAULT_MAX_INPUT_BYTES = 64 * 1024 ** 3;

/** Where an input is copied to, and how much of it: it may never end. */
interface SpoolPlace {
  /** The input, for messages. */
  readonly name: string;
  readonly spoolDirectory: string;
  readonly maxInputBytes?: number | undefined;
  /** An interruption is thrown once it is set. */
  readonly stop?: AbortSignal | undefined;
}

/**
 * Copies all chunks to a new file (mode 0600) in the directory. Throws a machine error if that fails, and an input error if
 * they are too long. Closing the copy deletes it unless it is kept.
 */
export async function spool(
  chunks: AsyncIterable<Uint8Array | string>,
  { name, spoolDirectory, maxInputBytes = DEFAULT_MAX_INPUT_BYTES, stop }: SpoolPlace,
): Promise<Required<StoredFile>> {
  const path = join(spoolDirectory, `input-${randomBytes(12).toString("hex")}`);
  const orCannot = <T>(writing: Promise<T>, place = spoolDirectory): Promise<T> =>
    writing.catch((error: unknown) => {
      throw cannotSpool(place, error);
    });
  const handle = await orCannot(open(path, "wx+", 0o600));
  let isKept = false;
  async function keep(place: string): Promise<void> {
    await orCannot(handle.datasync());
    await orCannot(rename(path, place), place);
    isKept = true;
  }
  async function close(): Promise<void> {
    await handle.close();
    if (!isKept) await rm(path, { force: true });
  }
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      if (stop !== undefined) throwIfInterrupted(stop);
      const data = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      bytes += data.length;
      if (bytes > maxInputBytes) throw tooLong(name, maxInputBytes);
      await orCannot(handle.appendFile(data));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { fd: handle.fd, name, bytes, keep, close };
}

function tooLong(file: string, maxBytes: number): RecPushError {
  return inputError(
    { file },
    "too-long",
    `it is longer than ${showInteger(maxBytes)} bytes, and an input that can be read only once is copied first`,
    { hint: 'if it has an end: "maxInputBytes" in the table\'s section of the config allows more' },
  );
}

function cannotSpool(directory: string, cause: unknown): RecPushError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RecPushError("cannot-spool", `the input cannot be kept in ${directory}: ${why}`, {
    hint: "free space there, name another place in TMPDIR, or give a file in place of a pipe: files are not copied",
    cause,
  });
}
