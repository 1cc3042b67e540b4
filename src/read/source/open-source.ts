import { open, stat } from "node:fs/promises";
import { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { WorkbookContext } from "../xlsx/workbook-source.ts";
import { readFrom, readPart, unreadable } from "./read-from.ts";
import type { Source, StoredFile } from "./source.ts";
import { readStream, spool } from "./spool.ts";

/** Where standard input comes from, and where inputs that can be read only once are kept. */
export interface SourceContext extends WorkbookContext {
  readonly stdin: () => AsyncIterable<Uint8Array | string>;
  /** The name of a path in messages; by default the path itself. */
  readonly nameOf?: ((path: string) => string | undefined) | undefined;
}

/**
 * Opens a file, or standard input for `-`. The file stays open, so that it can be read even if it is deleted or renamed
 * in the meantime. Throws input errors: missing, a directory, not readable, empty, damaged.
 */
export async function openSource(path: string, context: SourceContext): Promise<Source> {
  const name = context.nameOf?.(path) ?? (path === "-" ? "<stdin>" : path);
  return sourceOrClose(await openFile(path, name, context), context);
}

/** Opens a regular file to compare its content; a workbook is refused. */
export async function openAsIs(path: string): Promise<Source> {
  return sourceOrClose(await openFile(path, path));
}

async function sourceOrClose(file: StoredFile, context?: SourceContext): Promise<Source> {
  try {
    if (file.bytes > 0) return await fileSource(file, context);
    throw inputError({ file: file.name }, "empty", "the file is empty", {
      hint: "export it again, or leave it out",
    });
  } catch (error) {
    await file.close?.();
    throw error;
  }
}

const NEVER = new AbortController().signal;

/** Without a context, only what can be read again is opened. */
async function openFile(path: string, name: string, context?: SourceContext): Promise<StoredFile> {
  try {
    if (context !== undefined && path === "-") return await spool(context.stdin(), { ...context, name });
    const facts = await stat(path);
    if (facts.isDirectory()) {
      throw inputError({ file: name }, "directory", "this is a directory, not a file", {
        hint: "name the file inside it",
      });
    }
    // A pipe or a device gives its bytes only once.
    if (context !== undefined && !facts.isFile())
      return await spool(readStream(path, facts, context.stop ?? NEVER), { ...context, name });
    const handle = await open(path, "r");
    return { fd: handle.fd, name, bytes: facts.size, close: () => handle.close() };
  } catch (error) {
    throw error instanceof RecPushError ? error : unreadable(name, error);
  }
}

const HEAD_BYTES = 4;

/**
 * The source of a file, which closes the file only if it gets a function for that. Without a context workbooks are not
 * read.
 */
export async function fileSource(file: StoredFile, context?: WorkbookContext): Promise<Source> {
  const { fd, name } = file;
  const kind = kindOfFile(await readPart(fd, 0, HEAD_BYTES));
  if (kind === undefined) return sourceOf(file, false, () => readFrom(fd, name, { lends: true }));
  const { sourceOfKind } = await import("./packed-source.ts");
  return sourceOfKind(file, kind, context);
}

/** The source of the content of a file. */
export function sourceOf(file: StoredFile, isPacked: boolean, open: Source["open"]): Source {
  return { close: async () => {}, ...file, isPacked, open };
}

/** A file that is read in another way than from its first byte to its last. */
export type FileKind = "zip" | "gzip";

/** The kind of a file by its first bytes (for gzip RFC 1952 section 2.3.1); `undefined` for one that is read as it is. */
function kindOfFile(head: Buffer): FileKind | undefined {
  if (beginsAsZip(head)) return "zip";
  return head.toString("hex").startsWith("1f8b") ? "gzip" : undefined;
}

/** APPNOTE.TXT 4.3.7; an empty archive begins with its end. */
export function beginsAsZip(head: Buffer): boolean {
  return ["PK\x03\x04", "PK\x05\x06"].includes(head.toString("latin1", 0, 4));
}
