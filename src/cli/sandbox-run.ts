import { RecPushError } from "../model/failure.ts";
import type { OptionTexts } from "../model/option-texts.ts";
import { flagOf, OPTIONS } from "../options/table.ts";
import type { OutputStream } from "../report/output-stream.ts";
import { showCount } from "../model/quantities.ts";
import { wrapWords } from "../report/wrap-line.ts";
import { showText } from "../model/visible-text.ts";
import type { SandboxAddress } from "./target-settings.ts";

/** Enough records to see whether the fields are right. */
const RECORDS_SHOWN = 3;

/** Options that name another service. */
const TARGETS = ["url", "tokenFile", "tokenCommand", "clientId", "proxy", "ca", "cert"] as const;

/** The sandbox of `--sandbox`, which lives as long as the command. */
export interface SandboxRun extends SandboxAddress {
  /** Shows the first records that a table holds now. */
  readonly showTable: (table: string, stdout: OutputStream) => void;
  readonly close: () => Promise<void>;
}

/** Starts a sandbox in this process. Throws a usage error if the command line also names another service. */
export async function openSandboxRun(line: OptionTexts): Promise<SandboxRun> {
  const others = TARGETS.filter((name) => line[name] !== undefined).map((name) =>
    flagOf(name, OPTIONS[name]),
  );
  if (others.length > 0) {
    throw new RecPushError(
      "usage",
      "two-targets",
      `--sandbox is a service of its own: leave out ${others.join(" and ")}`,
    );
  }
  const { SANDBOX_CLIENT } = await import("../sandbox/oauth.ts");
  const { startSandbox } = await import("../sandbox/start-sandbox.ts");
  const sandbox = await startSandbox({ client: SANDBOX_CLIENT });
  return {
    url: sandbox.url,
    token: sandbox.token,
    client: SANDBOX_CLIENT,
    showTable(table, stdout) {
      if (line["json"] === true || line["quiet"] === true) return;
      const records = sandbox.store.snapshot(table);
      if (records.length === 0) return;
      const shown = records.slice(0, RECORDS_SHOWN).flatMap((record) => showRecord(record, stdout));
      const lead = `The sandbox's table ${showText(table)} now holds ${showCount(records.length, "record")}`;
      stdout.write(
        `${lead}${records.length > RECORDS_SHOWN ? ", the first are" : ""}:\n${shown.join("\n")}\n`,
      );
    },
    close: () => sandbox.close(),
  };
}

/** A record as JSON; on a terminal it may be wrapped between members, which are separated by a space for that. */
function showRecord(record: object, { isTTY = false, columns = 80 }: OutputStream): readonly string[] {
  const line = `  ${showText(JSON.stringify(record), 400)}`;
  return isTTY ? wrapWords(line.replaceAll('","', '", "'), columns, "    ") : [line];
}
