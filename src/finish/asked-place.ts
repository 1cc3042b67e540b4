import { basename, dirname, extname, isAbsolute, join, relative, resolve } from "node:path";
import type { RowsKind } from "../model/marker-columns.ts";

/** Where the files of rows of one input go. */
export type AskedPlace =
  /** A path that the user gave for the rejects; the other files go beside it. */
  | { readonly kind: "file"; readonly path: string }
  /** Names that rec-push chooses: if one is taken, it gets a number. */
  | {
      readonly kind: "directory";
      readonly directory: string;
      /** The part before the kind; empty in the directory of a run. */
      readonly stem: string;
      /** The extension of the input, with its dot. */
      readonly extension: string;
      /** True for the input's own folder: if that cannot be written to, the run's directory is used instead. */
      readonly isDefault: boolean;
    };

const MARKS: Readonly<Record<RowsKind, string>> = {
  rejects: "rejects",
  inDoubt: "in-doubt",
};
const OWN_MARK = new RegExp(`\\.(?:${Object.values(MARKS).join("|")})(?:-\\d+)?$`);

/**
 * The place in a directory for an input: for `orders.csv.gz` it is `orders.rejects.csv`, and so it is if that file
 * itself is the input.
 */
export function placeIn(directory: string, file: string, isDefault = false): AskedPlace {
  const name = file === "-" ? "stdin" : basename(file).replace(/\.(?:gz|zip)$/i, "");
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length).replace(OWN_MARK, "");
  return { kind: "directory", directory, stem, extension, isDefault };
}

/** The place in the directory of a run. */
export function placeInRun(directory: string): AskedPlace {
  return { kind: "directory", directory, stem: "", extension: "", isDefault: false };
}

/** The path of a file of rows; numbers above the first are for when the name is taken. */
export function pathFor(asked: AskedPlace, kind: RowsKind, isCsv: boolean, number = 1): string {
  const mark = `${MARKS[kind]}${number === 1 ? "" : `-${number}`}`;
  if (asked.kind === "file") {
    if (kind === "rejects" && number === 1) return asked.path;
    const extension = extname(asked.path);
    return `${asked.path.slice(0, asked.path.length - extension.length)}.${mark}${extension}`;
  }
  const { directory, stem, extension } = asked;
  // Rows of a workbook are written as CSV.
  const isOfCsv = extension !== "" && !/^\.(?:json|ndjson|jsonl|xls[xm])$/i.test(extension);
  const ending = isCsv ? (isOfCsv ? extension : ".csv") : ".ndjson";
  return join(directory, `${stem}${stem === "" ? "" : "."}${mark}${ending}`);
}

/** The same place, usable by a process in another directory. */
export function absolutePlace(asked: AskedPlace): AskedPlace {
  return asked.kind === "file"
    ? { ...asked, path: resolve(asked.path) }
    : { ...asked, directory: resolve(asked.directory) };
}

/** True if this path may be that of one of the files. */
export function mayHold(asked: AskedPlace, path: string): boolean {
  if (asked.kind === "file") {
    const kinds = Object.keys(MARKS) as RowsKind[];
    return kinds.some((kind) => resolve(pathFor(asked, kind, true)) === resolve(path));
  }
  if (resolve(asked.directory) !== resolve(dirname(path))) return false;
  const { stem } = placeIn("", path) as { readonly stem: string };
  const name = basename(path);
  return stem === asked.stem && OWN_MARK.test(name.slice(0, name.length - extname(name).length));
}

/** True if a path is in a directory, at any depth. */
export function isWithin(directory: string, path: string): boolean {
  const way = relative(resolve(directory), resolve(path));
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
