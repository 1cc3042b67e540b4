/**
 * Identifies a process for good: process numbers are used again, and start anew with the machine. `space` is the
 * machine and, on Linux, its boot and the namespace in which the number counts.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly space: string;
  readonly host: string;
  /** Its start time, as the system reports it. */
  readonly startedAt: string;
}
