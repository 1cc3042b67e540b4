import { createPrivateKey } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { push as pushFromProgram } from "../../src/library/index.ts";
import { fixture } from "../support/fixture.ts";
import { heldBy, openSandbox } from "../support/push-to-sandbox.ts";
import { makeStateHome, runMain } from "../support/run-main.ts";
import { makeFile } from "../support/temp-files.ts";
import { CA_FILE, openTlsSandbox, type TlsOptions } from "../support/tls-sandbox.ts";

const CA = ["--ca", CA_FILE];
const OTHER_CA = ["--ca", fixture("tls/other-authority.pem")];
const STRANGER = [...CA, "--cert", fixture("tls/stranger.pem"), "--retries", "0"];
const ROWS = "cle,num_commande\nA1,1\n,2\n,3\n";

async function push(port: number, argv: readonly string[]) {
  const file = await makeFile("a.csv", ROWS);
  const target = ["-t", "commandes", "--url", `https://127.0.0.1:${port}`];
  return runMain([file, ...target, ...argv], { env: { REC_PUSH_TOKEN: "sandbox" } });
}

describe("the certificate of a service", () => {
  it("is trusted where the authority of --ca has signed it", async () => {
    const { sandbox, port, caFile } = await openTlsSandbox();
    expect(await push(port, ["--ca", caFile])).toMatchObject({ code: 0 });
    expect(heldBy(sandbox)).toHaveLength(3);
  });

  it.each<[string, TlsOptions, readonly string[], number, ...string[]]>([
    ["of an unknown authority", {}, [], 6, "--ca FILE trusts"],
    ["of another authority than FILE's", {}, OTHER_CA, 6, "whether it is the right file"],
    ["for another name", { certificate: "other-name" }, CA, 6, "it is for another name"],
    ["that has expired", { certificate: "expired" }, CA, 6, "the service has to renew it"],
    // The service read nothing, so there is no doubt.
    ["of ours that is missing", { isAsking: true }, CA, 5, "--cert FILE --key FILE present", "3 not sent"],
    ["of ours after which the service hangs up silently", { isAsking: true }, STRANGER, 8, "2 in doubt"],
  ])("%s stops the push, and it says what helps", async (_, options, words, exit, ...said) => {
    const { sandbox, port } = await openTlsSandbox(options);
    const { code, stdout, stderr } = await push(port, words);
    expect(code).toBe(exit);
    for (const text of said) expect(stdout + stderr).toContain(text);
    expect(sandbox.requests().requests).toBe(0);
  });

  const unchecked = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns the check of certificates off";
  const unset = (port: number) => ({
    XDG_STATE_HOME: makeStateHome(),
    REC_PUSH_TOKEN: "sandbox",
    REC_PUSH_URL: `https://127.0.0.1:${port}`,
  });

  it.each(["push", "resume", "doctor"])(
    "is not left unchecked because the environment says so: %s",
    async (command) => {
      const { sandbox, port } = await openTlsSandbox();
      const env = unset(port);
      const file = await makeFile("a.csv", ROWS);
      // Left open, so that there is a run to resume.
      if (command === "resume") await runMain([file, "-t", "commandes"], { env });
      const argv = command === "push" ? [file, "-t", "commandes"] : [command];
      const { code, stdout, stderr } = await runMain(argv, {
        env: { ...env, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
      });
      expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(unchecked)]);
      expect(stdout + stderr).toContain("--ca FILE");
      expect(sandbox.requests().requests).toBe(0);
    },
  );

  it("is not left unchecked where a program's environment says so", async () => {
    const { sandbox, port } = await openTlsSandbox();
    const env = { ...unset(port), NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const run = pushFromProgram(await makeFile("a.csv", ROWS), { table: "commandes", env });
    await expect(run.summary()).rejects.toMatchObject({
      kind: "usage",
      message: expect.stringContaining(unchecked),
      summary: { exitCode: 2 },
    });
    expect(sandbox.requests().requests).toBe(0);
  });
});

describe("https to a service that speaks plain http", () => {
  it("stops the push at once, and advises to look at --url", async () => {
    const sandbox = await openSandbox();
    const { code, stderr } = await push(sandbox.port, []);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /error: the server at https:\/\/\S+ does not speak https\n {2}check host and port/,
    );
    expect(stderr).not.toContain("wait until");
    expect(stderr).not.toContain("SSL routines");
  });
});

describe("our client certificate", () => {
  it("is presented if the service wants one", async () => {
    const { port, caFile } = await openTlsSandbox({ isAsking: true });
    const files = [fixture("tls/client.pem"), fixture("tls/client-key.pem")] as const;
    const options = ["--cert", files[0], "--key", files[1]];
    expect(await push(port, ["--ca", caFile, ...options])).toMatchObject({ code: 0 });
    const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
    const together = await makeFile("both.pem", texts.join(""));
    expect(await push(port, ["--ca", caFile, "--cert", together])).toMatchObject({ code: 0 });
  });
});

function lock(key: string): string {
  const locked = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" } as const;
  return createPrivateKey(key).export(locked).toString();
}

describe("files of certificates", async () => {
  const read = (name: string) => readFile(fixture(`tls/${name}.pem`), "utf8");
  const [cert, key, other] = [await read("client"), await read("client-key"), await read("service")];
  it.each<[string, Record<string, string>, string]>([
    ["--ca that is DER", { ca: "0\u0082\u0001\u0001" }, "openssl x509 -inform der"],
    [
      "--ca that is damaged",
      { ca: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" },
      "(--ca) cannot be used",
    ],
    ["--cert without a key", { cert }, "(--cert) cannot be used"],
    ["--key of another certificate", { cert, key: other }, "key values mismatch"],
    ["--key with a passphrase", { cert, key: lock(key) }, "a key without passphrase"],
    ["--key without --cert", { key }, "--cert names none"],
  ])("refuses %s before anything is read", async (_, texts, said) => {
    const options: string[] = [];
    for (const [name, text] of Object.entries(texts))
      options.push(`--${name}`, await makeFile(`${name}.pem`, text));
    const { code, stderr } = await push(1, options);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
  });

  it("refuses one that is missing, and one that everyone may write", async () => {
    expect((await push(1, ["--ca", "/no/such.pem"])).stderr).toContain(
      "cannot read /no/such.pem (--ca): ENOENT",
    );
    const file = await makeFile("ca.pem", cert);
    await chmod(file, 0o666);
    const { code, stderr } = await push(1, ["--ca", file]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("everyone on this machine can write")]);
  });
});
