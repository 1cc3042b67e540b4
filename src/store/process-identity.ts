import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** True if the value is a process identity as a lock file holds it. */
export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  const { pid, space, host, startedAt } = value as Partial<Record<keyof ProcessIdentity, unknown>>;
  return typeof pid === "number" && [space, host, startedAt].every((text) => typeof text === "string");
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, space: ownSpace(), host: hostname(), startedAt: startOf(process.pid) ?? "" };
}

/** `unknown`: that process cannot be seen from here. */
export function isRunning(other: ProcessIdentity): boolean | "unknown" {
  return other.space === ownSpace() ? startOf(other.pid) === other.startedAt : "unknown";
}

let space: string | undefined;

/**
 * The space in which a process number is unique: one start of one machine, whatever its name, and one namespace
 * (pid_namespaces(7)).
 */
function ownSpace(): string {
  return (space ??= `${bootId()}/${processNamespace()}`);
}

/**
 * Random, new at every start of a machine (random(4)); where the system has none, no other process counts as being in
 * the same space.
 */
function bootId(): string {
  if (process.platform === "linux") {
    try {
      return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    } catch {
      return randomUUID();
    }
  }
  for (const name of ["kern.bootsessionuuid", "kern.boottime"]) {
    try {
      const stdio = ["ignore", "pipe", "ignore"] as const;
      return execFileSync("sysctl", ["-n", name], { encoding: "utf8", stdio: [...stdio] }).trim();
    } catch {
      // Try the next one.
    }
  }
  return randomUUID();
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

/**
 * When the process started; `undefined` if no such process runs. A process that has ended but was not reaped yet does
 * not run.
 */
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

/**
 * Identifies a process for ever: process numbers are reused, and start again when the machine does. `space` stands for
 * one start of one machine, by a random number, and on Linux for the namespace in which the number is valid; machines
 * may share their `host` name.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly space: string;
  readonly host: string;
  /** Its start time, as the system reports it. */
  readonly startedAt: string;
}
