/** The characters with which progress is drawn. */
export interface Glyphs {
  readonly frames: readonly string[];
  readonly full: string;
  readonly empty: string;
  /** Comes after a text that was cut. */
  readonly more: string;
}

const UNICODE: Glyphs = { frames: "⠋ ⠙ ⠹ ⠸ ⠼ ⠴ ⠦ ⠧ ⠇ ⠏".split(" "), full: "█", empty: "░", more: "…" };
const ASCII: Glyphs = { frames: ["|", "/", "-", "\\"], full: "#", empty: ".", more: "..." };

/** Characters that a terminal can show: ASCII unless its locale says UTF-8. */
export function chooseGlyphs(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
): Glyphs {
  if (platform === "win32") return env["WT_SESSION"] || env["TERM_PROGRAM"] === "vscode" ? UNICODE : ASCII;
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /utf-?8/i.test(locale) && env["TERM"] !== "linux" ? UNICODE : ASCII;
}
