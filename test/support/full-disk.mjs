// Loaded into the command's process: the disk of the journal is full from FULL_AFTER bytes on, of which some are written.
import fs, { readlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const { writeSync } = fs;
fs.writeSync = (fd, bytes, from, length, at) => {
  const path = at === undefined ? "" : readlinkSync(`/proc/self/fd/${fd}`);
  const isFull = path.endsWith("/journal") && at + length > Number(process.env.FULL_AFTER);
  if (!isFull) return writeSync(fd, bytes, from, length, at);
  writeSync(fd, bytes, from, length - 1, at);
  throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
};
syncBuiltinESMExports();
