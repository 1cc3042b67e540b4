import { rm, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { nameDoubt } from "../journal/name-doubt.ts";
import type { RunAccount } from "../journal/run-account.ts";
import type { DoubtFile } from "../model/event.ts";
import { notePlace, readKeptPlace, type KeptPlace } from "./kept-place.ts";
import { hashOf } from "./claim-path.ts";
import type { RejectsAccount, RejectsSource } from "./rejects-account.ts";
import { writeDoubt } from "./write-doubt.ts";

/** Manages the files of rows in doubt of a command, one per run. */
export class DoubtFiles {
  readonly #source: Pick<RejectsSource, "inputs" | "verdicts" | "abort">;
  readonly #rejects: RejectsAccount;
  readonly #files: DoubtFile[] = [];

  /** The files go where the rejects go. */
  constructor(source: Pick<RejectsSource, "inputs" | "verdicts" | "abort">, rejects: RejectsAccount) {
    this.#source = source;
    this.#rejects = rejects;
  }

  /**
   * Writes what the run of a directory has in doubt now, unless its file is already there, and removes the files of
   * earlier doubt. A file that was changed is neither replaced nor removed.
   */
  async write(input: number, directory: string, account: RunAccount): Promise<void> {
    const { inputs, verdicts, abort } = this.#source;
    const run = account.facts?.run ?? "";
    const doubt = nameDoubt(account);
    const kept = await readKeptPlace(directory);
    const there = await findDoubtFile(directory, account);
    if (there !== undefined) this.#files.push({ ...there, run });
    else if (doubt !== undefined && verdicts.count(input) > 0) {
      const { path, rows } = await this.#rejects.placeDoubt(input, directory, async (place) => {
        const free = await freePlace(place, kept);
        const written = await writeDoubt(inputs[input]!, verdicts.read(input), { run, doubt }, free, {
          abort,
          async place(file) {
            await notePlace(directory, { sha256: file.sha256, rows: file.rows, path: resolve(free), doubt });
            return free;
          },
        });
        return { path: free, rows: written };
      });
      this.#files.push({ run, path, rows });
      kept.doubts.push({ sha256: "", path: resolve(path), doubt });
    }
    await removeOthers(kept, doubt);
  }

  /** The files that hold rows. */
  get files(): readonly DoubtFile[] {
    return this.#files;
  }
}

/** The file of the rows that a run has in doubt now; `undefined` if there is none. */
export async function findDoubtFile(
  directory: string,
  account: RunAccount,
): Promise<Omit<DoubtFile, "run"> | undefined> {
  const doubt = nameDoubt(account);
  const { doubts } = await readKeptPlace(directory);
  const { path, rows } = doubts.findLast((file) => file.doubt === doubt) ?? {};
  if (doubt === undefined || path === undefined || rows === undefined) return undefined;
  return (await sizeOf(path)) > 0 ? { path, rows } : undefined;
}

/**
 * Removes the files of doubt that is settled, unless they were changed; without an account, all doubt counts as
 * settled.
 */
export async function removeDoubtFiles(directory: string, account: RunAccount | undefined): Promise<void> {
  await removeOthers(await readKeptPlace(directory), account && nameDoubt(account));
}

/** Notes a file that decided as known, so that a later file may replace it. */
export async function noteDecided(directory: string, path: string, sha256: string): Promise<void> {
  await notePlace(directory, { path: resolve(path), sha256 });
}

async function removeOthers({ doubts, sha256 }: KeptPlace, now: string | undefined): Promise<void> {
  const latest = new Map(doubts.map(({ path = "", doubt }) => [path, doubt]));
  for (const [path, doubt] of latest) {
    if (doubt === now || (await sizeOf(path)) === 0) continue;
    if (sha256.has(await hashOf(path).catch(() => ""))) await rm(path, { force: true });
  }
}

/** The place, or one beside it with a number if the place holds somebody's rows. */
async function freePlace(place: string, { sha256 }: KeptPlace): Promise<string> {
  const extension = extname(place);
  for (let number = 1; ; number++) {
    const path =
      number === 1 ? place : join(`${place.slice(0, place.length - extension.length)}-${number}${extension}`);
    if ((await sizeOf(path)) === 0 || sha256.has(await hashOf(path).catch(() => ""))) return path;
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}
