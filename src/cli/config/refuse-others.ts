import { quoteWord } from "../../model/shell-word.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/visible-text.ts";
import { CONFIG_NAME, type ConfigPlace } from "./config-places.ts";

/** A config file, or a link or directory on the way to it, with its permissions and its owner. */
export interface ConfigPart {
  readonly kind: "file" | "link" | "directory";
  readonly path: string;
  readonly mode: number;
  readonly uid: number;
}

const HINTS: Readonly<Record<ConfigPlace["origin"], string>> = {
  named: "check what it says, then name a copy that belongs to you, in a directory that belongs to you",
  found: `the nearest ${CONFIG_NAME} counts: put one that belongs to you into the working directory, or work elsewhere`,
  own: "check what it says, then put a copy that belongs to you in its place",
};

const WRITABLE_BY_OTHERS = 0o022;
/** In a directory with this bit, only its owner and the owner of a file can rename or remove that file. */
const STICKY = 0o1000;

/** Throws a usage error if anyone except the user and root could change or replace a config. */
export function refuseOthers(
  { path, origin }: ConfigPlace,
  parts: readonly ConfigPart[],
  user: number,
): void {
  const config = `the config ${showText(path, 400)}`;
  const foreign = parts.find(({ uid }) => uid !== user && uid !== 0);
  if (foreign !== undefined) {
    throw new RecPushError(
      "usage",
      "config-foreign",
      `${config} is refused: ${name(foreign)} belongs to another user`,
      { hint: HINTS[origin] },
    );
  }
  const open = parts.filter(isOpenToOthers);
  if (open.length === 0) return;
  const command = ["chmod", "go-w", ...open.map((part) => part.path)].map(quoteWord).join(" ");
  throw new RecPushError(
    "usage",
    "config-writable",
    `${config} is refused: other users can write to ${open.map(name).join(" and ")}`,
    { hint: `check that it still says what you wrote, then: ${showText(command, command.length)}` },
  );
}

function isOpenToOthers({ kind, mode }: ConfigPart): boolean {
  if (kind === "link" || (mode & WRITABLE_BY_OTHERS) === 0) return false;
  return kind === "file" || (mode & STICKY) === 0;
}

function name({ kind, path }: ConfigPart): string {
  return `the ${kind} ${showText(path, 400)}`;
}
