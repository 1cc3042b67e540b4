import { open } from "node:fs/promises";
import { RecPushError } from "../model/failure.ts";
import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { quoteWord, showText } from "../model/refer-to-sheets.ts";
import { given } from "../options/declaration.ts";
import { mergeTexts, readEnvironment } from "../options/environment.ts";
import type { Io } from "./run-settings.ts";

const NAME = "httpHeader";

/**
 * The texts with `-H @FILE` replaced by the lines of FILE, so that header values need not be on a command line, which
 * other users of the machine can read. Blank lines and lines that begin with # are ignored. Throws a usage error.
 */
export async function withHeaderFiles(texts: OptionTexts): Promise<OptionTexts> {
  const given = textsOf(texts, NAME);
  if (!given.some(isFile)) return texts;
  const headers = await Promise.all(
    given.map(async (text) => (isFile(text) ? readHeaders(text.slice(1)) : [text])),
  );
  return { ...texts, [NAME]: headers.flat() };
}

/** The same, with the headers of the environment's file below those of the texts. */
export async function withAllHeaders(texts: OptionTexts, env: Io["env"]): Promise<OptionTexts> {
  const { [NAME]: ofEnvironment } = await withHeaderFiles(readEnvironment(env));
  return mergeTexts(given({ [NAME]: ofEnvironment }), await withHeaderFiles(texts));
}

function isFile(text: string): boolean {
  return text.startsWith("@");
}

async function readHeaders(file: string): Promise<readonly string[]> {
  const { text, mode } = await readFile(file);
  if (process.platform !== "win32" && (mode & 0o002) !== 0) {
    throw new RecPushError(
      "usage",
      "headers-file",
      `everyone on this machine can write the file of headers ${showText(file, 400)}`,
      { hint: `chmod 600 ${quoteWord(file)}, and check whether it still holds your headers` },
    );
  }
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

async function readFile(file: string): Promise<{ readonly text: string; readonly mode: number }> {
  try {
    const handle = await open(file);
    try {
      return { mode: (await handle.stat()).mode, text: await handle.readFile("utf8") };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    throw new RecPushError(
      "usage",
      "headers-file",
      `cannot read the file of headers ${showText(file, 400)}: ${code}`,
      {
        hint: 'name a file with a header on each line, "Name: value", in -H @FILE or REC_PUSH_HEADERS_FILE',
        cause,
      },
    );
  }
}
