import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { dirname } from "node:path";
import { EXIT, exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/text.ts";
import { readValues } from "../../options/read-values.ts";
import { formatEvent } from "../../report/json-event.ts";
import { openPaint, tellOn } from "../../report/terminal-lines.ts";
import { exchangeOnce } from "../../send/exchange.ts";
import { defaultSendSettings, type SendSettings, systemClock } from "../../send/settings.ts";
import { stopForFault } from "../../send/stop-failure.ts";
import { displayUrl, type Target } from "../../send/target.ts";
import { Tokens } from "../../send/tokens.ts";
import { MEND_PLACE } from "../../store/state-directory.ts";
import { applyConfig, type Configured } from "../config/apply-config.ts";
import { createRedactor } from "../line-secrets.ts";
import type { CommandLine } from "../program.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { notStarted } from "../session.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

const TIMEOUT_MS = 10_000;

/** The table that is asked about if none is named; nothing is read from it and nothing is sent to it. */
export const NO_TABLE = "rec-push-doctor";

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

/** A result of `rec-push doctor`. */
interface Finding {
  readonly what: string;
  /** `unknown`: nothing shows it. */
  readonly state: "ok" | "wrong" | "unknown";
  readonly text: string;
  /** The next step, if there is one. */
  readonly hint?: string | undefined;
  /** The exit code of a push that runs into this. */
  readonly exitCode?: number;
}

/** What a check found: that it is well, or that nothing shows whether it is. It throws the failure with which a push would end. */
type Check = () => Promise<string | { readonly unknown: string }>;

async function find(what: string, check: Check): Promise<Finding> {
  try {
    const found = await check();
    return typeof found === "string"
      ? { what, state: "ok", text: found }
      : { what, state: "unknown", text: found.unknown };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message: text, hint } = error;
    const code = exitCode({ ...notStarted(error), signal: undefined });
    return { what, state: "wrong", text, hint, exitCode: code };
  }
}

async function examine({ options }: CommandLine, io: Io): Promise<readonly Finding[]> {
  const read: { configured?: Configured; target?: Target } = {};
  const program = await find(
    "program",
    async () => `rec-push ${readVersion()}, Node ${process.versions.node}`,
  );
  const config = await find("config", async () => {
    read.configured = await applyConfig(options, io);
    const known = read.configured.uses.map(({ path, table, profile }) =>
      [path, table && `table ${table}`, profile && `profile ${profile}`].filter(Boolean).join(", "),
    );
    return known.join("; ") || "none";
  });
  if (read.configured === undefined) return [program, config];
  const { values, from } = read.configured;
  const { table } = values;
  const where = await find("target", async () => {
    const target = await readTarget(values, table ?? NO_TABLE, { line: options, env: io.env, from });
    read.target = target;
    return table === undefined
      ? { unknown: `${target.origin}, no table named (--table)` }
      : displayUrl(target);
  });
  const service = read.target === undefined ? [] : await examineTarget(read.target);
  const state = await find("state", () => examineState(stateRoot(values, io)));
  return [program, config, where, ...service, state];
}

/** Whether runs can be kept here, without creating anything. */
async function examineState(root: string): Promise<string> {
  const place = await nearestPlace(root);
  try {
    await access(place, constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new RecPushError("state-directory", `${place} cannot be written (${code})`, {
      hint: MEND_PLACE,
    });
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
export async function examineTarget(target: Target): Promise<readonly Finding[]> {
  const redact = createRedactor(target.secrets);
  const settings = { userAgent: `rec-push/${readVersion()}`, redact };
  const findings: Finding[] = [];
  const note = async (what: string, check: Check): Promise<void> => {
    const finding = await find(what, check);
    findings.push({ ...finding, text: redact(finding.text) });
  };
  const { proxy } = target.network;
  const answered: { without?: number } = {};
  if (proxy !== undefined) await note("proxy", async () => `${proxy.origin} (${proxy.from})`);
  await note("connection", async () => {
    answered.without = await probeService(target, [], settings.userAgent);
    return `${target.origin} answers`;
  });
  const { without } = answered;
  if (without !== undefined)
    await note("token", async () => {
      const headers = target.requestHeaders(await tokenFor(target, settings));
      return judgeToken(await probeService(target, headers, settings.userAgent), without, target);
    });
  return findings;
}

/**
 * Sends HEAD to the address that records are posted to, by the same route as a push, with these headers of the target
 * or with none of them; returns the status. Redirects are not followed.
 */
async function probeService(target: Target, ofTarget: readonly string[], userAgent: string): Promise<number> {
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
  const answer = await exchangeOnce(target, head, new AbortController().signal);
  if (answer.kind !== "fault") return answer.status;
  const text = `${target.origin} does not answer: ${answer.message} (${answer.code})`;
  throw (
    stopForFault(answer, target) ??
    new RecPushError("keeps-failing", text, { hint: "check the URL and the network" })
  );
}

/** A token, fetched as a push does; `undefined` if the target's headers hold it. */
async function tokenFor(
  target: Target,
  settings: Pick<SendSettings, "userAgent" | "redact">,
): Promise<string | undefined> {
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
  if (token instanceof RecPushError) throw token;
  return token;
}

/**
 * A service that checks the token here answers 401 or 403 without it. Equal answers with and without the token prove
 * nothing. A POST would show more, but it is the operation that changes records: even an empty one may change something.
 */
function judgeToken(withToken: number, without: number, { client, tokenFrom }: Target) {
  const isRefusal = (status: number): boolean => status === 401 || status === 403;
  if (withToken >= 300 && withToken < 400)
    throw new RecPushError(
      "redirected",
      `the service sends requests elsewhere (${withToken}), which rec-push does not follow, because the token would go there`,
      { hint: "check the URL: http instead of https, or a path that is missing" },
    );
  if (isRefusal(withToken))
    throw new RecPushError("credentials-refused", `the service refuses it (${withToken})`, {
      hint:
        tokenFrom === undefined
          ? "look at the rights of this client on the table"
          : `give a valid token; this one came from ${tokenFrom}`,
    });
  if (isRefusal(without)) return `accepted (${without} without it)`;
  const origin = client === undefined ? `present, from ${tokenFrom}` : "given to this client";
  return {
    unknown: `${origin}; the service answers ${withToken} to a question with and without it, so only a push can tell`,
  };
}
