import type { Readable } from "node:stream";
import { RecPushError } from "../model/failure.ts";
import { openSource } from "../read/source/open-source.ts";
import type { Source } from "../read/source/source.ts";
import { makeSpoolDirectory } from "./spool-directory.ts";

/** The inputs of a command, open until {@link OpenInputs.close}. */
export interface OpenInputs {
  readonly sources: readonly Source[];
  /** A private directory for what does not fit into memory; removed with the inputs. */
  readonly spoolDirectory: string;
  /** Registers something to be released before the inputs are closed. */
  readonly onClose: (release: () => Promise<void>) => void;
  readonly close: () => Promise<void>;
}

/** Where inputs that can be read only once are kept, how much of them, and what inputs are called. */
export interface InputPlaces {
  /** The directory for temporary files by default. */
  readonly spoolIn?: string | undefined;
  /** The name of a path in messages; by default the path itself. */
  readonly nameOf?: ((path: string) => string | undefined) | undefined;
  /** The most bytes of an input that are kept. */
  readonly maxInputBytes?: number | undefined;
}

/**
 * Opens every input before any is read, so that a missing second file stops the command at once. An input that cannot
 * be read twice (standard input) is spooled in a private directory that `close` removes.
 */
export async function openInputs(
  files: readonly string[],
  stdin: () => Readable,
  { spoolIn, nameOf, maxInputBytes }: InputPlaces = {},
  stop?: AbortSignal,
): Promise<OpenInputs> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new RecPushError("usage", "stdin-twice", "standard input (-) can be named only once");
  }
  const { path: spoolDirectory, remove } = await makeSpoolDirectory(spoolIn);
  const sources: Source[] = [];
  const releases: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releases) await release();
    for (const source of sources) await source.close();
    await remove();
  };
  try {
    const context = { spoolDirectory, nameOf, maxInputBytes, stop };
    for (const file of files) sources.push(await openSource(file, { ...context, stdin }));
  } catch (error) {
    await close();
    throw error;
  }
  return { sources, spoolDirectory, onClose: (release) => void releases.push(release), close };
}
