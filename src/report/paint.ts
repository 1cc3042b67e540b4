/** The colours of text. */
export interface Paint {
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly bold: (text: string) => string;
}

/** When output is coloured; `auto` decides by the environment and the terminal. */
export type ColorChoice = "auto" | "always" | "never";

const asItIs = (text: string): string => text;
const PLAIN: Paint = { red: asItIs, yellow: asItIs, green: asItIs, cyan: asItIs, bold: asItIs };

/** Colours for one stream, by the rule of {@link isColoured}. */
export async function openPaint(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  color: ColorChoice = "auto",
): Promise<Paint> {
  if (!isColoured(stream, env, color)) return PLAIN;
  const { Chalk } = await import("chalk");
  return new Chalk({ level: 1 });
}

/**
 * `--color` decides; else `FORCE_COLOR`, for which 0 and false mean no; else `NO_COLOR`; else a terminal is coloured
 * unless it is called dumb. Empty variables are ignored.
 */
export function isColoured(
  { isTTY = false }: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
  color: ColorChoice,
): boolean {
  if (color !== "auto") return color === "always";
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTTY && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}
