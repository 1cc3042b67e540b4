import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessIdentity } from "../model/process-identity.ts";

/** True for what a lock file says of its holder. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, space, host, startedAt } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  return typeof pid === "number" && [space, host, startedAt].every((text) => typeof text === "string");
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, space: ownSpace(), host: hostname(), startedAt: startOf(process.pid) ?? "" };
}

/** `unknown`: from here it cannot be seen whether that process runs. */
export function isRunning(other: ProcessIdentity): boolean | "unknown" {
  if (other.space !== ownSpace()) {
    // The same machine after a reboot: nothing of before runs any more.
    return other.host === hostname() && bootOf(other.space) !== bootOf(ownSpace()) ? false : "unknown";
  }
  return startOf(other.pid) === other.startedAt;
}

function bootOf(space: string): string {
  return space.split("/")[0] ?? "";
}

function ownSpace(): string {
  try {
    // random(4): the boot id is drawn anew at every start; pid_namespaces(7).
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot}/${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** `undefined` if no such process runs; a process that has ended but was not reaped yet does not run. */
function startOf(pid: number): string | undefined {
  if (process.platform === "linux") {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      // proc(5): after the name, field 3 is the state and field 22 the start in ticks since boot.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}
