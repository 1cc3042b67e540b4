import { RecPushError } from "../model/failure.ts";
import { given } from "../options/declaration.ts";
import type { OptionValues } from "../options/table.ts";
import { createTarget, displayUrl } from "../send/target.ts";

/** It is sent nowhere: asking or changing a ledger needs no request. */
const NO_TOKEN = "no-token-needed";

/** The table of a command that sends nothing, and the ledger that belongs to it. Throws a usage error. */
export function readLedgerTarget(values: OptionValues, tableHint: string) {
  const { table, url, query, dbVersion, dbVersionIn, allowHttp, body, runKey } = values;
  if (table === undefined) throw new RecPushError("usage", "missing-table", "no table", { hint: tableHint });
  if (url === undefined)
    throw new RecPushError("usage", "missing-url", "no service", {
      hint: "name its base URL as the push does: --url or REC_PUSH_URL",
    });
  const target = createTarget({
    url,
    table,
    token: NO_TOKEN,
    ...given({ query, dbVersion, dbVersionIn, allowHttp, body }),
  });
  return {
    table,
    shown: displayUrl(target),
    ledger: {
      url: target.origin + target.path,
      dbVersion: target.dbVersion ?? null,
      runKey: runKey ?? null,
      ...given({ queries: target.queryHash }),
    },
  };
}
