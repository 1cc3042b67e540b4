import { join } from "node:path";
import { appendWord, readWords } from "../state/word-file.ts";

/** Where the rejects of one input go. */
export interface RejectsPlace {
  readonly rejects: string;
  /** Rejects whose key had a later accepted row. */
  readonly superseded: string;
}

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

/** The notes of earlier processes of a run. */
export interface KeptPlace {
  /** Where they put the rejects, if not into the directory. */
  readonly place: RejectsPlace | undefined;
  /** Of every rejects file that they wrote: one that has none of them was changed by somebody. */
  readonly sha256: ReadonlySet<string>;
  /** How many rows the file at a path held when it was last written. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Reads the notes; damaged ones are as good as none, so that a file which somebody may have changed is not replaced. */
export async function readKeptPlace(directory: string): Promise<KeptPlace> {
  const notes = await readWords<Note>(join(directory, NAME)).catch((): readonly Note[] => []);
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

/** Notes a place, or a file before it is put there; on disk when this resolves, so that the file is known afterwards. */
export function notePlace(directory: string, note: Note): Promise<void> {
  return appendWord(join(directory, NAME), note);
}
