// Loaded into the command's process: notes how long each file of its state was when it was last brought to disk.
import { appendFileSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

const handle = await open(process.argv[1] ?? process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();

for (const name of ["sync", "datasync"]) {
  const original = prototype[name];
  prototype[name] = async function noteSync(...rest) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    const stats = await this.stat();
    const result = await original.apply(this, rest);
    // Added, as a kill may come between emptying a file and writing it.
    if (stats.isFile())
      appendFileSync(join(process.env.CHAOS_SYNCED, encodeURIComponent(path)), `${stats.size}\n`);
    return result;
  };
}
