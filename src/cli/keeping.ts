import type { ExportsOptions } from "../ledger/exports-rule.ts";
import { RecPushError } from "../model/failure.ts";
import { given } from "../options/declaration.ts";
import { keptNames, keptTexts } from "../options/derive.ts";
import type { OptionValues } from "../options/table.ts";
import type { ReadKeeping } from "../push/push-request.ts";
import { createTarget, displayUrl, type Target } from "../send/target.ts";
import { openStateDirectory } from "../store/state-directory.ts";
import type { Configured } from "./config/apply-config.ts";
import { type Io, stateRoot } from "./run-settings.ts";
import { nameRun } from "./session.ts";
import { readVersion } from "./version.ts";

/** What a command keeps of itself in the book of its table, but the name of its first run. */
export function keepingOf(
  values: OptionValues,
  { state, facts, target, cwd }: Pick<ReadKeeping, "facts" | "target" | "cwd" | "state">,
) {
  const { again = false, staleOk = false } = values;
  return { state, facts, target, cwd, again, staleOk, exports: exportsOf(values), nameRun };
}

/** The same for a command that configs take part in, with its state directory opened. */
export async function openKeeping(
  { texts, values, declared }: Configured,
  table: string,
  target: ReadKeeping["target"],
  io: Pick<Io, "env" | "cwd">,
) {
  const { cwd } = io;
  const facts = {
    program: readVersion(),
    table,
    options: keptTexts(texts, cwd),
    declared: Object.fromEntries(declared),
    // Their values may be secret.
    headerNames: keptNames("httpHeader", texts),
    queryNames: keptNames("query", texts),
  };
  return keepingOf(values, { state: await openStateDirectory(stateRoot(values, io)), facts, target, cwd });
}

/** The options that say what the files of the table hold. */
export function exportsOf({ exports, identifyBy, onRepeat }: OptionValues): ExportsOptions {
  return { exports, identity: identifyBy, keepsLast: onRepeat === "last" };
}

/** Where the records of a command go, as its book names it. */
export function bookTarget(
  { origin, path, dbVersion, queryHash }: Target,
  runKey: string | undefined,
): ReadKeeping["target"] {
  return {
    url: origin + path,
    dbVersion: dbVersion ?? null,
    runKey: runKey ?? null,
    ...given({ queries: queryHash }),
  };
}

/** A target needs a token; asking or changing a book sends no request. */
const NO_TOKEN = "no-token-needed";

/** The table that a command names. Throws a usage error if it names none. */
export function tableOf({ table }: OptionValues): string {
  if (table !== undefined) return table;
  throw new RecPushError("missing-table", "no table", { hint: "name it: --table NAME" });
}

/** The table of a command that sends nothing. Throws a usage error. */
export function readBookTarget(values: OptionValues) {
  const { url, query, dbVersion, dbVersionIn, allowHttp, body, runKey } = values;
  const table = tableOf(values);
  if (url === undefined)
    throw new RecPushError("missing-url", "no service", {
      hint: "name its base URL as the push does: --url or REC_PUSH_URL",
    });
  const options = {
    url,
    table,
    token: NO_TOKEN,
    ...given({ query, dbVersion, dbVersionIn, allowHttp, body }),
  };
  const target = createTarget(options);
  return { table, address: target, shown: displayUrl(target), target: bookTarget(target, runKey) };
}
