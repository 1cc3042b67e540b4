import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { cannotUse } from "../state/state-directory.ts";
import type { RejectsPlace } from "./write-rejects.ts";

/** In a run's directory: where its rejects are, and what it wrote there. */
const NAME = "rejects-written";

type Note = { readonly place: RejectsPlace } | WrittenFile;

/** A file of rejects as it was written. */
export interface WrittenFile {
  readonly sha256: string;
  /** Absent in the notes of earlier versions. */
  readonly path?: string;
  readonly rows?: number;
}

/** What earlier processes of a run noted. */
export interface KeptPlace {
  /** Where they put the rejects, if not into the directory. */
  readonly place: RejectsPlace | undefined;
  /** Of every rejects file that they wrote: one that has none of them was changed by somebody. */
  readonly sha256: ReadonlySet<string>;
  /** How many rows the file at a path held when it was last written. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Reads what was noted; a line that a crash cut off does not count. */
export async function readKeptPlace(directory: string): Promise<KeptPlace> {
  const text = await readFile(join(directory, NAME), "utf8").catch(() => "");
  const notes = text.split("\n").flatMap(parseNote);
  const places = notes.flatMap((note) => ("place" in note ? [note.place] : []));
  const written = notes.flatMap((note) => ("sha256" in note ? [note] : []));
  return {
    place: places.at(-1),
    sha256: new Set(written.map(({ sha256 }) => sha256)),
    rows: new Map(
      written.flatMap(({ path, rows }) => (path === undefined || rows === undefined ? [] : [[path, rows]])),
    ),
  };
}

/** Notes a place, or before it is put there what a file will hold. */
export async function notePlace(directory: string, note: Note): Promise<void> {
  await appendFile(join(directory, NAME), `\n${JSON.stringify(note)}\n`, { mode: 0o600 }).catch(
    (cause: unknown) => {
      throw cannotUse(directory, cause);
    },
  );
}

function parseNote(line: string): Note[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as Note];
  } catch {
    return [];
  }
}
