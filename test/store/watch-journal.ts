import { readFileSync, readlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { onTestFinished } from "vitest";
import { onWrite } from "../support/on-write.ts";

/** The length of a journal, and the number of records applied at that moment. */
interface Moment {
  readonly bytes: number;
  readonly applied: number;
}

/** The lengths that a power failure may leave of this process's journal, and what the service held at those moments. */
export interface JournalWatch {
  /** The journal as it was last brought to disk; it goes when its run is closed. */
  readonly text: () => string;
  /** The most records that were applied while only this many bytes were on disk. */
  readonly mostAppliedAt: (bytes: number) => number;
  /** The fewest records that were applied when this many bytes were on disk. */
  readonly leastAppliedAt: (bytes: number) => number;
}

/** Until the test ends, notes the number of applied records whenever a journal grows or is brought to disk. */
export async function watchJournal(countApplied: () => number): Promise<JournalWatch> {
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const datasync: () => Promise<void> = Reflect.get(prototype, "datasync");
  const writes: Moment[] = [];
  const syncs: Moment[] = [];
  let [path, text] = ["", ""];
  const isJournal = (fd: number): boolean => {
    const name = readlinkSync(`/proc/self/fd/${fd}`);
    if (!name.endsWith("/journal")) return false;
    path = name;
    return true;
  };
  onWrite((write, fd, bytes, from, length, place) => {
    if (isJournal(fd)) writes.push({ bytes: place + length, applied: countApplied() });
    return write(fd, bytes, from, length, place);
  });
  Object.assign(prototype, {
    async datasync(this: FileHandle) {
      const { size } = await this.stat();
      await datasync.call(this);
      if (!isJournal(this.fd)) return;
      syncs.push({ bytes: size, applied: countApplied() });
      text = readFileSync(path, "utf8");
    },
  });
  onTestFinished(() => void Object.assign(prototype, { datasync }));
  return {
    text: () => text,
    mostAppliedAt: (bytes) => syncs.find((sync) => sync.bytes > bytes)?.applied ?? countApplied(),
    leastAppliedAt: (bytes) => writes.find((write) => write.bytes >= bytes)?.applied ?? 0,
  };
}
