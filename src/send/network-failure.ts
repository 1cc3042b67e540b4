import { RecPushError } from "../model/failure.ts";
import type { Answer } from "./answer.ts";
import type { StopReason } from "./outcome.ts";
import type { Target } from "./target.ts";
import type { TransportFault } from "./transport-fault.ts";

/** What went wrong on the way to the service. */
type NetworkReason = Extract<StopReason, "host" | "no-tls" | "proxy" | "certificate" | "own-certificate">;

/**
 * Puts a stop on the way to the service into words. If waiting helps, the exit code is 7; otherwise an option or the
 * environment has to be corrected: exit 2, or 6 if something was already sent.
 */
export function networkFailure(
  reason: NetworkReason,
  end: Answer | TransportFault,
  { origin, network: { proxy, certificates } }: Target,
  hasReached: boolean,
): RecPushError {
  const toMend = hasReached ? "request" : "usage";
  const code = end.kind === "answer" ? `${end.status}` : end.code;
  switch (reason) {
    case "host":
      return new RecPushError(toMend, "unknown-host", `the host name of ${origin} is unknown (${code})`, {
        hint: "check --url; if this machine has no network now, run the same command later",
      });
    case "no-tls":
      return new RecPushError(toMend, "wrong-address", `what answers at ${origin} does not speak https`, {
        hint: "check host and port in --url; http:// is for a service that speaks plain http, on another machine with --allow-http: the token then travels unencrypted",
      });
    case "proxy":
      return proxyFailure(end, toMend, proxy?.origin ?? "in between", proxy?.from);
    case "certificate":
      return certificateFailure(code, origin, certificates?.ca !== undefined);
    case "own-certificate":
      return new RecPushError(
        "credentials",
        "certificate-refused",
        certificates?.own === undefined
          ? `${origin} wants a client certificate (${code})`
          : `${origin} refuses the certificate of --cert (${code})`,
        {
          hint:
            certificates?.own === undefined
              ? "--cert FILE --key FILE present the one that the service gave you"
              : "check whether it has expired, and whether it is for this service",
        },
      );
  }
}

/** The failure that ends a push at once, before anything was sent; `undefined` if the fault is retried. */
export function stopForFault(fault: TransportFault, target: Target): RecPushError | undefined {
  switch (fault.stage) {
    case "unknown-host":
      return networkFailure("host", fault, target, false);
    case "no-tls":
    case "proxy":
    case "certificate":
    case "own-certificate":
      return networkFailure(fault.stage, fault, target, false);
    case "not-connected":
    case "nothing-written":
    case "lost":
    case "timeout":
    case "cut":
      return undefined;
  }
}

function proxyFailure(
  end: Answer | TransportFault,
  toMend: "request" | "usage",
  origin: string,
  from: string | undefined,
): RecPushError {
  const status = end.kind === "answer" ? end.status : undefined;
  const isWho = status === 407 || (end.kind === "fault" && end.code === "PROXY_407");
  const source = from === undefined ? "" : ` (${from})`;
  if (isWho) {
    return new RecPushError(
      toMend,
      "proxy-credentials",
      `the proxy ${origin}${source} asks for a user and password, or does not accept those given (407)`,
      {
        hint: "give them where nobody sees them: HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT in the environment",
      },
    );
  }
  const said = end.kind === "answer" ? `the proxy ${origin} answers ${end.status}` : end.message;
  return new RecPushError(toMend, "proxy-refused", `${said}${source}`, {
    hint: "check the proxy's address, and whether it lets this machine through; --proxy http://HOST:PORT names another, --proxy none (or the host in NO_PROXY) connects directly",
  });
}

function certificateFailure(code: string, origin: string, hasAuthorities: boolean): RecPushError {
  const message = `the certificate of ${origin} does not verify (${code})`;
  const stop = (kind: "request" | "usage" | "unreachable", hint: string): RecPushError =>
    new RecPushError(kind, "bad-certificate", message, { hint });
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return stop(
        "unreachable",
        "it has expired, and the service has to renew it; then the same command goes on",
      );
    case "CERT_NOT_YET_VALID":
      return stop("unreachable", "it is not valid yet: check this machine's clock (rec-push doctor)");
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return stop("request", "it is for another name: check the host in --url, and any proxies in between");
    default:
      return stop(
        "request",
        hasAuthorities
          ? "none of the authorities in the file of --ca has signed it: check whether it is the right file"
          : "if your own authority signed it, --ca FILE trusts the certificates in that file; otherwise do not send anything there",
      );
  }
}
