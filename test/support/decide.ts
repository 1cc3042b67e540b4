import type { InDoubtAnswer } from "../../src/store/journal.ts";

/** The name of the doubt in printed steps, or in events. */
export function doubtIn(text: string): string {
  const [, doubt = ""] = /--in-doubt ([0-9a-f]{8})=/.exec(text) ?? /"doubt":"([0-9a-f]{8})"/.exec(text) ?? [];
  if (doubt === "") throw new Error(`no doubt is named in: ${text}`);
  return doubt;
}

/** The words that decide on what a run has in doubt now, or the only run that has something in doubt. */
export async function decisionOn(
  command: (argv: readonly string[]) => Promise<{ readonly stdout: string }>,
  answer: InDoubtAnswer,
  run?: string,
): Promise<readonly string[]> {
  const listed = (await command(["runs", "--all", "--json"])).stdout
    .split("\n")
    .filter((line) => line !== "");
  const events = listed.map((line) => JSON.parse(line) as { readonly run: string; readonly doubt?: string });
  const found = events.find((event) => event.doubt !== undefined && (run ?? event.run) === event.run);
  if (found === undefined) throw new Error(`nothing is in doubt: ${listed.join("\n")}`);
  return ["resume", found.run, "--in-doubt", `${found.doubt}=${answer}`];
}
