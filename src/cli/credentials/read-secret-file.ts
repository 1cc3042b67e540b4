import { open } from "node:fs/promises";
import { RecPushError } from "../../model/failure.ts";
import { quoteWord } from "../../model/shell-word.ts";

/** The secret that a file should hold, for messages. */
interface Named {
  readonly noun: string;
  readonly variable: string;
}

/**
 * The text of a file that holds a secret, without outer spaces. `source` names the option, variable or profile. A file
 * that everyone may write to is refused; one that everyone may read causes a notice. Throws a usage error.
 */
export async function readSecretFile(
  file: string,
  { noun, variable }: Named,
  source: string,
  notice: (text: string) => void,
): Promise<string> {
  const what = noun.replace("access ", "");
  let text: string;
  let mode: number;
  try {
    const handle = await open(file);
    try {
      mode = process.platform === "win32" ? 0 : (await handle.stat()).mode;
      text = await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    const name = mayBeSecret(file) ? `whose name is not shown, because it may be the ${what} itself` : file;
    throw new RecPushError(
      "usage",
      "token-file",
      `cannot read the ${what} file ${name} (${source}): ${code}`,
      {
        hint: `name a file that holds the ${what}; the ${what} itself goes into ${variable}`,
        cause,
      },
    );
  }
  if ((mode & 0o002) !== 0) {
    throw new RecPushError(
      "usage",
      "token-file-writable",
      `everyone on this machine can write the ${what} file ${file}, and so choose whose account the records go to`,
      { hint: `chmod 600 ${quoteWord(file)}, and check whether it still holds your ${what}` },
    );
  }
  if ((mode & 0o004) !== 0) {
    notice(
      `everyone on this machine can read the ${what} file ${file}; chmod 600 ${quoteWord(file)} makes it private`,
    );
  }
  const secret = text.replace(/^\uFEFF/, "").trim();
  if (secret !== "") return secret;
  throw new RecPushError("usage", "token-file", `the ${what} file ${file} (${source}) is empty`);
}

/**
 * True for a long name without a directory or an extension: if a secret is given in place of its file, it must not
 * appear in a log.
 */
function mayBeSecret(file: string): boolean {
  return file.length >= 16 && !/[/\\]|\.[A-Za-z]{1,5}$/.test(file);
}
