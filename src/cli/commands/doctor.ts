import { access, constants, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { EXIT, exitCode } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { showText } from "../../model/text.ts";
import { formatEvent } from "../../report/json-event.ts";
import { tellOn } from "../../report/terminal-lines.ts";
import { exchangeOnce } from "../../send/exchange.ts";
import { defaultSendSettings, type SendSettings, systemClock } from "../../send/settings.ts";
import { stopForFault } from "../../send/stop-failure.ts";
import { displayUrl, type Target } from "../../send/target.ts";
import { Tokens } from "../../send/tokens.ts";
import { cannotUse } from "../../store/state-directory.ts";
import { applyConfig, type Configured } from "../config/apply-config.ts";
import { createRedactor } from "../line-secrets.ts";
import type { CommandLine } from "../command-line.ts";
import { type Io, stateRoot } from "../run-settings.ts";
import { notStarted } from "../session.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

const TIMEOUT_MS = 10_000;

/** The table that is asked about if none is named; nothing is read from it and nothing is sent to it. */
export const NO_TABLE = "rec-push-doctor";

/** `rec-push doctor`: checks what a push needs, from the config to the service, without sending a record. */
export async function runDoctor({ options }: CommandLine, io: Io): Promise<number> {
  const findings = await examine({ options, command: "doctor", files: [] }, io);
  if (options["json"] !== true) tellFindings(findings, io);
  else
    for (const { exitCode: _, ...finding } of findings)
      io.stdout.write(formatEvent("finding", finding, io.now()));
  return findings.find(({ exitCode }) => exitCode !== undefined)?.exitCode ?? EXIT.ok;
}

/** Says what was found, a line each: `ok     certificate  valid until 2027-01-12`, and what to do below it. */
export function tellFindings(findings: readonly Finding[], { stdout }: Io): void {
  const tell = tellOn(stdout);
  for (const { what, state, text, hint } of findings) {
    const [first = "", ...rest] = [...text.split("\n"), ...(hint === undefined ? [] : hint.split("\n"))];
    tell([
      `${(state === "ok" ? "ok" : "WRONG").padEnd(5)}  ${what.padEnd(11)}  ${showText(first, 1000)}`,
      ...rest.map((line) => `${" ".repeat(20)}${showText(line.trim(), 1000)}`),
    ]);
  }
}

/** A result of `rec-push doctor`. */
interface Finding {
  readonly what: string;
  readonly state: "ok" | "wrong";
  readonly text: string;
  /** The next step, if there is one. */
  readonly hint?: string | undefined;
  /** The exit code of a push that runs into this. */
  readonly exitCode?: number;
}

/** Makes a finding; `check` says what is well, or throws the failure with which a push would end. */
async function find(
  what: string,
  check: () => Promise<string>,
  redact = (text: string): string => text,
): Promise<Finding> {
  try {
    return { what, state: "ok", text: redact(await check()) };
  } catch (error) {
    if (!(error instanceof RecPushError)) throw error;
    const { message, hint } = error;
    const code = exitCode({ ...notStarted(error), signal: undefined });
    return { what, state: "wrong", text: redact(message), hint, exitCode: code };
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
    return table === undefined ? `${target.origin}, no table named (--table)` : displayUrl(target);
  });
  const service = read.target === undefined ? [] : await examineTarget(read.target);
  const state = await find("state", () => examineState(stateRoot(values, io)));
  return [program, config, where, ...service, state];
}

/** Whether runs can be kept here, without creating anything: in the directory, or in the nearest one above it that is there. */
async function examineState(root: string): Promise<string> {
  for (let at = root; ; at = dirname(at))
    try {
      await access(at, constants.W_OK | constants.X_OK);
      return at === root ? root : `${root}, which the first push makes`;
    } catch (cause) {
      // A link whose goal is gone may lead to a disk that is not mounted.
      const isLink = (await lstat(at).catch(() => undefined)) !== undefined;
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || isLink || dirname(at) === at)
        throw cannotUse(root, cause);
    }
}

/** Examines proxy, service and token without sending a record. */
export async function examineTarget(target: Target): Promise<readonly Finding[]> {
  const redact = createRedactor(target.secrets);
  const settings = { userAgent: `rec-push/${readVersion()}`, redact };
  const { proxy } = target.network;
  const probe = async (): Promise<string> =>
    probeService(target, await tokenFor(target, settings), settings.userAgent);
  return [
    ...(proxy === undefined
      ? []
      : [await find("proxy", async () => `${proxy.origin} (${proxy.from})`, redact)]),
    await find("service", probe, redact),
  ];
}

/**
 * Sends HEAD to the address that records are posted to, by the same route and with the same headers as a push; says what it
 * answers. A POST would show more, but it is the operation that changes records: even an empty one may change something.
 */
async function probeService(target: Target, token: string | undefined, userAgent: string): Promise<string> {
  const ofTarget = target.requestHeaders(token);
  // There is no body, so there is no content type either.
  const headers = ofTarget.filter((_, at) => ofTarget[at - (at % 2)] !== "content-type");
  if (!ofTarget.includes("user-agent")) headers.push("user-agent", userAgent);
  const path = target.requestPath();
  const head = { method: "HEAD", path, headers, body: null, timeoutMs: TIMEOUT_MS } as const;
  const answer = await exchangeOnce(target, head, new AbortController().signal);
  const { origin, tokenFrom } = target;
  if (answer.kind === "fault")
    throw (
      stopForFault(answer, target) ??
      new RecPushError("keeps-failing", `${origin} does not answer: ${answer.message} (${answer.code})`, {
        hint: "check the URL and the network",
      })
    );
  const { status } = answer;
  if (status >= 300 && status < 400)
    throw new RecPushError(
      "redirected",
      `the service sends requests elsewhere (${status}), which rec-push does not follow, because the token would go there`,
      { hint: "check the URL: http instead of https, or a path that is missing" },
    );
  if (status === 401 || status === 403)
    throw new RecPushError("credentials-refused", `the service refuses the token (${status})`, {
      hint:
        tokenFrom === undefined
          ? "look at the rights of this client on the table"
          : `give a valid token; this one came from ${tokenFrom}`,
    });
  const whose = tokenFrom === undefined ? "given to this client" : `from ${tokenFrom}`;
  return `${origin} answers ${status} to a question with the token ${whose}; only a push can tell more`;
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
