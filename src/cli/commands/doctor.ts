import { RecPushError } from "../../model/failure.ts";
import { EXIT } from "../../model/exit-code.ts";
import type { OptionValues } from "../../options/table.ts";
import { readValues } from "../../options/read-values.ts";
import { describeFinding } from "../../report/finding-line.ts";
import { formatEvent } from "../../report/json-event.ts";
import { openPaint } from "../../report/paint.ts";
import { SILENT_PROGRESS } from "../../report/progress.ts";
import { tellOn } from "../../report/tell.ts";
import { displayUrl, type Target } from "../../send/target.ts";
import { applyConfig, type Configured } from "../config/apply-config.ts";
import { examineService } from "../doctor/examine-service.ts";
import { examineState } from "../doctor/examine-state.ts";
import { type Finding, findingOf } from "../doctor/finding.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { createGrowingRedactor } from "../secrets.ts";
import { stateRoot } from "../state-settings.ts";
import { readTarget } from "../target-settings.ts";
import { readVersion } from "../version.ts";

/** The table that is asked about if none is named; nothing is read from it and nothing is sent to it. */
const NO_TABLE = "rec-push-doctor";

/** `rec-push doctor`: checks what a push needs, from the config to the service, without sending a record. */
export async function runDoctor({ options }: CommandLine, io: Io): Promise<number> {
  const { json = false, color } = readValues(options);
  const paint = await openPaint(io.stdout, io.env, color);
  const tell = tellOn(io.stdout, SILENT_PROGRESS);
  const findings = await examine({ options, command: "doctor", files: [] }, io);
  for (const { exitCode: _, ...finding } of findings) {
    if (json) io.stdout.write(formatEvent("finding", finding, io.now()));
    else tell(describeFinding(finding, paint));
  }
  return findings.find(({ exitCode }) => exitCode !== undefined)?.exitCode ?? EXIT.ok;
}

async function examine({ options }: CommandLine, io: Io): Promise<readonly Finding[]> {
  const program: Finding = {
    what: "program",
    state: "ok",
    text: `rec-push ${readVersion()}, Node ${process.versions.node}`,
  };
  const configured = await orFinding("config", () => applyConfig(options, io));
  if ("state" in configured) return [program, configured];
  const { uses, values } = configured;
  const known = uses.map(({ path, table, profile }) =>
    [path, table && `table ${table}`, profile && `profile ${profile}`].filter(Boolean).join(", "),
  );
  const config: Finding = {
    what: "config",
    state: "ok",
    text: known.length === 0 ? "none" : known.join("; "),
  };
  const target = await orFinding("target", () => openTarget(configured, io));
  const isTarget = !("state" in target);
  const url = isTarget && values.table !== undefined ? target.origin + target.path : undefined;
  const state = await orFinding("state", () => examineState(stateRoot(values, io), url));
  const service = isTarget ? await describeService(target, values, io) : [target];
  return [program, config, ...service, ...[state].flat()];
}

function openTarget({ values, credentials }: Configured, io: Io): Promise<Target> {
  return readTarget(values, values.table ?? NO_TABLE, io.env, undefined, credentials);
}

async function describeService(target: Target, { table }: OptionValues, io: Io): Promise<readonly Finding[]> {
  const redact = createGrowingRedactor(target.secrets);
  const where: Finding =
    table === undefined
      ? { what: "target", state: "unknown", text: `${target.origin}, no table named (--table)` }
      : { what: "target", state: "ok", text: displayUrl(target) };
  const found = await examineService(target, { userAgent: `rec-push/${readVersion()}`, redact }, io.now);
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
