import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../state/atomic-file.ts";
import { nameTable } from "../state/open-marks.ts";
import type { StateDirectory } from "../state/state-directory.ts";
import { readProfile, type Profile } from "./profile.ts";

/** At least this many profiles of a table are kept: those of a year of nightly files. */
const MOST_KEPT = 400;

/** The profiles of the files that were pushed to a table. A push does not depend on them, so nothing here throws. */
export class ProfileFile {
  readonly path: string;
  /** The oldest first. */
  readonly profiles: readonly Profile[];
  /** Why the file cannot be read; if it cannot, nothing is written to it either. */
  readonly fault: string | undefined;
  /** Lines that are not profiles; the next write leaves them out. */
  readonly damaged: number;
  #kept: readonly Profile[];
  /** Lines in the file, including damaged ones. */
  #lines: number;

  private constructor(path: string, lines: readonly string[], fault?: string) {
    const read = lines.slice(-MOST_KEPT).map(readProfile);
    this.path = path;
    this.profiles = read.filter((profile) => profile !== undefined);
    this.fault = fault;
    this.damaged = read.length - this.profiles.length;
    this.#kept = this.profiles;
    this.#lines = lines.length;
  }

  static async open({ profiles }: StateDirectory, url: string): Promise<ProfileFile> {
    const path = join(profiles, nameTable(url));
    try {
      const text = await readFile(path, "utf8");
      return new ProfileFile(
        path,
        text.split("\n").filter((line) => line !== ""),
      );
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return new ProfileFile(path, [], code === "ENOENT" ? undefined : message);
    }
  }

  /**
   * Adds a profile; returns the reason if that fails. It is not synced to disk: losing one to a power failure does no
   * harm.
   */
  async add(profile: Profile): Promise<string | undefined> {
    if (this.fault !== undefined) return this.fault;
    const kept = [...this.#kept, profile].slice(-MOST_KEPT);
    const isWhole = this.damaged > 0 || this.#lines >= 2 * MOST_KEPT;
    try {
      if (isWhole) await replaceFile(this.path, kept.map(spell).join(""));
      else await appendFile(this.path, spell(profile), { mode: 0o600 });
    } catch (error) {
      return (error as Error).message;
    }
    this.#kept = kept;
    this.#lines = isWhole ? kept.length : this.#lines + 1;
    return undefined;
  }
}

/** The first line feed ends a line that a crash cut off. */
function spell(profile: Profile): string {
  return `\n${JSON.stringify(profile)}\n`;
}
