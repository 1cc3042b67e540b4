import { open } from "node:fs/promises";

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
