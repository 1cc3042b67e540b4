import { open } from "node:fs/promises";
import type { FailureCode } from "../model/failure-codes.ts";
import { RecPushError } from "../model/failure.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { quoteWord, showText } from "../model/text.ts";

/** A file that decides what is sent, or whom rec-push trusts. */
interface TrustedFile {
  readonly path: string;
  /** Its name in messages: `the token file /srv/token (--token-file)`. */
  readonly name: string;
  /** Its name if no file is there, without the path: that may be the secret itself. */
  readonly nameIfMissing?: string;
  readonly code: FailureCode;
  /** What to do if it cannot be read. */
  readonly hint?: string | undefined;
  readonly encoding?: "utf8" | "latin1";
  /** Told if others can read it; `undefined` for a file that holds no secret. */
  readonly notice?: ((text: string) => void) | undefined;
}

/** The text of such a file; on Windows nothing shows what others can do with it. Throws a usage error if they can write it. */
export async function readTrustedFile(trusted: TrustedFile): Promise<string> {
  const { path, name, nameIfMissing = name, code, hint, encoding = "utf8", notice } = trusted;
  const { text, mode } = await readWithMode(path, encoding).catch((cause: NodeJS.ErrnoException) => {
    const isThere = cause.code === "EACCES" || cause.code === "EISDIR";
    const message = `cannot read ${isThere ? name : nameIfMissing}: ${cause.code}`;
    throw new RecPushError(code, message, { hint, cause });
  });
  if ((mode & 0o002) !== 0)
    throw new RecPushError(code, `everyone on this machine can write ${name}`, {
      hint: `chmod ${notice === undefined ? "go-w" : "600"} ${quoteWord(path)}, and check whether it still holds what you put there`,
    });
  if ((mode & 0o004) !== 0)
    notice?.(`everyone on this machine can read ${name}; chmod 600 ${quoteWord(path)} makes it private`);
  return text;
}

async function readWithMode(path: string, encoding: "utf8" | "latin1") {
  const handle = await open(path);
  try {
    const mode = process.platform === "win32" ? 0 : (await handle.stat()).mode;
    return { mode, text: (await handle.readFile(encoding)).replace(/^\uFEFF/, "") };
  } finally {
    await handle.close();
  }
}

/**
 * The texts with `-H @FILE` replaced by the lines of FILE, so that header values need not be on a command line, which
 * other users of the machine can read. Blank lines and lines that begin with # are ignored. Throws a usage error.
 */
export async function withHeaderFiles(texts: OptionTexts): Promise<OptionTexts> {
  const headers: string[] = [];
  for (const text of textsOf(texts, "httpHeader"))
    headers.push(...(text.startsWith("@") ? await readHeaders(text.slice(1)) : [text]));
  return headers.length === 0 ? texts : { ...texts, httpHeader: headers };
}

async function readHeaders(path: string): Promise<readonly string[]> {
  const text = await readTrustedFile({
    path,
    name: `the file of headers ${showText(path, 400)}`,
    code: "bad-header",
    hint: 'name a file with a header on each line, "Name: value", in -H @FILE or REC_PUSH_HEADERS_FILE',
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
