import { type FileHandle, open, stat } from "node:fs/promises";
import { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { WorkbookContext } from "../xlsx/workbook-source.ts";
import { readStream } from "./spool.ts";
import { readFrom, readPart, unreadable } from "./read-from.ts";
import type { Source, StoredFile } from "./source.ts";
import { spool } from "./spool.ts";

/** Where standard input comes from, and where inputs that can be read only once are kept. */
export interface SourceContext {
  readonly stdin: () => AsyncIterable<Uint8Array | string>;
  readonly spoolDirectory: string;
  /** The most bytes of an input that can be read only once. */
  readonly maxInputBytes?: number | undefined;
  /** When set, ends the copying of such an input. */
  readonly stop?: AbortSignal | undefined;
  /** The name of a path in messages; by default the path itself. */
  readonly nameOf?: ((path: string) => string | undefined) | undefined;
}

/**
 * Opens a file, or standard input for `-`. The file stays open, so that it can be read even if it is deleted or renamed
 * in the meantime. Throws input errors: missing, a directory, not readable, empty.
 */
export async function openSource(path: string, context: SourceContext): Promise<Source> {
  const name = context.nameOf?.(path) ?? (path === "-" ? "<stdin>" : path);
  const stored = path === "-" ? await keep(name, context.stdin(), context) : await openFile(path, context);
  try {
    if (stored.bytes === 0) {
      throw inputError({ file: name }, "empty", "the file is empty", {
        hint: "export it again, or leave it out",
      });
    }
    const { handle, bytes, keep } = stored;
    return await fileSource({ fd: handle.fd, name, bytes, keep, close: () => stored.remove() }, context);
  } catch (error) {
    await stored.remove();
    throw error;
  }
}

/** Opens a regular file to compare its content; a workbook cannot be read so. */
export async function openAsIs(path: string): Promise<Source> {
  const handle = await open(path, "r").catch((error: unknown) => Promise.reject(unreadable(path, error)));
  try {
    const { size: bytes } = await handle.stat();
    return await fileSource({ fd: handle.fd, name: path, bytes, close: () => handle.close() });
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const NEVER = new AbortController().signal;

interface Stored {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly keep?: (path: string) => Promise<void>;
  remove(): Promise<void>;
}

async function keep(
  name: string,
  chunks: AsyncIterable<Uint8Array | string>,
  context: SourceContext,
): Promise<Stored> {
  try {
    return await spool(chunks, { ...context, name });
  } catch (error) {
    throw error instanceof RecPushError ? error : unreadable(name, error);
  }
}

async function openFile(path: string, context: SourceContext): Promise<Stored> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) {
      throw inputError({ file: path }, "directory", "this is a directory, not a file", {
        hint: "name the file inside it",
      });
    }
    if (facts.isFile()) {
      const handle = await open(path, "r");
      return { handle, bytes: facts.size, remove: () => handle.close() };
    }
    // A pipe or a device gives its bytes only once.
    return await keep(path, readStream(path, facts, context.stop ?? NEVER), context);
  } catch (error) {
    throw error instanceof RecPushError ? error : unreadable(path, error);
  }
}

const HEAD_BYTES = 4;

/**
 * The source of a file, which closes the file only if it gets a function for that. Without a context workbooks are not
 * read.
 */
export async function fileSource(file: StoredFile, context?: WorkbookContext): Promise<Source> {
  const { fd, name } = file;
  const head = await readPart(fd, 0, HEAD_BYTES);
  const kind = kindOfFile(head);
  if (kind !== undefined) {
    const { sourceOfKind } = await import("./packed-source.ts");
    return sourceOfKind(file, kind, context);
  }
  return sourceOf(file, false, () => readFrom(fd, name, { lends: true }));
}

/** The source of the content of a file. */
export function sourceOf(
  { fd, name, bytes, keep, close = noClose }: StoredFile,
  isPacked: boolean,
  open: Source["open"],
): Source {
  return { name, bytes, isPacked, fd, open, ...(keep === undefined ? {} : { keep }), close };
}

async function noClose(): Promise<void> {}

/** A file that is read in another way than from its first byte to its last. */
export type FileKind = "zip" | "gzip";

const EMPTY_ZIP = "504b0506";
/** RFC 1952 section 2.3.1. */
const GZIP = "1f8b";

/** The kind of a file by its first bytes; `undefined` for one that is read as it is. */
function kindOfFile(head: Buffer): FileKind | undefined {
  const hex = head.toString("hex");
  if (beginsAsZip(head) || hex.startsWith(EMPTY_ZIP)) return "zip";
  return hex.startsWith(GZIP) ? "gzip" : undefined;
}

/** APPNOTE.TXT 4.3.7. */
export function beginsAsZip(head: Buffer): boolean {
  return head.toString("latin1", 0, 4) === "PK\x03\x04";
}
