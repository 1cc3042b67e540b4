import { randomBytes } from "node:crypto";

/** A name for a run that sorts by time: `20261121-031500-3f9a1c`, in UTC. */
export function nameRun(now: Date = new Date()): string {
  const [date = "", time = ""] = now.toISOString().split(/[T.]/);
  return `${date.replaceAll("-", "")}-${time.replaceAll(":", "")}-${randomBytes(3).toString("hex")}`;
}
