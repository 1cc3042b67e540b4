import { type OptionTexts, textsOf } from "../model/option-texts.ts";
import { showText } from "../model/text.ts";
import { mergeTexts, readEnvironment } from "../options/derive.ts";
import { readTrustedFile } from "./own-file.ts";
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

/** The texts of a command that goes on with a run, with the environment below them. Where the records go is the run's. */
export async function withEnvironment(texts: OptionTexts, env: Io["env"]): Promise<OptionTexts> {
  const { url: _, ...ofEnvironment } = await withHeaderFiles(readEnvironment(env));
  return mergeTexts(ofEnvironment, await withHeaderFiles(texts));
}

function isFile(text: string): boolean {
  return text.startsWith("@");
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
