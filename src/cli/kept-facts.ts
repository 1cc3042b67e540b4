import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { keptNames, keptTexts, missingNames } from "../options/derive.ts";
import type { RunFacts } from "../store/run-facts.ts";
import type { Configured } from "./config/apply-config.ts";
import { readVersion } from "./version.ts";

/** What a run keeps of its command: its options, and the names, without the values, of its headers and parameters. */
export function factsOf({ texts, credentials, declared }: Configured, table: string, cwd: string) {
  const { from: _, notice: __, ...places } = credentials;
  return {
    program: readVersion(),
    table,
    options: keptTexts({ ...places, ...texts }, cwd),
    declared: Object.fromEntries(declared),
    headerNames: keptNames("httpHeader", texts),
    queryNames: keptNames("query", texts),
  };
}

/** Throws a usage error if a resume lacks headers or parameters that its run was sent with. */
export function checkNamesOfPairs(
  then: Pick<RunFacts, "run" | "headerNames" | "queryNames">,
  texts: OptionTexts,
): void {
  const missing = [
    ...missingNames("httpHeader", then.headerNames, texts),
    ...missingNames("query", then.queryNames, texts),
  ];
  if (missing.length === 0) return;
  throw new RecPushError(
    "usage",
    "missing-headers",
    `the run ${then.run} was sent with ${missing.join(" and ")}, whose values are not kept`,
    { hint: "give them again" },
  );
}

/** Throws a usage error if a resume has other values of --query than its run: it would reach another tenant. */
export function checkQueryValues(
  { run, identity }: { readonly run: string; readonly identity: Pick<RunFacts["identity"], "queries"> },
  queryHash: string | undefined,
): void {
  if (identity.queries === undefined || identity.queries === queryHash) return;
  throw new RecPushError(
    "usage",
    "other-queries",
    `the run ${run} was sent with other values of --query than these`,
    { hint: "give the values used then, or push the file with these: that makes a run of its own" },
  );
}
