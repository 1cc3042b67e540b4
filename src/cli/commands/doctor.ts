import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { EXIT, exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/text.ts";
import { readValues } from "../../options/read-values.ts";
import { formatEvent } from "../../report/json-event.ts";
import { openPaint, tellOn } from "../../report/terminal-lines.ts";
import { exchangeOnce, type RawAnswer, type TransportFault } from "../../send/exchange.ts";
import { Tokens } from "../../send/tokens.ts";
import { defaultSendSettings, type SendSettings, systemClock } from "../../send/settings.ts";
import { stopForFault } from "../../send/stop-failure.ts";
import { displayUrl, type Target } from "../../send/target.ts";
import { mendPlace } from "../../store/state-directory.ts";
import { applyConfig } from "../config/apply-config.ts";
import { createRedactor } from "../line-secrets.ts";
import type { CommandLine } from "../program.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { notStarted } from "../session.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

const TIMEOUT_MS = 10_000;

/**
 * Sends HEAD to the address that records are posted to, by the same route as a push, with these headers of the target
 * or with none of them. Redirects are not followed.
 */
async function probeService(
  target: Target,
  ofTarget: readonly string[],
  userAgent: string,
): Promise<RawAnswer | TransportFault> {
  // There is no body, so there is no content type either.
  const headers = ofTarget.filter((_, at) => ofTarget[at - (at % 2)] !== "content-type");
  if (!ofTarget.includes("user-agent")) headers.push("user-agent", userAgent);
  const head = {
    method: "HEAD",
    path: target.requestPath(),
    headers,
    body: null,
    timeoutMs: TIMEOUT_MS,
  } as const;
  return exchangeOnce(target, head, new AbortController().signal);
}

/** The table that is asked about if none is named; nothing is read from it and nothing is sent to it. */
const NO_TABLE = "rec-push-doctor";

/** `rec-push doctor`: checks what a push needs, from the config to the service, without sending a record. */
export async function runDoctor({ options }: CommandLine, io: Io): Promise<number> {
  const { json = false } = readValues(options);
  const findings = await examine({ options, command: "doctor", files: [] }, io);
  if (!json) await tellFindings(findings, io);
  else
    for (const { exitCode: _, ...finding } of findings)
      io.stdout.write(formatEvent("finding", finding, io.now()));
  return findings.find(({ exitCode }) => exitCode !== undefined)?.exitCode ?? EXIT.ok;
}

const MARKS = { ok: "ok", wrong: "WRONG", unknown: "?" } as const;

/** Says what was found, a line each: `ok     certificate  valid until 2027-01-12`, and what to do below it. */
export async function tellFindings(findings: readonly Finding[], { stdout, env }: Io): Promise<void> {
  const { green, yellow, red } = await openPaint(stdout, env);
  const colours = { ok: green, wrong: red, unknown: yellow };
  const tell = tellOn(stdout);
  for (const { what, state, text, hint } of findings) {
    const [first = "", ...rest] = [...text.split("\n"), ...(hint === undefined ? [] : hint.split("\n"))];
    tell([
      `${colours[state](MARKS[state].padEnd(5))}  ${what.padEnd(11)}  ${showText(first, 1000)}`,
      ...rest.map((line) => `${" ".repeat(20)}${showText(line.trim(), 1000)}`),
    ]);
  }
}

async function examine({ options }: CommandLine, io: Io): Promise<readonly Finding[]> {
  const program = ok("program", `rec-push ${readVersion()}, Node ${process.versions.node}`);
  const configured = await orFinding("config", () => applyConfig(options, io));
  if ("state" in configured) return [program, configured];
  const { uses, values } = configured;
  const known = uses.map(({ path, table, profile }) =>
    [path, table && `table ${table}`, profile && `profile ${profile}`].filter(Boolean).join(", "),
  );
  const config = ok("config", known.join("; ") || "none");
  const { from } = configured;
  const target = await orFinding("target", () =>
    readTarget(values, values.table ?? NO_TABLE, { line: options, env: io.env, from }),
  );
  const state = await orFinding("state", () => examineState(stateRoot(values, io)));
  const service = "state" in target ? [target] : await examineTarget(target, values.table);
  return [program, config, ...service, state];
}

/** Examines the service of a target. */
export async function examineTarget(target: Target, table: string | undefined): Promise<readonly Finding[]> {
  const redact = createRedactor(target.secrets);
  const where =
    table === undefined
      ? unknown("target", `${target.origin}, no table named (--table)`)
      : ok("target", displayUrl(target));
  const found = await examineService(target, { userAgent: `rec-push/${readVersion()}`, redact });
  return [where, ...found.map((finding) => Object.assign({}, finding, { text: redact(finding.text) }))];
}

/** The result of the work or, as a finding, the failure with which a push would end. */
async function orFinding<Result>(what: string, work: () => Promise<Result>): Promise<Result | Finding> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RecPushError) return findingOf(what, error);
    throw error;
  }
}

/** Whether runs can be kept here, without creating anything. */
async function examineState(root: string): Promise<Finding> {
  const place = await nearestPlace(root);
  try {
    await access(place, constants.W_OK | constants.X_OK);
    return ok("state", root);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return wrong("state", `${place} cannot be written (${code})`, EXIT.fault, mendPlace(code));
  }
}

/** The directory, or the nearest one above it that exists. */
async function nearestPlace(directory: string): Promise<string> {
  for (let at = directory; ; at = dirname(at)) {
    const isThere = await access(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
    );
    if (isThere || dirname(at) === at) return at;
  }
}

/** Examines proxy, connection and token of a service without sending a record. */
async function examineService(
  target: Target,
  settings: Pick<SendSettings, "userAgent" | "redact">,
): Promise<readonly Finding[]> {
  const { proxy } = target.network;
  const way = proxy === undefined ? [] : [ok("proxy", `${proxy.origin} (${proxy.from})`)];
  const { userAgent } = settings;
  const without = await probeService(target, [], userAgent);
  if (without.kind === "fault") return [...way, faultFinding(without, target)];
  const start = [...way, ok("connection", `${target.origin} answers`)];
  const token = await tokenFor(target, settings);
  if (token instanceof RecPushError) return [...start, findingOf("token", token)];
  const withToken = await probeService(target, target.requestHeaders(token), userAgent);
  if (withToken.kind === "fault") return [...start, faultFinding(withToken, target)];
  return [...start, redirectFinding(withToken) ?? tokenFinding(withToken.status, without.status, target)];
}

/** A token, fetched as a push does; `undefined` if the target's headers hold it. */
async function tokenFor(
  target: Target,
  settings: Pick<SendSettings, "userAgent" | "redact">,
): Promise<string | undefined | RecPushError> {
  if (target.client === undefined) return undefined;
  const tokens = new Tokens(
    {
      target,
      settings: { ...defaultSendSettings, ...settings, retries: 0 },
      clock: systemClock,
      random: Math.random,
    },
    target.client,
  );
  const token = await tokens.take();
  await tokens.close();
  return token;
}

/** The finding for a fault with which a push would end. */
function faultFinding(fault: TransportFault, target: Target): Finding {
  const failure = stopForFault(fault, target);
  if (failure !== undefined) return findingOf("connection", failure);
  const text = `${target.origin} does not answer: ${fault.message} (${fault.code})`;
  return wrong("connection", text, EXIT.unreachable, "check the URL and the network");
}

/**
 * A service that checks the token here answers 401 or 403 without it. Equal answers with and without the token prove
 * nothing. A POST would show more, but it is the operation that changes records: even an empty one may change something.
 */
function tokenFinding(withToken: number, without: number, { client, tokenFrom }: Target): Finding {
  const isRefusal = (status: number): boolean => status === 401 || status === 403;
  if (isRefusal(withToken)) {
    const hint =
      tokenFrom === undefined
        ? "look at the rights of this client on the table"
        : `give a valid token; this one came from ${tokenFrom}`;
    return wrong("token", `the service refuses it (${withToken})`, EXIT.credentials, hint);
  }
  if (isRefusal(without)) return ok("token", `accepted (${without} without it)`);
  const origin = client === undefined ? `present, from ${tokenFrom}` : "given to this client";
  const text = `${origin}; the service answers ${withToken} to a question with and without it, so only a push can tell`;
  return unknown("token", text);
}

function redirectFinding({ status }: RawAnswer): Finding | undefined {
  if (status < 300 || status >= 400) return undefined;
  const text = `the service sends requests elsewhere (${status}), which rec-push does not follow, because the token would go there`;
  const hint = "check the URL: http instead of https, or a path that is missing";
  return wrong("token", text, EXIT.request, hint);
}

/** A result of `rec-push doctor`. */
interface Finding {
  readonly what: string;
  /** `unknown`: nothing shows it, or what it depends on has failed. */
  readonly state: "ok" | "wrong" | "unknown";
  readonly text: string;
  /** The next step, if there is one. */
  readonly hint?: string | undefined;
  /** The exit code of a push that runs into this. */
  readonly exitCode?: number;
}

/** The finding for a failure with which a push would end. */
function findingOf(what: string, failure: RecPushError): Finding {
  const code = exitCode({ ...notStarted(failure), signal: undefined });
  return wrong(what, failure.message, code, failure.hint);
}

function ok(what: string, text: string): Finding {
  return { what, state: "ok", text };
}

function unknown(what: string, text: string): Finding {
  return { what, state: "unknown", text };
}

function wrong(what: string, text: string, exitCode: number, hint: string | undefined): Finding {
  return { what, state: "wrong", text, hint, exitCode };
}
