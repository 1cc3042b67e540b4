import { given } from "../../options/declaration.ts";
import { readValues } from "../../options/read-values.ts";
import { SANDBOX_CLIENT } from "../../sandbox/oauth.ts";
import { type Sandbox, startSandbox } from "../../sandbox/start-sandbox.ts";
import type { CommandLine } from "../command-line.ts";
import type { Io } from "../run-settings.ts";

/** The port that people expect; the sandbox of `--sandbox` takes any free port. */
const DEFAULT_PORT = 8700;

/** `rec-push sandbox`: serves until a signal comes; ends with 0. */
export async function runSandbox({ options }: CommandLine, io: Io): Promise<number> {
  const values = readValues(options);
  const { port = DEFAULT_PORT, token, dbVersions, fault, limit } = values;
  const sandbox = await startSandbox({
    port,
    ...given({ client: values.oauth === true ? SANDBOX_CLIENT : undefined, limit }),
    ...given({ token, dbVersions, faults: fault }),
  });
  greet(sandbox, values.oauth === true, io);
  await new Promise((resolve) => {
    const remove = io.onSignal((signal) => {
      remove();
      resolve(signal);
    });
  });
  await sandbox.close();
  return 0;
}

function greet({ url, token }: Sandbox, isOAuth: boolean, io: Io): void {
  const rest = `rec-push FILE --table NAME --url ${url}`;
  const { id, secret } = SANDBOX_CLIENT;
  io.stdout.write(
    [
      `sandbox at ${url} (token: ${token})`,
      `its tables:    ${url}/   (Ctrl-C stops it)`,
      `push to it:    REC_PUSH_TOKEN=${token} ${rest}`,
      ...(isOAuth
        ? [`with OAuth:    REC_PUSH_CLIENT_ID=${id} REC_PUSH_CLIENT_SECRET=${secret} ${rest} --auth oauth2`]
        : []),
      "",
    ].join("\n"),
  );
}
