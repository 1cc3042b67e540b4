// Loaded into the command's process: notes how long each file of its state was when it was last brought to disk, and
// which names each directory held then.
import { appendFileSync, readdirSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";

const handle = await open(process.argv[1] ?? process.execPath);
const prototype = Object.getPrototypeOf(handle);
await handle.close();

// Appended, because a kill may come between emptying a file and writing it.
const note = (name, line) => appendFileSync(join(process.env.CHAOS_SYNCED, name), `${line}\n`);

for (const name of ["sync", "datasync"]) {
  const original = prototype[name];
  prototype[name] = async function noteSync(...rest) {
    const path = readlinkSync(`/proc/self/fd/${this.fd}`);
    const stats = await this.stat({ bigint: true });
    const names = stats.isDirectory() ? readdirSync(path) : [];
    const result = await original.apply(this, rest);
    // A file keeps its inode when it is linked or renamed.
    if (stats.isFile()) note(`file-${stats.ino}-${stats.birthtimeNs}`, stats.size);
    if (stats.isDirectory()) note(`directory-${encodeURIComponent(path)}`, JSON.stringify(names));
    return result;
  };
}
