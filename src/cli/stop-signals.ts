import type { StopSignal } from "../model/exit-code.ts";

/** The signals that end a run, and as which of them each is answered: Ctrl-Break, which Windows has, as Ctrl-C. */
export function stopSignals(
  platform: NodeJS.Platform,
): readonly { readonly heard: NodeJS.Signals; readonly as: StopSignal }[] {
  const own = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => ({ heard: signal, as: signal }));
  return platform === "win32" ? [...own, { heard: "SIGBREAK", as: "SIGINT" }] : own;
}
