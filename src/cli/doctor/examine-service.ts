import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { showDuration } from "../../model/quantities.ts";
import { type ProbeAnswer, probeService, resolveHost } from "../../send/probe-service.ts";
import { systemClock } from "../../send/clock.ts";
import { stopForFault } from "../../send/network-failure.ts";
import { createTokens } from "../../send/oauth/tokens.ts";
import { defaultSendSettings, type SendSettings } from "../../send/settings.ts";
import type { Target } from "../../send/target.ts";
import { connectFault, type TransportFault } from "../../send/transport-fault.ts";
import { type Finding, findingOf } from "./finding.ts";

const DAY_MS = 86_400_000;
/** If a certificate ends sooner than this, it is worth a warning, because renewals are made thirty days ahead. */
const ENDS_SOON_MS = 14 * DAY_MS;
/** With a skew above this, `Retry-After` dates and times in the service's log would mislead. */
const CLOCK_SKEW_MS = 60_000;

/** Examines proxy or name, connection, certificate, token and clock of a service without sending a record. */
export async function examineService(
  target: Target,
  settings: Pick<SendSettings, "userAgent" | "redact">,
  now: () => Date,
): Promise<readonly Finding[]> {
  const way = await wayFinding(target);
  if (way.state !== "ok") return [way];
  const { userAgent } = settings;
  const without = await probeService(target, [], userAgent);
  if (without.kind === "fault") return [way, faultFinding(without, target)];
  const answers: Finding = { what: "connection", state: "ok", text: `${target.origin} answers` };
  const start = [way, answers, ...certificateFindings(without, now())];
  const token = await tokenFor(target, settings);
  if (token instanceof RecPushError)
    return [...start, findingOf("token", token), clockFinding(without, now())];
  const withToken = await probeService(target, target.requestHeaders(token), userAgent);
  if (withToken.kind === "fault") return [...start, faultFinding(withToken, target)];
  return [
    ...start,
    redirectFinding(withToken) ?? tokenFinding(withToken.status, without.status, target),
    clockFinding(withToken, now()),
  ];
}

/** The proxy, which resolves the service's name, or else the addresses of that name. */
async function wayFinding(target: Target): Promise<Finding> {
  const { proxy } = target.network;
  if (proxy !== undefined) return { what: "proxy", state: "ok", text: `${proxy.origin} (${proxy.from})` };
  try {
    return { what: "name", state: "ok", text: (await resolveHost(target)).join(", ") };
  } catch (error) {
    return faultFinding(connectFault(error), target, "name");
  }
}

/** A token, fetched as a push does; `undefined` if the target's headers hold it. */
async function tokenFor(
  target: Target,
  settings: Pick<SendSettings, "userAgent" | "redact">,
): Promise<string | undefined | RecPushError> {
  const tokens = createTokens({
    target,
    settings: { ...defaultSendSettings, ...settings, retries: 0 },
    clock: systemClock,
    random: Math.random,
  });
  const token = await tokens?.take();
  await tokens?.close();
  return token;
}

/** The finding for a fault with which a push would end. */
function faultFinding(fault: TransportFault, target: Target, what = "connection"): Finding {
  const failure = stopForFault(fault, target);
  if (failure !== undefined) return findingOf(what, failure);
  return {
    what,
    state: "wrong",
    text: `${target.origin} does not answer: ${fault.message} (${fault.code})`,
    hint: "check the URL and the network",
    exitCode: EXIT.unreachable,
  };
}

/**
 * A service that checks the token here answers 401 or 403 without it. If it answers the same with and without, that
 * proves nothing. A POST would show more, but even an empty one is the operation that changes records, and what it does
 * is up to the service.
 */
function tokenFinding(withToken: number, without: number, { client, tokenFrom }: Target): Finding {
  const isRefusal = (status: number): boolean => status === 401 || status === 403;
  if (isRefusal(withToken)) {
    return {
      what: "token",
      state: "wrong",
      text: `the service refuses it (${withToken})`,
      hint:
        tokenFrom === undefined
          ? "look at the rights of this client on the table"
          : `give a valid token; this one came from ${tokenFrom}`,
      exitCode: EXIT.credentials,
    };
  }
  if (isRefusal(without)) return { what: "token", state: "ok", text: `accepted (${without} without it)` };
  return {
    what: "token",
    state: "unknown",
    text: `${client === undefined ? `present, from ${tokenFrom}` : "given to this client"}; the service answers ${withToken} to a question with and without it, so only a push can tell`,
  };
}

function redirectFinding({ status }: ProbeAnswer): Finding | undefined {
  if (status < 300 || status >= 400) return undefined;
  return {
    what: "token",
    state: "wrong",
    text: `the service sends requests elsewhere (${status}), which rec-push does not follow, because the token would go there`,
    hint: "check the URL: http instead of https, or a path that is missing",
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
    return { what: "clock", state: "unknown", text: "the service does not say its time" };
  const skew = now.getTime() - dateMs;
  if (Math.abs(skew) < CLOCK_SKEW_MS) return { what: "clock", state: "ok", text: "that of the service" };
  const text = `${showDuration(Math.abs(skew))} ${skew > 0 ? "ahead of" : "behind"} that of the service`;
  return { what: "clock", state: "warning", text, hint: "set this machine's clock, with NTP for instance" };
}
