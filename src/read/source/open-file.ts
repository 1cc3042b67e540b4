/** A file that this process has open, usable by any of its threads. Plain data. */
export interface OpenFile {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
  /** Size as stored. */
  readonly bytes: number;
}
