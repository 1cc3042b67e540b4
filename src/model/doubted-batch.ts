/** A batch as the file of rows in doubt names it: with its run and with the doubt for which the file was written. */
export interface DoubtedBatch {
  readonly batch: string;
  readonly run: string;
  readonly doubt: string;
}

/** `batch 3 of the run 20261121-074803-51baa3 (doubt 1f3a9c0e)` */
export function spellDoubtedBatch({ batch, run, doubt }: DoubtedBatch): string {
  return `batch ${batch} of the run ${run} (doubt ${doubt})`;
}

/** The reverse of {@link spellDoubtedBatch}; `undefined` for any other text. */
export function parseDoubtedBatch(text: string): DoubtedBatch | undefined {
  const found = /^batch (\d+) of the run (\S+) \(doubt ([0-9a-f]{8})\)$/.exec(text);
  return found === null ? undefined : { batch: found[1]!, run: found[2]!, doubt: found[3]! };
}
