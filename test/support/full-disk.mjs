// Loaded into the command's process: the disk of the journal is full from FULL_AFTER bytes on, of which some are written.
import { readlinkSync } from "node:fs";
import { open } from "node:fs/promises";

const handle = await open(process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();
const { write } = prototype;
prototype.write = async function (bytes, from, length, at) {
  const path = at === undefined ? "" : readlinkSync(`/proc/self/fd/${this.fd}`);
  const isFull = path.endsWith("/journal") && at + length > Number(process.env.FULL_AFTER);
  if (!isFull) return write.call(this, bytes, from, length, at);
  await write.call(this, bytes, from, length - 1, at);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
};
