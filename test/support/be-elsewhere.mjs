// Loaded into the command's process: makes it look like another machine, with its own name, clock and pace.
import fs from "node:fs";
import os from "node:os";
import { syncBuiltinESMExports } from "node:module";

const { ELSEWHERE_BOOT: boot, ELSEWHERE_HOST: host, ELSEWHERE_CLOCK_MS: shift = "0" } = process.env;
const { ELSEWHERE_FASTER: faster = "1" } = process.env;

const { readFileSync } = fs;
fs.readFileSync = function readBoot(path, ...options) {
  if (boot !== undefined && path === "/proc/sys/kernel/random/boot_id") return `${boot}\n`;
  return readFileSync.call(fs, path, ...options);
};
const { hostname } = os;
os.hostname = () => host || hostname();
syncBuiltinESMExports();

const { setInterval } = globalThis;
globalThis.setInterval = (act, ms, ...more) => setInterval(act, ms / Number(faster), ...more);

const OwnDate = Date;
globalThis.Date = class extends OwnDate {
  constructor(...parts) {
    if (parts.length === 0) super(OwnDate.now() + Number(shift));
    else super(...parts);
  }

  static now() {
    return OwnDate.now() + Number(shift);
  }
};
