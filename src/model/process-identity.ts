/**
 * Which process this is, for good: numbers of processes are used again, and start anew with the machine. `space` is the
 * machine and, on Linux, its boot and the namespace in which the number counts.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly space: string;
  readonly host: string;
  /** When it was started, as the system tells it. */
  readonly startedAt: string;
}
