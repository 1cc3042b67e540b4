import { Chalk, type ChalkInstance } from "chalk";

/** Colours for one stream: none where it is no terminal, or the user said so (`NO_COLOR`, `TERM=dumb`). */
export function createPaint(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): ChalkInstance {
  const isPlain = stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb";
  return new Chalk({ level: isPlain ? 0 : 1 });
}
