import type { ConfigUse } from "../model/event.ts";
import { quoteText, showText } from "../model/visible-text.ts";

/** One line per config: `config: /srv/rec-push.config.json, table "commandes"` */
export function describeConfigs(configs: readonly ConfigUse[], wanted: string): string[] {
  const hasTable = configs.some(({ table }) => table !== undefined);
  return configs.map(({ path, tables, table, profile }) => {
    const parts = [`config: ${showText(path, 400)}`];
    if (table !== undefined) parts.push(`table ${quoteText(table)}`);
    else if (!hasTable && tables.length > 0) {
      const known = tables.map((name) => quoteText(name)).join(", ");
      parts.push(
        wanted === ""
          ? `no table used, --table names one of ${known}`
          : `nothing for the table ${quoteText(wanted)}, only for ${known}`,
      );
    }
    if (profile !== undefined) parts.push(`profile ${quoteText(profile)}`);
    return parts.join(", ");
  });
}
