import { close, constants, open, type Stats } from "node:fs";
import { open as openHandle } from "node:fs/promises";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { isatty, ReadStream } from "node:tty";
import { promisify } from "node:util";
import { interruption, throwIfInterrupted } from "../../model/failure.ts";
import { readFrom } from "./read-from.ts";

const openFd = promisify(open);
const closeFd = promisify(close);

/** How long to wait before a reader that hangs is woken up again. */
const MS_BETWEEN_CALLS = 20;

/**
 * The bytes of a pipe, a socket or a device, which come only once. Setting the signal also ends waiting for a writer:
 * an interruption is thrown then.
 */
export async function* readStream(path: string, { mode }: Stats, stop: AbortSignal): AsyncGenerator<Buffer> {
  const type = mode & constants.S_IFMT;
  const fd = await openUnless(path, type === constants.S_IFIFO, stop);
  const stream = eventedStream(fd, type);
  if (stream === undefined) {
    yield* readDevice(fd, path, stop);
    return;
  }
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

/** A stream that waits in the event loop, because a read in a thread cannot be ended. It closes the file. */
function eventedStream(fd: number, type: number): Readable | undefined {
  if (isatty(fd)) return new ReadStream(fd);
  const isEvented = type === constants.S_IFIFO || type === constants.S_IFSOCK;
  return isEvented ? new Socket({ fd, readable: true, writable: false }) : undefined;
}

async function* readDevice(fd: number, path: string, stop: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of readFrom(fd, path, { isStream: true })) {
      throwIfInterrupted(stop);
      yield chunk;
    }
  } finally {
    await closeFd(fd);
  }
}

/**
 * Opens for reading. Opening a named pipe waits for a writer: once the signal is set, this process briefly becomes one.
 */
async function openUnless(path: string, isPipe: boolean, stop: AbortSignal): Promise<number> {
  const opening = openFd(path, "r");
  if (!isPipe) return opening;
  let timer: NodeJS.Timeout | undefined;
  const call = (): void => {
    void openHandle(path, constants.O_WRONLY | constants.O_NONBLOCK).then(
      (writer) => writer.close(),
      () => undefined,
    );
  };
  const wake = (): void => {
    call();
    timer = setInterval(call, MS_BETWEEN_CALLS);
  };
  if (stop.aborted) wake();
  else stop.addEventListener("abort", wake, { once: true });
  try {
    return await opening;
  } finally {
    clearInterval(timer);
    stop.removeEventListener("abort", wake);
  }
}
