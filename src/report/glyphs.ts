/** The signs that progress is drawn with. */
export interface Glyphs {
  readonly frames: readonly string[];
  readonly full: string;
  readonly empty: string;
  /** Follows a text that was cut. */
  readonly more: string;
}

const UNICODE: Glyphs = { frames: "⠋ ⠙ ⠹ ⠸ ⠼ ⠴ ⠦ ⠧ ⠇ ⠏".split(" "), full: "█", empty: "░", more: "…" };
const ASCII: Glyphs = { frames: ["|", "/", "-", "\\"], full: "#", empty: ".", more: "..." };

/** Signs that a terminal can show: ASCII unless its locale says UTF-8. */
export function chooseGlyphs(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Glyphs {
  if (platform === "win32") return env["WT_SESSION"] || env["TERM_PROGRAM"] === "vscode" ? UNICODE : ASCII;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale) && env["TERM"] !== "linux" ? UNICODE : ASCII;
}
