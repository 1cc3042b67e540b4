import { resolve } from "node:path";
import { quoteWord } from "../model/shell-word.ts";
import type { ConfigUse } from "../model/event.ts";
import type { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { initCommand } from "../options/init-command.ts";

interface Asked {
  readonly files: readonly string[];
  readonly table: string | undefined;
  readonly line: OptionTexts;
  readonly configs: readonly ConfigUse[];
}

/** The failure with the single command that accepts all its answers for this file and future ones, if there is one. */
export function adviseInit(
  failure: RecPushError | undefined,
  { files, table, line, configs }: Asked,
): RecPushError | undefined {
  const [file, another] = files;
  if (failure?.isAnswered !== true || failure.options.length === 0) return failure;
  // There is a section already, and a question about one file must not make the user lose it.
  const isKnown = configs.some((config) => config.table !== undefined);
  if (file === undefined || another !== undefined || file === "-" || isKnown) return failure;
  const command = initCommand(file, table ?? "NAME", line);
  return failure.withHint(
    `${command} accepts all of this and, if nothing else is open, writes it for the next files`,
  );
}

/**
 * The line for cron: it names the config, so that no directory is searched for one, and prints nothing as long as all
 * is well.
 */
export function cronLine(file: string, table: string, config: string, cwd: string): string {
  const words = ["rec-push", resolve(cwd, file), "--table", table, "--config", config, "--quiet"];
  // Cron treats a percent sign as a line end.
  return `0 6 * * *  ${words.map(quoteWord).join(" ").replaceAll("%", "\\%")}`;
}
