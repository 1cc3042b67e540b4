import { EXIT } from "../../model/exit-code.ts";
import { showDuration } from "../../model/quantities.ts";
import { type ProbeAnswer, probeService, resolveHost } from "../../send/probe-service.ts";
import type { Target } from "../../send/target.ts";
import type { Finding } from "./finding.ts";

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is worth a word, as renewals are made thirty days before. */
const ENDS_SOON_MS = 14 * DAY_MS;
/** `Retry-After` as a date, and what the log of the service says, are off by as much. */
const CLOCK_SKEW_MS = 60_000;

/** Name, connection, certificate, token and clock of a service, found out without a POST. */
export async function examineService(
  target: Target,
  userAgent: string,
  now: () => Date,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    findings.push({ what: "name", state: "ok", text: (await resolveHost(target)).join(", ") });
  } catch (error) {
    return [unreachable("name", `${new URL(target.origin).hostname} is not known (${codeOf(error)})`)];
  }
  let withToken: ProbeAnswer;
  let without: ProbeAnswer;
  try {
    without = await probeService(target, false, userAgent);
    withToken = await probeService(target, true, userAgent);
  } catch (error) {
    return [...findings, unreachable("connection", `${target.origin} does not answer: ${codeOf(error)}`)];
  }
  findings.push({ what: "connection", state: "ok", text: `${target.origin} answers` });
  return [
    ...findings,
    ...certificateFindings(withToken, now()),
    redirectFinding(withToken) ?? tokenFinding(withToken.status, without.status),
    clockFinding(withToken, now()),
  ];
}

/**
 * A service that asks for the token answers 401 or 403 without it. One that answers alike with and without it tells
 * nothing: a POST would, but even an empty one is the operation that changes records, and its effect is the service's
 * own business.
 */
function tokenFinding(withToken: number, without: number): Finding {
  const isRefusal = (status: number): boolean => status === 401 || status === 403;
  if (isRefusal(withToken)) {
    return {
      what: "token",
      state: "wrong",
      text: `the service refuses it (${withToken})`,
      hint: "give a valid token in REC_PUSH_TOKEN or --token-file",
      exitCode: EXIT.credentials,
    };
  }
  if (isRefusal(without)) return { what: "token", state: "ok", text: `accepted (${without} without it)` };
  return {
    what: "token",
    state: "unknown",
    text: `present; the service answers ${withToken} to a question with and without it, so only a push tells`,
  };
}

function redirectFinding({ status }: ProbeAnswer): Finding | undefined {
  if (status < 300 || status >= 400) return undefined;
  return {
    what: "token",
    state: "wrong",
    text: `the service sends requests elsewhere (${status}), which rec-push does not follow, as the token would go there`,
    hint: "look at the URL: http instead of https, or a path that is missing",
    exitCode: EXIT.request,
  };
}

function certificateFindings({ certificateEndsMs }: ProbeAnswer, now: Date): readonly Finding[] {
  if (certificateEndsMs === undefined) return [];
  const day = new Date(certificateEndsMs).toISOString().slice(0, 10);
  if (certificateEndsMs - now.getTime() > ENDS_SOON_MS)
    return [{ what: "certificate", state: "ok", text: `valid until ${day}` }];
  return [{ what: "certificate", state: "warning", text: `ends on ${day}`, hint: "ask for a new one" }];
}

function clockFinding({ dateMs }: ProbeAnswer, now: Date): Finding {
  if (dateMs === undefined)
    return { what: "clock", state: "unknown", text: "the service does not tell its time" };
  const skew = now.getTime() - dateMs;
  if (Math.abs(skew) < CLOCK_SKEW_MS) return { what: "clock", state: "ok", text: "that of the service" };
  const text = `${showDuration(Math.abs(skew))} ${skew > 0 ? "ahead of" : "behind"} that of the service`;
  return { what: "clock", state: "warning", text, hint: "set this machine's clock, with NTP for instance" };
}

function unreachable(what: string, text: string): Finding {
  const hint = "look at the URL and at the network; rec-push uses no proxy";
  return { what, state: "wrong", text, hint, exitCode: EXIT.unreachable };
}

/** The code of a system error, or what it says. */
function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
