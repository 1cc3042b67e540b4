// Loaded into the command's process: kills it at its n-th file operation, before or after that is done.
import sync from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env.NIGHTS_KILL_AT);
const isAfter = process.env.NIGHTS_KILL_AFTER === "1";
const die = () => process.kill(process.pid, "SIGKILL");

/** True for the operation that begins now if the process dies after it; it dies before it here. */
function isLast() {
  left -= 1;
  if (left === 0 && !isAfter) die();
  return left === 0;
}

function watch(owner, name) {
  const original = owner[name];
  owner[name] = async function watched(...rest) {
    const isNow = isLast();
    try {
      return await original.apply(this, rest);
    } finally {
      if (isNow) die();
    }
  };
}

const { writeSync } = sync;
sync.writeSync = (...rest) => {
  const isNow = isLast();
  try {
    return writeSync(...rest);
  } finally {
    if (isNow) die();
  }
};

const handle = await fs.open(process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();
for (const name of ["sync", "datasync", "write", "writev", "appendFile", "writeFile", "truncate"])
  watch(prototype, name);
for (const name of [
  "rename",
  "link",
  "unlink",
  "rm",
  "rmdir",
  "mkdir",
  "writeFile",
  "appendFile",
  "copyFile",
])
  watch(fs, name);
syncBuiltinESMExports();
