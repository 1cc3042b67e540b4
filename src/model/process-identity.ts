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
