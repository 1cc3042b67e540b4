/**
 * What becomes of a file that is unlike those before it; with `accept` the files of this command count as usual from now on.
 */
export type DriftRule = "off" | "note" | "stop" | "accept";
