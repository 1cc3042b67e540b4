import { STATUS_CODES } from "node:http";
import { RecPushError } from "../model/failure.ts";
import { quoteWord } from "../model/text.ts";
import type { TransportFault } from "./exchange.ts";
import { type NetworkReason, reasonOf, type StopReason } from "./outcome.ts";
import { type Answer, OK_MSG, okMessageFor, toOneLine } from "./success.ts";
import { displayUrl, type Target } from "./target.ts";

/** An answer to a request of so many records, or the lack of one. */
interface Ended {
  readonly end: Answer | TransportFault;
  readonly records: number;
  readonly redact: (text: string) => string;
}

/** Describes a stop: the refusal, its address, and the option that settles it. */
export function stopFailure(reason: StopReason, ended: Ended, target: Target): RecPushError {
  const { end, redact } = ended;
  const said = describeEnd(end, redact);
  const url = displayUrl(target);
  if (end.kind === "fault") return networkFailure(reason as NetworkReason, end, target);
  const { status } = end;
  switch (reason as Exclude<StopReason, NetworkReason>) {
    case "other-answer":
      return new RecPushError(
        "other-answer",
        `${url} answers ${status} with other words than "${OK_MSG}": ${said}`,
        acceptAnswer(end, ended),
      );
    case "database-version":
      return new RecPushError("database-version", `the service refuses the database version: ${said}`, {
        hint:
          target.dbVersion === undefined
            ? "--db-version V gives it; --db-version-in header:NAME, query:NAME or body:NAME says where it goes"
            : "check --db-version, and --db-version-in header:NAME, query:NAME or body:NAME",
      });
    case "credentials":
      return new RecPushError("credentials-refused", `${url} refuses the token (${status}): ${said}`, {
        hint: `check the token${target.tokenFrom === undefined ? "" : `, which came from ${target.tokenFrom}`}, --auth access_token or --auth bearer, and its rights on this table`,
      });
    case "address":
      return new RecPushError(
        "wrong-address",
        `${url} does not take records for this table (${status}): ${said}`,
        { hint: "check --url, the address before /api/items/, and --table" },
      );
    case "redirect":
      return new RecPushError(
        "redirected",
        `${url} points elsewhere (${status})${redirectGoal(end, redact)}`,
        {
          hint: "redirects are not followed, because the token would be sent along; set --url to the service's own address",
        },
      );
    case "request":
      return new RecPushError("request-refused", `${url} refuses the request (${status}): ${said}`, {
        hint:
          status === 415
            ? 'leave "compress" out of the config if it is there; otherwise check --body and -H, and any proxies between this machine and the service'
            : "check --url, --table, --body and -H, and any proxies between this machine and the service",
      });
  }
}

/** The failure that ends a push at once, before anything was sent; `undefined` if the fault is retried. */
export function stopForFault(fault: TransportFault, target: Target): RecPushError | undefined {
  const reason = reasonOf(fault);
  return reason && networkFailure(reason, fault, target);
}

/** The failure for a fault on the way to the service. If the service was never reached, its address is wrong: exit 2. */
function networkFailure(
  reason: NetworkReason,
  { code, message }: TransportFault,
  { origin, network: { proxy, certificates } }: Target,
): RecPushError {
  switch (reason) {
    case "unknown-host":
      return new RecPushError("unknown-host", `the host name of ${origin} is unknown (${code})`, {
        hint: "check --url; if this machine has no network now, run the same command later",
      });
    case "no-tls":
      return new RecPushError("no-https", `the server at ${origin} does not speak https`, {
        hint: "check host and port in --url; http:// is for a service that speaks plain http, on another machine with --allow-http: the token then travels unencrypted",
      });
    case "proxy":
      if (code === "PROXY_407") {
        return new RecPushError(
          "proxy-refused",
          `the proxy ${proxy?.origin} (${proxy?.from}) asks for a user and password, or does not accept those given (407)`,
          {
            hint: "give them where nobody sees them: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT in the environment",
          },
        );
      }
      return new RecPushError("proxy-refused", `${message} (${proxy?.from})`, {
        hint: "check the proxy's address, and whether it lets this machine through; the host of the service in NO_PROXY connects directly",
      });
    case "certificate":
      return new RecPushError("bad-certificate", `the certificate of ${origin} does not verify (${code})`, {
        hint:
          CERTIFICATE_HINTS[code] ??
          (certificates?.ca === undefined
            ? "if your own authority signed it, --ca FILE trusts the certificates in that file; otherwise do not send anything there"
            : "none of the authorities in the file of --ca has signed it: check whether it is the right file"),
      });
    case "own-certificate":
      return certificates?.own === undefined
        ? new RecPushError("certificate-refused", `${origin} wants a client certificate (${code})`, {
            hint: "--cert FILE --key FILE present the one that the service gave you",
          })
        : new RecPushError("certificate-refused", `${origin} refuses the certificate of --cert (${code})`, {
            hint: "check whether it has expired, and whether it is for this service",
          });
  }
}

const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "it has expired, and the service has to renew it; then the same command goes on",
  CERT_NOT_YET_VALID: "it is not valid yet: check this machine's clock (rec-push doctor)",
  ERR_TLS_CERT_ALTNAME_INVALID: "it is for another name: check the host in --url, and any proxies in between",
};

/** The option that accepts an answer, if its text can be named. */
function acceptAnswer(
  answer: Answer,
  { records, redact }: Ended,
): { readonly hint: string; readonly options?: readonly string[] } {
  const text = okMessageFor(answer, records, redact);
  if (text === undefined)
    return {
      hint: `ask those who run the service what this answer means; only "${OK_MSG}" alone says that all records were applied`,
    };
  const all = records === 1 ? "the record was" : `all ${records} records were`;
  const count = text.includes("{n}") ? ", in which {n} stands for the number of records" : "";
  const option = `--ok-msg ${quoteWord(text)}`;
  return {
    hint: `if this says that ${all} applied, ${option} accepts it from now on${count}; otherwise check the records in the service`,
    options: [option],
  };
}

/** The address that a redirect points to, without user, query and fragment. */
function redirectGoal({ location }: Answer, redact: (text: string) => string): string {
  if (location === undefined) return "";
  const goal = location.replace(/[?#].*$/s, "").replace(/^([a-z]+:)?\/\/[^/]*@/i, "$1//");
  return `, to ${toOneLine(redact(goal))}`;
}

/** The service's `msg`, or a description of another answer: one line, without secrets. */
export function describeEnd(end: Answer | TransportFault, redact: (text: string) => string): string {
  if (end.kind === "fault") {
    return end.detail === undefined ? end.message : toOneLine(`${end.message}: ${redact(end.detail)}`);
  }
  // In a 2xx answer other members may name records that were not applied.
  const isTold = end.msg !== undefined && (end.text === "" || end.status < 200 || end.status >= 300);
  if (isTold) return toOneLine(redact(end.msg));
  const text = toOneLine(redact(end.text));
  if (end.msg !== undefined) return text;
  const name = STATUS_CODES[end.status];
  const what = name === undefined ? "an answer without msg" : `${name}, without msg`;
  return text === "" ? what : `${what}: ${text}`;
}
