import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/start-sandbox.ts";
import { type MainResult, type MainWorld, runMain } from "./run-main.ts";

/** A sandbox that ends with the test. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Pushes to a sandbox over real HTTP, with short waits between retries; to the table `commandes` unless another is given. */
export function pushTo(
  sandbox: Sandbox,
  argv: readonly string[],
  { env, ...world }: MainWorld = {},
): Promise<MainResult> {
  const target = { REC_PUSH_URL: sandbox.url, REC_PUSH_TOKEN: sandbox.token };
  const table = argv.includes("--table") ? [] : ["--table", "commandes"];
  return runMain([...table, ...argv], { ...world, env: { ...target, ...env } });
}

/** The fiches of `commandes` as the sandbox holds them now, in order of creation. */
export function heldBy(sandbox: Sandbox): readonly Readonly<Record<string, string>>[] {
  return sandbox.store.snapshot("commandes");
}
