import { describe, expect, it } from "vitest";
import type { RecPushError } from "../../../src/model/failure.ts";
import { readTable, sourceOf, type ReadTable } from "../chunks.ts";

/**
 * What the bytes 0x80 to 0xFF stand for, sixteen between two blanks, from the mapping tables of the Unicode Consortium; NUL where
 * there is no character that text has.
 */
const CODE_PAGES: Readonly<Record<string, string>> = {
  "windows-1252": `
    €\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0 \0‘’“”•–—˜™š›œ\0žŸ \u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯ °±²³´µ¶·¸¹º»¼½¾¿
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß àáâãäåæçèéêëìíîï ðñòóôõö÷øùúûüýþÿ`,
  "iso-8859-15": `
    ${"\0".repeat(32)} \u00a0¡¢£€¥Š§š©ª«¬\u00ad®¯ °±²³Žµ¶·ž¹º»ŒœŸ¿
    ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß àáâãäåæçèéêëìíîï ðñòóôõö÷øùúûüýþÿ`,
  cp850: `
    ÇüéâäàåçêëèïîìÄÅ ÉæÆôöòûùÿÖÜø£Ø×ƒ áíóúñÑªº¿®¬½¼¡«» ░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐
    └┴┬├─┼ãÃ╚╔╩╦╠═╬¤ ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ ÓßÔÒõÕµþÞÚÛÙýÝ¯´ \u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0`,
  cp437: `
    ÇüéâäàåçêëèïîìÄÅ ÉæÆôöòûùÿÖÜ¢£¥₧ƒ áíóúñÑªº¿⌐¬½¼¡«» ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐
    └┴┬├─┼╞╟╚╔╩╦╠═╬╧ ╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ αßΓπΣσµτΦΘΩδ∞φε∩ ≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0`,
};

/** Bytes without a character: five that windows-1252 leaves open, the C1 controls of ISO 8859-15. */
const REFUSED: Readonly<Record<string, number>> = { "windows-1252": 5, "iso-8859-15": 32 };

const placeOf = ({ kind, place }: RecPushError): string => `${kind} ${place?.line}:${place?.column}`;

describe.each(Object.entries(CODE_PAGES))("each byte of %s", (encoding, table) => {
  const characters = Array.from(table.replaceAll(/[ \n]/g, ""));
  const content = (byte: number): Buffer =>
    Buffer.concat([Buffer.from("cle;libelle\nA1;x"), Buffer.from([byte]), Buffer.from("y\n")]);

  const read = (at: number, size: number): Promise<ReadTable> =>
    readTable(sourceOf(content(at + 0x80), size), { encoding: `${encoding}!` });

  it.each([0, 1])(
    "is read as its character, in chunks of %i bytes, and refused where it has none",
    async (size) => {
      const found = characters.map((_, at) => read(at, size).then(({ rows }) => rows[0]![2], placeOf));
      const expected = characters.map((character) => (character === "\0" ? "input 2:5" : `x${character}y`));
      expect(await Promise.all(found)).toEqual(expected);
      expect(expected.filter((told) => told === "input 2:5")).toHaveLength(REFUSED[encoding] ?? 0);
    },
  );

  it("has a hundred and twenty-eight places, and ASCII below them", async () => {
    expect(characters).toHaveLength(128);
    const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(at + 0x20)).join("");
    const text = `cle|libelle\nA1|x${ascii.replaceAll(/["|]/g, "")}\n`;
    const { rows } = await readTable(sourceOf(text), { encoding, delimiter: "|" });
    expect(rows).toEqual([[2, "A1", `x${ascii.replaceAll(/["|]/g, "")}`]]);
  });
});
