/** A part of an input's content, from the start of one row to the start of another, that can be read alone. */
export interface Slice {
  /** Bytes of the decoded content. */
  readonly from: number;
  readonly to: number;
  /** The line at which it begins. */
  readonly line: number;
}
