import { type FileHandle, open, stat } from "node:fs/promises";
import { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import type { WorkbookContext } from "../xlsx/workbook-source.ts";
import { readPart } from "../zip/read-stretch.ts";
import { CopyBounds } from "./copy-bounds.ts";
import { readStream } from "./open-stream.ts";
import { readFrom, unreadable } from "./read-from.ts";
import type { Source } from "./source.ts";
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
    const file = { fd: stored.handle.fd, name, bytes: stored.bytes };
    const source = await fileSource(file, context);
    const { keep } = stored;
    const close = source.close.bind(source);
    // Its file may be known only once a sheet of it was read.
    return Object.defineProperties(source, {
      ...(keep === undefined ? {} : { keep: { value: keep, enumerable: true } }),
      close: {
        value: async () => {
          await close();
          await stored.remove();
        },
      },
    });
  } catch (error) {
    await stored.remove();
    throw error;
  }
}

/** Opens a regular file to look at what it holds; a workbook cannot be read so. */
export async function openAsIs(path: string): Promise<Source> {
  const handle = await open(path, "r").catch((error: unknown) => Promise.reject(unreadable(path, error)));
  try {
    const { size: bytes } = await handle.stat();
    return { ...(await fileSource({ fd: handle.fd, name: path, bytes })), close: () => handle.close() };
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
    const { spoolDirectory, maxInputBytes } = context;
    return await spool(chunks, spoolDirectory, new CopyBounds(name, spoolDirectory, maxInputBytes));
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

const HEAD_BYTES = 512;

/** The source of a file that stays open when the source is closed. Only with a context workbooks are read. */
export async function fileSource(file: OpenFile, context?: WorkbookContext): Promise<Source> {
  const { fd, name, bytes } = file;
  const head = await readPart(fd, 0, HEAD_BYTES);
  const kind = kindOfFile(head);
  if (kind !== undefined) {
    const { sourceOfKind } = await import("./packed-source.ts");
    return sourceOfKind(file, kind, head, context);
  }
  return {
    name,
    bytes,
    isPacked: false,
    fd,
    open: () => readFrom(fd, name, { lends: true }),
    openAt: (at: number) => readFrom(fd, name, { lends: true, at }),
    close: async () => undefined,
  };
}

/** A file that this process has open, usable by any of its threads. Plain data. */
export interface OpenFile {
  readonly fd: number;
  /** For messages. */
  readonly name: string;
  /** Size as stored. */
  readonly bytes: number;
}

/** A file that is read in another way than from its first byte to its last. */
export type FileKind = "zip" | "compound" | "gzip" | "zstd";

const ZIP = Buffer.from("PK\x03\x04", "latin1");
const EMPTY_ZIP = Buffer.from("PK\x05\x06", "latin1");
/** [MS-CFB] 2.2: the signature of a compound file, which holds files in sectors. */
const SIGNATURE = Buffer.from("d0cf11e0a1b11ae1", "hex");

/** The kind of a file by its first 512 bytes; `undefined` for one that is read as it is. */
function kindOfFile(head: Buffer): FileKind | undefined {
  if (startsWith(head, ZIP) || startsWith(head, EMPTY_ZIP)) return "zip";
  if (isGzip(head)) return "gzip";
  if (isCompound(head)) return "compound";
  return isZstd(head) ? "zstd" : undefined;
}

/** RFC 1952 section 2.3.1. */
export function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** RFC 8878 section 3.1. */
function isZstd(head: Buffer): boolean {
  if (head.length < 4) return false;
  const magic = head.readUInt32LE(0);
  // A file may begin with a frame that is to be skipped, as pzstd writes it.
  return magic === 0xfd2fb528 || (magic & ~0xf) >>> 0 === 0x184d2a50;
}

/** True for a compound file: an old Excel workbook, or a new one with a password. Needs the first 512 bytes. */
function isCompound(head: Buffer): boolean {
  return head.length >= 512 && head.subarray(0, SIGNATURE.length).equals(SIGNATURE);
}

function startsWith(head: Buffer, mark: Buffer): boolean {
  return head.subarray(0, mark.length).equals(mark);
}
