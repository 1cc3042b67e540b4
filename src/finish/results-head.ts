/** The columns of the results, in their order. */
export const RESULT_COLUMNS = [
  "file",
  "line",
  "cle",
  "outcome",
  "batch",
  "status",
  "msg",
  "attempts",
] as const;

/**
 * The first bytes that are looked at: a file's name takes at most six characters a byte, and everything else before
 * it is short.
 */
export const RESULTS_HEAD_BYTES = 65_536;

/** True for the first bytes of a file that holds results: the header of the CSV, or the members of the first object. */
export function beginsResults(head: Buffer): boolean {
  const text = head.toString("utf8").replace(/^\ufeff/, "");
  // The key is not read to its end, because it may be longer than the head.
  if (/^\{"file":"(?:[^"\\]|\\.)*","line":\d+,"cle":(?:null,"outcome":"|")/.test(text)) return true;
  const [, delimiter = ","] = /^file(.+?)line/.exec(text) ?? [];
  const [header = ""] = text.split(/\r?\n/, 1);
  return `${header}${delimiter}`.startsWith(`${RESULT_COLUMNS.join(delimiter)}${delimiter}`);
}
