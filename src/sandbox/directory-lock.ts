import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { RecPushError } from "../model/failure.ts";

const heldHere = new Set<string>();

/**
 * Makes this sandbox the only one on a data directory, and returns what gives it free again. A lock whose process is
 * gone does not count. Throws a usage error where another sandbox has it.
 */
export function lockDirectory(directory: string): () => void {
  const path = join(resolve(directory), "sandbox.lock");
  if (heldHere.has(path)) throw inUse(directory, process.pid, path);
  for (;;) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: "wx", mode: 0o600 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const owner = ownerOf(path);
    if (owner !== undefined && isRunning(owner)) throw inUse(directory, owner, path);
    rmSync(path, { force: true });
  }
  heldHere.add(path);
  return () => {
    heldHere.delete(path);
    rmSync(path, { force: true });
  };
}

function ownerOf(path: string): number | undefined {
  try {
    const owner = Number(readFileSync(path, "utf8"));
    return Number.isSafeInteger(owner) && owner > 0 ? owner : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(owner: number): boolean {
  // In a container every process may get the same number again.
  if (owner === process.pid) return false;
  try {
    process.kill(owner, 0);
    return !isDefunct(owner);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** True for a process that has ended and that its parent has not asked after, as in containers without an init (Linux, proc(5)). */
function isDefunct(owner: number): boolean {
  try {
    const stat = readFileSync(`/proc/${owner}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")")).startsWith(") Z");
  } catch {
    return false;
  }
}

function inUse(directory: string, owner: number, path: string): RecPushError {
  return new RecPushError(
    "usage",
    "sandbox-data-in-use",
    `Process ${owner} runs a sandbox on ${directory}.`,
    {
      hint: `end it, give another directory, or remove ${path} where that process is no sandbox`,
    },
  );
}
