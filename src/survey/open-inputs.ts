import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import { openSource } from "../read/source/open-source.ts";
import type { Source } from "../read/source/source.ts";

/** The inputs of a command, open until {@link OpenInputs.close}. */
export interface OpenInputs {
  readonly sources: readonly Source[];
  /** Private, for what does not fit into memory; goes with the inputs. */
  readonly spoolDirectory: string;
  /** Has something released before the inputs are closed. */
  readonly onClose: (release: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/** Where inputs are kept that can be read only once, how much of them, and how inputs are called. */
export interface InputPlaces {
  /** The directory for temporary files unless said. */
  readonly spoolIn?: string | undefined;
  /** The name of a path for messages; the path itself unless said. */
  readonly nameOf?: ((path: string) => string) | undefined;
  /** Most bytes of an input that is kept. */
  readonly maxInputBytes?: number | undefined;
}

const PREFIX = "rec-push-";
/** Nobody reads one input for this long. */
const ORPHAN_MS = 86_400_000;

/**
 * Opens every input before any is read, so that a missing second file stops the command at once. An input that cannot
 * be read twice (standard input) is spooled in a private directory that `close` removes.
 */
export async function openInputs(
  files: readonly string[],
  stdin: Readable,
  { spoolIn, nameOf, maxInputBytes }: InputPlaces = {},
  stop?: AbortSignal,
): Promise<OpenInputs> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new RecPushError("usage", "stdin-twice", "standard input (-) can be named only once");
  }
  const spoolDirectory = await makeSpoolDirectory(spoolIn ?? tmpdir());
  const sources: Source[] = [];
  const releases: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases) await release();
    for (const source of sources) await source.close();
    await rm(spoolDirectory, { recursive: true, force: true });
  };
  try {
    const context = { stdin, spoolDirectory, nameOf, maxInputBytes, stop };
    for (const file of files) sources.push(await openSource(file, context));
  } catch (error) {
    await close();
    throw error;
  }
  return { sources, spoolDirectory, onClose: (release) => void releases.push(release), close };
}

async function makeSpoolDirectory(place: string): Promise<string> {
  try {
    await removeOrphans(place);
    return await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  } catch (cause) {
    throw new RecPushError("machine", "no-spool-directory", `cannot make a directory in ${place}`, {
      hint: place === tmpdir() ? "free space there, or name another place in TMPDIR" : "free space there",
      cause,
    });
  }
}

/** Removes directories of processes that were killed while they read. */
async function removeOrphans(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length).split("-")[0] : Number.NaN);
    if (!Number.isSafeInteger(pid) || isAlive(pid)) continue;
    // Another process may remove it at the same time, and another user's is not ours to remove.
    await removeOrphan(join(place, name)).catch(() => undefined);
  }
}

async function removeOrphan(path: string): Promise<void> {
  const { mtimeMs } = await stat(path);
  if (Date.now() - mtimeMs > ORPHAN_MS) await rm(path, { recursive: true, force: true });
}

/** Numbers count within one container, so that this alone proves nothing. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
