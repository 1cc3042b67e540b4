import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

/** A write of bytes to a place of a file; returns how many were written. */
type Write = (fd: number, bytes: Buffer, from: number, length: number, place: number) => number;

/** Until the test ends or the result is called, `act` takes the place of Node's writes; it gets the write that it replaces. */
export function onWrite(act: (...given: [write: Write, ...Parameters<Write>]) => number): () => void {
  const { writeSync } = fs;
  const put = (write: unknown): void => {
    Object.assign(fs, { writeSync: write });
    syncBuiltinESMExports();
  };
  const restore = (): void => put(writeSync);
  put((...given: Parameters<Write>) => act(writeSync, ...given));
  onTestFinished(restore);
  return restore;
}
