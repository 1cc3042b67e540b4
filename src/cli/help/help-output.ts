import type { Io } from "../run-settings.ts";

/** Where help is written, and how wide. */
export interface HelpOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly columns: number;
}

export function helpOutput(io: Io): HelpOutput {
  return {
    out: (text) => void io.stdout.write(text),
    err: (text) => void io.stderr.write(text),
    columns: helpColumns(io),
  };
}

/** As wide as the terminal, up to a readable width. */
function helpColumns({ stdout: { isTTY = false, columns } }: Io): number {
  return isTTY && columns !== undefined && columns > 0 ? Math.min(Math.max(columns, 40), 140) : 100;
}
