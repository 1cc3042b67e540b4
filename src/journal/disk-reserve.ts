import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";

/** Enough for the outcomes of all requests in flight, and for the end of the run. */
const RESERVE_BYTES = 65_536;

/**
 * Disk space that is set aside in a private file. On a full disk it is given up, so that what has been sent can still
 * be written down. Random, because a file system that packs files would set nothing aside for zeros.
 */
export class DiskReserve {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  static async setAside(path: string): Promise<DiskReserve> {
    const reserve = new DiskReserve(path);
    try {
      await writeFile(path, randomBytes(RESERVE_BYTES), { mode: 0o600 });
      return reserve;
    } catch (error) {
      await reserve.giveUp();
      throw error;
    }
  }

  async giveUp(): Promise<void> {
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
