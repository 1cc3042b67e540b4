import { RecPushError } from "../model/failure.ts";
import type { RunFacts } from "../journal/run-facts.ts";
import type { RawOptions } from "./program.ts";
import { textsOf } from "./raw-options.ts";

/** The names, without the values, of the -H headers and --query parameters. */
export function namesOfPairs(options: RawOptions): Pick<RunFacts, "headerNames" | "queryNames"> {
  const names = (option: string, sign: string): string[] =>
    textsOf(options, option)
      .map((text) => text.slice(0, text.indexOf(sign)).trim())
      .sort();
  return { headerNames: names("httpHeader", ":"), queryNames: names("query", "=") };
}

/** Throws usage where a resume does not give the headers and parameters again that its run was sent with. */
export function checkNamesOfPairs(then: RunFacts, options: RawOptions): void {
  const now = namesOfPairs(options);
  const missing = [
    ...then.headerNames.filter((name) => !now.headerNames.includes(name)).map((name) => `-H "${name}: ..."`),
    ...then.queryNames.filter((name) => !now.queryNames.includes(name)).map((name) => `--query ${name}=...`),
  ];
  if (missing.length === 0) return;
  throw new RecPushError(
    "usage",
    "missing-headers",
    `the run ${then.run} was sent with ${missing.join(" and ")}, whose values are not kept`,
    { hint: "give them again" },
  );
}

/** Throws usage where a resume gives other values of --query than the run was sent with: it would reach another tenant. */
export function checkQueryValues({ run, identity }: RunFacts, queryHash: string | undefined): void {
  if (identity.queries === undefined || identity.queries === queryHash) return;
  throw new RecPushError(
    "usage",
    "other-queries",
    `the run ${run} was sent with other values of --query than these`,
    { hint: "give those of then, or push the file with these: that is a run of its own" },
  );
}
