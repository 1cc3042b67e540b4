import { readlinkSync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { onTestFinished } from "vitest";

/** How far a journal reached, and how far the world had come. */
interface Moment {
  readonly bytes: number;
  readonly applied: number;
}

/** What a power failure may leave of the journal written in this process, against what the service held. */
export interface JournalWatch {
  /** The journal's path, once it is written. */
  readonly path: () => string;
  /** How many records were applied at most when only so many bytes were on disk. */
  readonly mostAppliedAt: (bytes: number) => number;
  /** How many records were applied at least when so many bytes were on disk. */
  readonly leastAppliedAt: (bytes: number) => number;
}

/** Notes how many records are applied whenever a journal grows and whenever it is brought to disk, until the test ends. */
export async function watchJournal(countApplied: () => number): Promise<JournalWatch> {
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const write = Reflect.get(prototype, "write") as (...given: readonly unknown[]) => unknown;
  const datasync: () => Promise<void> = Reflect.get(prototype, "datasync");
  const writes: Moment[] = [];
  const syncs: Moment[] = [];
  let path = "";
  const isJournal = ({ fd }: FileHandle): boolean => {
    const name = readlinkSync(`/proc/self/fd/${fd}`);
    if (!name.endsWith("/journal")) return false;
    path = name;
    return true;
  };
  Object.assign(prototype, {
    write(this: FileHandle, bytes: Buffer, from: number, length: number, place: number) {
      if (isJournal(this)) writes.push({ bytes: place + length, applied: countApplied() });
      return write.call(this, bytes, from, length, place);
    },
    async datasync(this: FileHandle) {
      const { size } = await this.stat();
      await datasync.call(this);
      if (isJournal(this)) syncs.push({ bytes: size, applied: countApplied() });
    },
  });
  onTestFinished(() => void Object.assign(prototype, { write, datasync }));
  return {
    path: () => path,
    mostAppliedAt: (bytes) => syncs.find((sync) => sync.bytes > bytes)?.applied ?? countApplied(),
    leastAppliedAt: (bytes) => writes.find((write) => write.bytes >= bytes)?.applied ?? 0,
  };
}
