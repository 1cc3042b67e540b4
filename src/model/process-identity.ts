/**
 * Identifies a process for good: process numbers are used again, and start anew with the machine. `space` is one start of
 * one machine, by a random number, and on Linux the namespace in which the number counts; machines may share their `host` name.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly space: string;
  readonly host: string;
  /** Its start time, as the system reports it. */
  readonly startedAt: string;
}
