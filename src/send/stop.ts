import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/shell-word.ts";
import type { Answer } from "./answer.ts";
import { describeEnd } from "./describe-end.ts";
import { networkFailure } from "./network-failure.ts";
import type { Sent, StopReason } from "./outcome.ts";
import type { SendSettings } from "./settings.ts";
import { OK_MSG, okMessageFor } from "./success.ts";
import { displayUrl, type Target } from "./target.ts";
import type { TransportFault } from "./transport-fault.ts";

/** Puts a stop into words: what was refused, at which address, and which option settles it. */
export function stopFailure(
  reason: StopReason,
  end: Answer | TransportFault,
  sent: Sent,
  { target, settings: { redact } }: { readonly target: Target; readonly settings: SendSettings },
): RecPushError {
  const said = describeEnd(end, redact);
  const url = displayUrl(target);
  const status = end.kind === "answer" ? `${end.status}` : end.code;
  switch (reason) {
    case "other-answer":
      return new RecPushError(
        "request",
        "other-answer",
        `${url} answers ${status} with other words than "${OK_MSG}": ${said}`,
        {
          hint: otherAnswerHint(end, sent, redact),
        },
      );
    case "database-version":
      return new RecPushError(
        "request",
        "database-version",
        `the service refuses the database version: ${said}`,
        {
          hint: versionHint(target),
        },
      );
    case "credentials":
      return new RecPushError(
        "credentials",
        "credentials-refused",
        `${url} refuses the token (${status}): ${said}`,
        {
          hint: `check the token${target.tokenFrom === undefined ? "" : `, which came from ${target.tokenFrom}`}, --auth access_token or --auth bearer, and its rights on this table`,
        },
      );
    case "address":
      return new RecPushError(
        "request",
        "wrong-address",
        `${url} does not take records for this table (${status}): ${said}`,
        {
          hint: "check --url, the address before /api/items/, and --table",
        },
      );
    case "redirect":
      return new RecPushError(
        "request",
        "redirected",
        `${url} points elsewhere (${status})${redirectGoal(end, redact)}`,
        {
          hint: "redirects are not followed, because the token would be sent along; set --url to the service's own address",
        },
      );
    case "request":
      return new RecPushError(
        "request",
        "request-refused",
        `${url} refuses the request (${status}): ${said}`,
        {
          hint:
            end.kind === "answer" && end.status === 415
              ? "leave out --compress if it is given; otherwise check --body and -H, and any proxies between this machine and the service"
              : "check --url, --table, --body and -H, and any proxies between this machine and the service",
        },
      );
    case "host":
    case "no-tls":
    case "proxy":
    case "certificate":
    case "own-certificate":
      return networkFailure(reason, end, target, sent.hasReached === true);
  }
}

function otherAnswerHint(
  end: Answer | TransportFault,
  { records }: Sent,
  redact: (text: string) => string,
): string {
  const text = end.kind === "answer" ? okMessageFor(end, records, redact) : undefined;
  if (text === undefined)
    return `ask those who run the service what this answer means; only "${OK_MSG}" alone says that all records were applied`;
  const all = records === 1 ? "the record was" : `all ${records} records were`;
  const count = text.includes("{n}") ? ", in which {n} stands for the number of records" : "";
  return `if this says that ${all} applied, --ok-msg ${quoteWord(text)} accepts it from now on${count}; otherwise check the records in the service`;
}

function versionHint({ dbVersion }: Target): string {
  return dbVersion === undefined
    ? "--db-version V gives it; --db-version-in header:NAME, query:NAME or body:NAME says where it goes"
    : "check --db-version, and --db-version-in header:NAME, query:NAME or body:NAME";
}

/** The address that a redirect points to, without user, query and fragment. */
function redirectGoal(end: Answer | TransportFault, redact: (text: string) => string): string {
  if (end.kind !== "answer" || end.location === undefined) return "";
  const goal = end.location.replace(/[?#].*$/s, "").replace(/^([a-z]+:)?\/\/[^/]*@/i, "$1//");
  return `, to ${describeEnd({ ...end, msg: goal }, redact)}`;
}
