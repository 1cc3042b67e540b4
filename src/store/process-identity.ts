import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

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
  try {
    return process.platform === "linux"
      ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
      : runQuietly("sysctl", "-n", "kern.bootsessionuuid");
  } catch {
    return randomUUID();
  }
}

function runQuietly(command: string, ...words: readonly string[]): string {
  return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
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
  try {
    if (process.platform !== "linux")
      return runQuietly("ps", "-o", "lstart=", "-p", String(pid)) || undefined;
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // proc(5): after the name, field 3 is the state and field 22 the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
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
