import { RecPushError } from "../../model/failure.ts";
import type { Config, TableSection } from "./read-config.ts";

/** Puts a table's section into a config. Throws a usage error if it has one that may not be replaced. */
export function addTable(
  config: Config,
  table: string,
  section: TableSection,
  about: { readonly path: string; readonly mayReplace: boolean },
): Config {
  refuseKnownTable(config, table, about);
  return {
    ...config,
    tables: Object.fromEntries([...Object.entries(config.tables ?? {}), [table, section]]),
  };
}

/** Throws a usage error if the config has a section for the table that may not be replaced. */
export function refuseKnownTable(
  { tables = {} }: Config,
  table: string,
  { path, mayReplace }: { readonly path: string; readonly mayReplace: boolean },
): void {
  if (mayReplace || !Object.hasOwn(tables, table)) return;
  throw new RecPushError("usage", "table-in-config", `${path} already says how the table ${table} is read`, {
    hint: "--force replaces that section; the rest of the config stays",
  });
}
