/** The colours of text. */
export interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly bold: (text: string) => string;
}

const asItIs = (text: string): string => text;
const PLAIN: Paint = { red: asItIs, yellow: asItIs, green: asItIs, bold: asItIs };

/** Colours for one stream: none where it is no terminal, or the user said so (`NO_COLOR`, `TERM=dumb`). */
export async function openPaint(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Paint> {
  if (stream.isTTY !== true || Boolean(env["NO_COLOR"]) || env["TERM"] === "dumb") return PLAIN;
  const { Chalk } = await import("chalk");
  return new Chalk({ level: 1 });
}
