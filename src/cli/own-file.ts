import { access, constants, lstat, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { RecPushError } from "../model/failure.ts";

/** A file that decides what is sent, or whom rec-push trusts. */
interface TrustedFile {
  readonly text: string;
  readonly isWritableByAll: boolean;
  readonly isReadableByAll: boolean;
}

/** Reads such a file, and says what others can do with it; on Windows nothing shows that. Rejects with Node's error. */
export async function readTrustedFile(
  file: string,
  encoding: "utf8" | "latin1" = "utf8",
): Promise<TrustedFile> {
  const handle = await open(file);
  try {
    const mode = process.platform === "win32" ? 0 : (await handle.stat()).mode;
    const text = (await handle.readFile(encoding)).replace(/^\uFEFF/, "");
    return { text, isWritableByAll: (mode & 0o002) !== 0, isReadableByAll: (mode & 0o004) !== 0 };
  } finally {
    await handle.close();
  }
}

/** Makes the error for a place that is taken, from why it is and what to do. */
export type Refuse = (why: string, hint?: string) => RecPushError;

/** Throws a usage error if no file can be written at a path: there is an input of the command, no file, or no directory. */
export async function refuseTaken(path: string, inputs: readonly string[], refuse: Refuse): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  const found = await Promise.all(inputs.map((file) => stat(file).catch(() => undefined)));
  if (there !== undefined && found.some((input) => input?.ino === there.ino && input.dev === there.dev))
    throw refuse("it is the file that is pushed");
  if (there?.isFile() === false) throw refuse("it is not a regular file");
  await refuseUnwritable(dirname(path), refuse);
}

/** Throws a usage error if this user cannot write in a directory. */
export async function refuseUnwritable(directory: string, refuse: Refuse): Promise<void> {
  if (await isWritable(directory)) return;
  throw refuse(
    `${directory} is not a directory in which this user may write`,
    "make it, or name another place",
  );
}

/** True for a directory in which this user may write. */
export function isWritable(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Throws a usage error if there is a file that does not begin as what rec-push writes there. */
export async function refuseForeign(
  path: string,
  headBytes: number,
  isOwn: (head: Buffer) => boolean,
  what: string,
  refuse: Refuse,
): Promise<void> {
  const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT")
      throw refuse(`it cannot be read (${error.code})`, "name another file, or move that one away");
  });
  if (handle === undefined) return;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes));
    if (!isOwn(buffer.subarray(0, bytesRead)))
      throw refuse(`it does not hold ${what} of rec-push`, "name another file, or move that one away");
  } finally {
    await handle.close();
  }
}
