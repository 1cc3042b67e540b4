import type { ConfigUse } from "../model/event.ts";
import { quoteText, showText } from "../model/visible-text.ts";

/** `config: /srv/rec-push.config.json, table "commandes", profile "prod"` */
export function describeConfig({ path, tables, table, profile }: ConfigUse, wanted: string): string {
  const parts = [`config: ${showText(path, 400)}`];
  if (table !== undefined) parts.push(`table ${quoteText(table)}`);
  else if (tables.length > 0) {
    const known = tables.map((name) => quoteText(name)).join(", ");
    parts.push(
      wanted === ""
        ? `no table used, --table names one of ${known}`
        : `nothing for the table ${quoteText(wanted)}, only for ${known}`,
    );
  }
  if (profile !== undefined) parts.push(`profile ${quoteText(profile)}`);
  return parts.join(", ");
}
