import { closeSync, openSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import { showText } from "../model/text.ts";

/** A log that a command appends to. */
interface LogFile {
  /** Takes complete lines. */
  readonly stream: Writable;
  readonly close: () => void;
}

/**
 * Opens a log, creating it if it does not exist, readable for its user only. Every write is in the file when it
 * returns, so that a crash loses none. A write that fails, for example on a full disk, never stops a push: `onLost` is
 * called once. `stamp` comes before every line. Throws a usage error.
 */
export function openLogFile(
  path: string,
  { stamp, onLost }: { readonly stamp: () => string; readonly onLost: (reason: string) => void },
): LogFile {
  const fd = openForAppending(path);
  let isOpen = true;
  let isLost = false;
  const stream = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      try {
        const lines = chunk.toString().split("\n").slice(0, -1);
        if (isOpen) writeSync(fd, lines.map((line) => `${stamp()}${line}\n`).join(""));
      } catch (error) {
        if (!isLost) onLost((error as NodeJS.ErrnoException).code ?? String(error));
        isLost = true;
      }
      done();
    },
  });
  return {
    stream,
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, "a", 0o600);
  } catch (cause) {
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    throw new RecPushError("output-place", `the log cannot go to ${showText(path, 400)}: ${code}`, {
      hint: "name a file in a directory that is there and that you may write: --log-file FILE",
      cause,
    });
  }
}
