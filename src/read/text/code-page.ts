import { loadIconv } from "./iconv.ts";

/** The encodings with one byte per character that are detected from content, the most usual first. */
export const CODE_PAGES = [
  "windows-1252",
  "iso-8859-15",
  "cp850",
  "cp437",
  "windows-1250",
  "windows-1251",
  "macroman",
] as const;

/** Encodings that can win the comparison only to stop the run: a reading is uncertain if one of them suits better. */
export const RIVALS = [
  "iso-8859-2",
  "cp852",
  "maccenteuro",
  "koi8-u",
  "cp866",
  "iso-8859-5",
  "maccyrillic",
  "windows-1253",
  "iso-8859-7",
  "windows-1254",
  "cp857",
  "windows-1257",
  "cp860",
  "cp863",
] as const;

/** One character for each byte from 0x80 up; `undefined` if that byte has none that occurs in text. */
export type CodePage = readonly (string | undefined)[];

const UPPER_HALF = Buffer.from(Array.from({ length: 128 }, (_, at) => at + 128));

/** The upper half of an encoding; `undefined` if a character may take several bytes. */
export function readCodePage(encoding: string): CodePage | undefined {
  const characters = Array.from(loadIconv().decode(UPPER_HALF, encoding));
  if (characters.length !== UPPER_HALF.length) return undefined;
  return characters.map((character) => (/[\u0080-\u009f\ufffd]/.test(character) ? undefined : character));
}
