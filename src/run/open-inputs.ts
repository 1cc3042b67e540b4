import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import { openSource, type Source } from "../read/open-source.ts";

/** The inputs of a command, open until {@link OpenInputs.close}. */
export interface OpenInputs {
  readonly sources: readonly Source[];
  /** Private, for what does not fit into memory; goes with the inputs. */
  readonly spoolDirectory: string;
  /** Has something released before the inputs are closed. */
  readonly onClose: (release: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/**
 * Opens every input before any is read, so that a missing second file stops the command at once. What cannot be read
 * twice (standard input) is spooled in a private directory that `close` removes.
 */
export async function openInputs(files: readonly string[], stdin: Readable): Promise<OpenInputs> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new RecPushError("usage", "stdin-twice", "standard input (-) can be named only once");
  }
  const spoolDirectory = await makeSpoolDirectory();
  const sources: Source[] = [];
  const releases: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases) await release();
    for (const source of sources) await source.close();
    await rm(spoolDirectory, { recursive: true, force: true });
  };
  try {
    for (const file of files) sources.push(await openSource(file, { stdin, spoolDirectory }));
  } catch (error) {
    await close();
    throw error;
  }
  return { sources, spoolDirectory, onClose: (release) => void releases.push(release), close };
}

async function makeSpoolDirectory(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "rec-push-"));
  } catch (cause) {
    throw new RecPushError("machine", "no-spool-directory", `cannot make a directory in ${tmpdir()}`, {
      hint: "free space there, or name another place in TMPDIR",
      cause,
    });
  }
}
