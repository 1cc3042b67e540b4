import { RecPushError } from "../model/failure.ts";
import { readContent } from "../read/content/content-pass.ts";
import { openAsIs } from "../read/source/open-source.ts";

/**
 * True if a file holds the content with that fingerprint, false if it holds another one; `undefined` if that cannot
 * be found out. A workbook cannot be read so.
 */
export async function hasContent(
  path: string,
  fingerprint: string,
  encoding?: string,
): Promise<boolean | undefined> {
  try {
    return (await fingerprintAt(path, encoding)) === fingerprint;
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}

/** The fingerprint of what a file holds now. Throws an input error if it cannot be read as it is. */
export async function fingerprintAt(path: string, encoding?: string): Promise<string> {
  const source = await openAsIs(path);
  try {
    return (await readContent(source, { encoding })).proof.fingerprint;
  } finally {
    await source.close();
  }
}
