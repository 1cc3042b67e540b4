import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { RecPushError } from "../../model/failure.ts";
import { CopyBounds } from "./copy-bounds.ts";
import { fileSource } from "./file-source.ts";
import { inputError } from "../input-error.ts";
import { readStream } from "./open-stream.ts";
import { unreadable } from "./read-from.ts";
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
