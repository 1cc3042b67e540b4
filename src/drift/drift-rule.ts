/** What becomes of a file that is unlike those before it. */
export interface DriftRule {
  readonly on: "stop" | "notice" | "off";
  /** The files of this command count as usual from now on. */
  readonly accepts: boolean;
}
