import type { OptionValues } from "../../options/table.ts";
import type { Io } from "../run-settings.ts";

/** True unless somebody is at a terminal and says no, or breaks off. */
export async function isConfirmed(
  text: string,
  { json = false, quiet = false }: OptionValues,
  { openAsker, stderr }: Io,
): Promise<boolean> {
  if (openAsker === undefined || json || quiet) return true;
  const asker = await openAsker();
  const answer = await asker.key(`${text}: so? [y/n]`, [
    { value: "y", label: "yes" },
    { value: "n", label: "no, decide nothing" },
  ]);
  if (answer !== "y") stderr.write("nothing is decided, and nothing was sent\n");
  return answer === "y";
}
