import { given } from "../../options/given.ts";
import { readValues } from "../../options/read-values.ts";
import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import type { StopSignal } from "../../model/exit-code.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";

/** The port that people expect; the sandbox of `--sandbox` takes any free port. */
const DEFAULT_PORT = 8700;

/** `rec-push sandbox`: serves until a signal comes; ends with 0. */
export async function runSandbox({ options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  const {
    port = DEFAULT_PORT,
    host,
    allowRemote,
    token,
    dbVersions,
    tables,
    seed,
    atomic,
    fault,
    honourKeys,
  } = values;
  const sandbox = await startSandbox({
    port,
    ...given({ host, allowRemote, token, dbVersions, tables, seed, atomic, faults: fault, honourKeys }),
    ...given({ dataDirectory: values.data, bodyLimitBytes: values.bodyLimit }),
  });
  greet(sandbox, io);
  await nextSignal(io);
  await sandbox.close();
  return 0;
}

function greet({ url, token }: Sandbox, io: Io): void {
  io.stdout.write(
    [
      `sandbox at ${url} (token: ${token})`,
      `what it holds: ${url}/   stop it with Ctrl-C`,
      `push to it:    REC_PUSH_TOKEN=${token} rec-push FILE --table NAME --url ${url}`,
      "",
    ].join("\n"),
  );
}

function nextSignal(io: Io): Promise<StopSignal> {
  return new Promise((resolve) => {
    const remove = io.onSignal((signal) => {
      remove();
      resolve(signal);
    });
  });
}
