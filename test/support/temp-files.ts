import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory that is removed at the end of the test. */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "rec-push-test-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Writes a file into a new directory; returns its path. */
export async function makeFile(name: string, content: string | Buffer): Promise<string> {
  const path = join(await makeDirectory(), name);
  await writeFile(path, content);
  return path;
}

/** Makes a named pipe beside a file; returns its path. */
export function pipeBeside(file: string): string {
  const pipe = `${file}.pipe`;
  execFileSync("mkfifo", [pipe]);
  return pipe;
}

/** The words that have a command take this section for the table `commandes`. */
export async function configWords(commandes: object): Promise<readonly string[]> {
  return ["--config", await makeFile("config.json", JSON.stringify({ tables: { commandes } }))];
}
