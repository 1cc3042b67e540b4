import { EXIT } from "../../model/exit-code.ts";
import { RecPushError } from "../../model/failure.ts";
import { bashScript } from "../completion/bash-script.ts";
import { fishScript } from "../completion/fish-script.ts";
import { namesInConfigs } from "../completion/names-in-configs.ts";
import { powershellScript } from "../completion/powershell-script.ts";
import { completedCommands, SHELLS } from "../completion/words.ts";
import { zshScript } from "../completion/zsh-script.ts";
import type { Io } from "../io.ts";
import type { CommandLine } from "../program.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };

/** Prints a shell's script or, for such a script, the names of tables or profiles, one per line. */
export async function runCompletion({ files }: CommandLine, io: Io): Promise<number> {
  const [word = ""] = files;
  if (word === "tables" || word === "profiles") {
    const names = await namesInConfigs(word, io);
    io.stdout.write(names.map((name) => `${name}\n`).join(""));
    return EXIT.ok;
  }
  if (!isShell(word)) {
    throw new RecPushError("usage", "unknown-shell", `there is no completion for the shell ${word}`, {
      hint: `there is one for ${SHELLS.join(", ")}`,
    });
  }
  io.stdout.write(SCRIPTS[word](completedCommands()));
  return EXIT.ok;
}

function isShell(word: string): word is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, word);
}
