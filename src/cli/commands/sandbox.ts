import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { quoteWord } from "../../model/shell-word.ts";
import { given } from "../../options/given.ts";
import { readValues } from "../../options/read-values.ts";
import { SANDBOX_CLIENT } from "../../sandbox/client-tokens.ts";
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
  const { oauth = false, tls = false, limit } = values;
  const made = tls ? await openTls() : undefined;
  const sandbox = await startSandbox({
    port,
    ...given({ client: oauth ? SANDBOX_CLIENT : undefined, tls: made?.tls, limit }),
    ...given({ host, allowRemote, token, dbVersions, tables, seed, atomic, faults: fault, honourKeys }),
    ...given({ dataDirectory: values.data, bodyLimitBytes: values.bodyLimit }),
  }).catch(async (error: unknown) => {
    await made?.close();
    throw error;
  });
  greet(sandbox, made?.caFile, oauth, io);
  await nextSignal(io);
  await sandbox.close();
  await made?.close();
  return 0;
}

function greet({ url, token }: Sandbox, caFile: string | undefined, isOAuth: boolean, io: Io): void {
  const rest = `rec-push FILE --table NAME --url ${url}${caFile === undefined ? "" : ` --ca ${quoteWord(caFile)}`}`;
  const { id, secret } = SANDBOX_CLIENT;
  io.stdout.write(
    [
      `sandbox at ${url} (token: ${token})`,
      `what it holds: ${url}/   stop it with Ctrl-C`,
      `push to it:    REC_PUSH_TOKEN=${token} ${rest}`,
      ...(isOAuth
        ? [`with OAuth:    REC_PUSH_CLIENT_ID=${id} REC_PUSH_CLIENT_SECRET=${secret} ${rest} --auth oauth2`]
        : []),
      "",
    ].join("\n"),
  );
}

/** Certificates for this machine, and the file of their authority, which is removed at the end. */
async function openTls() {
  const { makeAuthority } = await import("../../sandbox/tls/make-certificate.ts");
  const authority = makeAuthority("rec-push sandbox", Date.now());
  const directory = await mkdtemp(join(tmpdir(), "rec-push-sandbox-"));
  const caFile = join(directory, "ca.pem");
  await writeFile(caFile, authority.cert);
  return {
    tls: authority.issue(["localhost", "127.0.0.1", "::1"]),
    caFile,
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

function nextSignal(io: Io): Promise<StopSignal> {
  return new Promise((resolve) => {
    const remove = io.onSignal((signal) => {
      remove();
      resolve(signal);
    });
  });
}
