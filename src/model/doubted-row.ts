/** A row as the file of rows in doubt names it, in its first column. */
export interface DoubtedRow {
  /** Its line in the input; of several rows of one line the second is `1.2`. */
  readonly line: string;
  readonly run: string;
  readonly doubt: string;
}

/** `line 12 of doubt 1f3a9c0e in run 20261121-074803-51baa3` */
export function spellDoubtedRow({ line, run, doubt }: DoubtedRow): string {
  return `line ${line} of doubt ${doubt} in run ${run}`;
}

/** The reverse of {@link spellDoubtedRow}; `undefined` for any other text. */
export function parseDoubtedRow(text: string): DoubtedRow | undefined {
  const found = /^line (\d+(?:\.\d+)?) of doubt ([0-9a-f]{8}) in run (\d{8}-\d{6}-[0-9a-f]+)$/.exec(text);
  return found === null ? undefined : { line: found[1]!, doubt: found[2]!, run: found[3]! };
}

/** Makes a function that names the rows of an input by their lines; to be called in the order of the input. */
export function createLineNames(): (line: number) => string {
  let last = 0;
  let count = 0;
  return (line) => {
    count = line === last ? count + 1 : 1;
    last = line;
    return count === 1 ? String(line) : `${line}.${count}`;
  };
}
