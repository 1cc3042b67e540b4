import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { findOpenRuns } from "../../journal/find-runs.ts";
import { EXIT } from "../../model/exit-code.ts";
import { showCount, showInteger } from "../../model/quantities.ts";
import { mendPlace, placesIn } from "../../state/state-directory.ts";
import type { Finding } from "./finding.ts";

const MIB = 1024 * 1024;
/** The journal, copies of standard input, and records that wait for the survey need space. */
const LITTLE_ROOM_BYTES = 100 * MIB;

/** Whether runs can be kept here, without creating anything; `url` is that of the table, for its open runs. */
export async function examineState(root: string, url: string | undefined): Promise<readonly Finding[]> {
  const place = await nearestPlace(root);
  try {
    await access(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [
      {
        what: "state",
        state: "wrong",
        text: `${place} cannot be written (${code})`,
        hint: mendPlace(code),
        exitCode: EXIT.fault,
      },
    ];
  }
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const room = `${root}, ${showInteger(Math.floor(free / MIB))} MiB free`;
  const state: Finding =
    free < LITTLE_ROOM_BYTES
      ? { what: "state", state: "warning", text: room, hint: "free space, a push keeps its journal there" }
      : { what: "state", state: "ok", text: room };
  return [state, ...(url === undefined || place !== root ? [] : await openRuns(root, url))];
}

async function openRuns(root: string, url: string): Promise<readonly Finding[]> {
  const open = await findOpenRuns(placesIn(root), url);
  if (open.length === 0) return [];
  const text = `${showCount(open.length, "open run")} on this table`;
  return [{ what: "runs", state: "warning", text, hint: "rec-push runs says what is left to do" }];
}

/** The directory, or the nearest one above it that exists. */
async function nearestPlace(directory: string): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    const isThere = await access(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
    );
    if (isThere || dirname(at) === at) return at;
  }
}
