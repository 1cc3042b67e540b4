import type { Sandbox } from "../../sandbox/start-sandbox.ts";
import { startSandbox } from "../../sandbox/start-sandbox.ts";
import type { Io, StopSignal } from "../io.ts";
import type { CommandLine } from "../program.ts";
import { given, isSet, parsed, textOf, textsOf } from "../raw-options.ts";
import { parseBytes, parseCount } from "../values.ts";

/** `rec-push sandbox`: serves until a signal comes; ends with 0. */
export async function runSandbox({ options }: CommandLine, io: Io): Promise<number> {
  const sandbox = await startSandbox({
    faults: textsOf(options, "fault"),
    atomic: options["atomic"] !== false,
    allowRemote: isSet(options, "allowRemote"),
    ...given({
      host: textOf(options, "host"),
      port: parsed(options, "port", (option, value) => parseCount(option, value, 0)),
      token: textOf(options, "token"),
      dbVersions: listOf(textOf(options, "dbVersions")),
      tables: listOf(textOf(options, "tables")),
      dataDirectory: textOf(options, "data"),
      bodyLimitBytes: parsed(options, "bodyLimit", parseBytes),
      seed: parsed(options, "seed", (option, value) => parseCount(option, value, 0)),
    }),
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

function listOf(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((part) => part.trim());
}

function nextSignal(io: Io): Promise<StopSignal> {
  return new Promise((resolve) => {
    const remove = io.onSignal((signal) => {
      remove();
      resolve(signal);
    });
  });
}
