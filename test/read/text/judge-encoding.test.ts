import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { loadIconv } from "../../../src/read/text/decode.ts";
import {
  judgeSign,
  judgeWord,
  WesternJudge,
  type WesternText,
} from "../../../src/read/text/judge-encoding.ts";
import { parted } from "../../support/parted.ts";
import { inspectText } from "../inspect.ts";
import { failureOf } from "../json/json-support.ts";

const table = (...cells: string[]): string =>
  `cle;libelle\n${cells.map((cell, row) => `A${row + 1};${cell}\n`).join("")}`;

const encode = (text: string, encoding: string): Buffer => loadIconv().encode(text, encoding);

const named = (hint: string | undefined): string[] =>
  [...(hint ?? "").matchAll(/--encoding ["']?([\w-]+!?)/g)]
    .map(([, name]) => name!)
    .filter((name) => name !== "NAME");

function judge(bytes: Buffer, size = bytes.length): WesternText {
  const western = new WesternJudge();
  for (let at = 0; at < bytes.length; at += size) {
    // Chunks are reused: afterwards they hold other bytes.
    const lent = Buffer.from(bytes.subarray(at, at + size));
    western.push(lent);
    lent.fill(0xff);
  }
  return western.finish();
}

const WESTERN = {
  French:
    "Société Référence Qualité réglé déjà être même très première numéro clé œuvre bœuf août Noël reçu où",
  German: "Größe Stück Schlüssel Tür Bücher Möbel Küche Straße weiß für über fünf Prüfung geöffnet Öl GRÖßE",
  Spanish: "teléfono número dirección población artículo año niño señor mañana español cajón María García",
  Catalan: "després números adreça població qüestió raïm això països Núria",
  Italian: "più già perché così città società qualità quantità attività università libertà età novità",
  Portuguese: "João São informação coração três avô câmara endereço número Simões irmã",
  Dutch: "België coördinatie financiën één patiënt ruïne café reünie geïnd",
  Swedish: "Malmö Göteborg Åsa Örebro på är å människa försäljning idé",
  Danish: "Søren Ærø Ålborg smørrebrød københavn blåbær på Øster kø",
  Norwegian: "Tromsø Ålesund Bærum kjøkken håndkle fjær",
};

const CENTRAL = "windows-1250 iso-8859-2 cp852";
const CYRILLIC = "windows-1251 koi8-r cp866";
const FOREIGN = [
  ["French", "cp850 cp437 macroman", "Société Référence Qualité réglé déjà être même très première numéro"],
  ["German", "cp850 cp437 macroman", "Größe Stück Schlüssel Bücher Möbel Küche Straße weiß für über"],
  [
    "Spanish",
    "cp850 cp437 macroman",
    "teléfono número dirección población artículo año niño señor mañana cajón",
  ],
  ["Polish", CENTRAL, "Żółta łódź Część zamówienia książka świeży proszę dziękuję źródło między"],
  ["Czech", CENTRAL, "Dvořák Novotný Kučera Jiří Plzeň Ústí Český Růžička Žďár Černý"],
  ["Turkish", "windows-1254", "Şahin Yıldız Doğan Güneş İstanbul İzmir Kılıç Aydın Eskişehir Işık"],
  ["Russian", CYRILLIC, "Москва Заказ оплачен улица Ленина покупатель бумага доставка город магазин"],
  ["Greek", "windows-1253", "Αθήνα Παπαδόπουλος Θεσσαλονίκη Πάτρα Γιώργος Νίκος Μαρία Κόστος Τιμή Ποσό"],
] as const;

describe("the encoding of a file without a byte order mark", () => {
  it.each(Object.entries(WESTERN))("is windows-1252 for words of %s", async (_, words) => {
    const { reading } = await inspectText(encode(table(...words.split(" ")), "windows-1252"));
    expect(reading.encoding).toBe("windows-1252");
    expect(reading.pins).toContainEqual(expect.objectContaining({ option: "--encoding windows-1252" }));
    expect(reading.notices).toContainEqual({
      line: expect.any(Number),
      text: expect.stringMatching(/^line \d+ is not UTF-8: read as windows-1252$/),
    });
  });

  it.each(
    FOREIGN.flatMap(([language, names, words]) => names.split(" ").map((name) => [name, language, words])),
  )(
    "is asked for where it is %s, with ten words of %s, and is among the readings",
    async (encoding, _, words) => {
      const bytes = encode(table(...words.split(" ")), encoding);
      const failure = await failureOf(inspectText(bytes));
      expect(failure.code).toBe("open-encoding");
      const texts = named(failure.hint).map((name) => iconv.decode(bytes, name.replace("!", "")));
      expect(texts).toContain(table(...words.split(" ")));
      expect(new Set(texts).size).toBe(texts.length);
    },
  );

  it.each([
    ["in another script", table("東京", "株式会社", "Αθήνα", "😀")],
    ["spoilt before it was exported", table("37\ufffd36'37.8", "Ecran")],
    ["with marks upon a letter", table(`e${"\u0301\u0323".repeat(5)}`)],
    ["with signs only", table("12 €", "N° 5", "l’eau")],
    ["with text that was decoded twice", table("SociÃ©tÃ©")],
  ])("is UTF-8 %s", async (_, text) => {
    const { reading } = await inspectText(Buffer.from(text));
    expect(reading).toMatchObject({ encoding: "utf-8", notices: [] });
  });

  it("is windows-1252 with one doubtful word among twenty, and the note names it with its line", async () => {
    const words = [...WESTERN.French.split(" "), ..."été André Élodie Hélène forêt".split(" ")];
    const { reading } = await inspectText(encode(table(...words, "Škoda"), "windows-1252"));
    expect(reading.notices[0]!.text).toContain('; look at "Škoda" (line 24)');
    const few = encode(table(...words.slice(0, 10), "Škoda"), "windows-1252");
    await expect(inspectText(few)).rejects.toMatchObject({ code: "open-encoding", place: { line: 12 } });
  });

  it("is asked for where the bytes are valid UTF-8 and words of windows-1252 too, and takes both answers", async () => {
    const bytes = encode(table("QUALITÉ\u00a0"), "windows-1252");
    await expect(inspectText(bytes)).rejects.toMatchObject({
      code: "open-encoding",
      message: expect.stringMatching(/\n {2}windows-1252: A1;QUALITÉ\u00a0\n {2}utf-8: {8}A1;QUALITɠ/),
    });
    for (const encoding of ["windows-1252", "utf-8"])
      expect((await inspectText(bytes, { encoding })).reading).toMatchObject({ encoding });
  });

  it.each(["…", "12 …", "• x", "© x"])("is asked for where %s is all there is", async (cell) => {
    const bytes = encode(table("Ecran", cell), "windows-1252");
    await expect(inspectText(bytes)).rejects.toMatchObject({
      code: "open-encoding",
      place: { line: 3 },
      message: expect.stringContaining("its signs prove no encoding"),
    });
  });

  it.each(["shift_jis", "gbk"])("is asked for where it is %s", async (encoding) => {
    const bytes = encode(table("東京都", "株式会社", "請求書", "商品番号", "山田太郎"), encoding);
    await expect(inspectText(bytes)).rejects.toMatchObject({ kind: "input" });
  });

  it("is asked for with one line under four readings, and how to name another", async () => {
    await expect(inspectText(encode(table("Ecran", "Société"), "cp850"))).rejects.toMatchObject({
      code: "open-encoding",
      place: { line: 3 },
      message: expect.stringMatching(
        /it is not UTF-8, and ".*" is no word in windows-1252; the line may read\n {2}cp850: .* A2;Société\n(?: {2}\S+: .*\n){2} {2}\S+: .*$/,
      ),
      hint: expect.stringMatching(
        /^--encoding cp850 or --encoding \S+ or --encoding \S+ or --encoding \S+; another: --encoding NAME$/,
      ),
    });
  });

  it("is in question where one line is UTF-8 and others are not", async () => {
    const western = encode(table("réglé", "à payer"), "windows-1252");
    const bytes = Buffer.concat([western, Buffer.from("A3;Société\n")]);
    await expect(inspectText(bytes)).rejects.toMatchObject({
      code: "mixed-encoding",
      place: { line: 4 },
      message: expect.stringMatching(
        /line 4 has UTF-8 characters, line 2 has bytes that are not UTF-8; line 4 reads\n {2}windows-1252: A3;SociÃ©tÃ©\n {2}utf-8: A3;Société/,
      ),
    });
  });

  it("stops at a control character in UTF-8, which another code page would make a dash", async () => {
    const { code } = await failureOf(inspectText(table("HR \u0096 PENSION", "PPM")));
    expect(code).toBe("control-character");
  });
});

describe("an encoding that is named", () => {
  const utf8 = Buffer.from(table("Société", "Qualité"));
  const words = table("Société", "Qualité", "réglé");

  it.each([
    ["windows-1252", utf8, "utf-8", "A1;SociÃ©tÃ©"],
    ["cp850", utf8, "utf-8", "A1;Soci├®t├®"],
    ["windows-1252", Buffer.from(table("Thé")), "utf-8", "A1;ThÃ©"],
    ["windows-1252", encode(words, "cp850"), "cp850", "A1;Soci‚t‚"],
    ["windows-1252", encode(table("Kraków", "łódź", "Żółta"), "windows-1250"), "windows-1250", "A2;³ódŸ"],
    ["cp850", encode(words, "windows-1252"), "windows-1252", "A1;SociÚtÚ"],
    ["windows-1251", encode(words, "windows-1252"), "windows-1252", "A1;Sociйtй"],
  ])("%s is disproved with the line in both, %#", async (encoding, bytes, better, line) => {
    const failure = await failureOf(inspectText(bytes, { encoding }));
    expect(failure).toMatchObject({ code: "disproved-encoding", message: expect.stringContaining(line) });
    expect(named(failure.hint)).toEqual(expect.arrayContaining([better, `${encoding}!`]));
    for (const option of named(failure.hint))
      expect((await inspectText(bytes, { encoding: option })).reading.encoding).toBe(option.replace("!", ""));
  });

  it("with an exclamation mark is taken whatever the bytes say", async () => {
    const { reading, proof } = await inspectText(utf8, { encoding: "windows-1252!" });
    expect(reading).toMatchObject({ encoding: "windows-1252", pins: [expect.anything()] });
    expect(proof.totalBytes).toBe(Buffer.byteLength(table("SociÃ©tÃ©", "QualitÃ©")));
  });

  it.each([
    ["windows-1252", table("QUALITÉ\u00a0")],
    ["windows-1252", table("Škoda")],
    ["windows-1252", table("…")],
    ["cp850", words],
    ["windows-1250", table("Müller", "Köln", "Größe")],
    ["iso-8859-15", table("Société", "Qualité", "réglé", "12 €", "cœur")],
    ["koi8-r", table("Москва", "Заказ", "оплачен")],
    ["iso-8859-2", table("Żółta", "łódź", "Część")],
  ])("%s is taken where nothing disproves it, %#", async (encoding, text) => {
    const { reading } = await inspectText(encode(text, encoding), { encoding });
    expect(reading).toMatchObject({ encoding, fingerprint: expect.any(String) });
  });

  it.each(["🚐", "merci 🙂", "Livré 🚐"])("utf-8 is taken for %s, named or not", async (cell) => {
    for (const options of [{}, { encoding: "utf-8" }])
      expect((await inspectText(table(cell), options)).reading).toMatchObject({ encoding: "utf-8" });
  });
});

/** So many different words that only windows-1252 explains. */
function firmWords(count: number): string[] {
  const letter = (at: number): string => String.fromCharCode(0x61 + (at % 26));
  return Array.from({ length: count }, (_, at) => `b${letter(at)}${letter(at / 26)}${letter(at / 676)}té`);
}

describe("in text that is read as windows-1252", () => {
  it.each([
    ["firm", "Société réglé ÉTÉ GRÖßE Straße Noël août dû sûr João corações España Søren Haÿ à è ø L"],
    ["doubtful", "Škoda Žižek Ýmir RéGLé áe garÇon"],
    ["never", "Þór Dvoøák kõedény ž éé éèàç nø ïle ñx SOCIÉTê œ"],
  ] as const)("words are %s: %s", (grade, words) => {
    for (const word of words.split(" ").filter((text) => /[^a-z]/i.test(text)))
      expect([word, judgeWord(word)]).toEqual([word, grade]);
  });

  it.each([
    ["firm", "12 |€| ;12 k|€|;n|°| 5;20 |°|C;1|\u00a0|250;l|’|eau;rock|’|s ;m|²|;3 |½|; |§| 5;col|·|lecció"],
    ["firm", "“oui|”|;|“|oui”;|«|oui»;«oui|»|;|¿|qué?;|¡|hola!;2|º|;5 |µ|m; |–| x;Acme|®|"],
    ["weak", "fin|…|;|•| x;|©| 2026;|\u00a0|x;51|”|;a |—|"],
    ["doubtful", "d|‘|Ensisheim;|«| oui;oui |”|;|¥| 5;la|»|suite"],
    ["foreign", "Soci|‚|t‚;r|‚|gl;d|…|j;Fran|‡|ais;c|½|ur;|¼|uvre;J|¤|ger;Le|¢|n"],
  ] as const)("signs are %s: %s", (grade, places) => {
    for (const place of places.split(";")) {
      const [before = "", sign = "", after = ""] = place.split("|");
      expect([place, judgeSign(sign, before, after)]).toEqual([place, grade]);
    }
  });

  it.each([
    [999, false],
    [1000, true],
  ])("among %i words that are firm, one that cannot be is a slip: %s", (count, fits) => {
    expect(judge(encode(table(...firmWords(count), "Dvoøák"), "windows-1252"))).toMatchObject({
      firm: count,
      fits,
    });
  });

  it.each([
    [200, false],
    [201, true],
  ])("behind %i firm words, a dash between letters is a slip: %s", (count, fits) => {
    const bytes = encode(table(...firmWords(count), "mot–mot"), "windows-1252");
    expect(judge(bytes)).toMatchObject({ firm: count, fits });
  });

  it("the verdict is the same however the text is cut", () => {
    const words = parted`Société|déjà|Soci‚t‚|Ecran;|12,50 €|« oui »|SociÃ©`;
    const piece = fc.oneof(
      fc.constantFrom(...words, "\n", "É".repeat(50)),
      fc.constantFrom("x".repeat(300), "û", "Škoda", "\r\n", "þ"),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 90 }), (pieces, size) => {
        const bytes = encode(pieces.join(""), "windows-1252");
        expect(judge(bytes, size)).toEqual(judge(bytes));
      }),
    );
  });

  it("doubts are few, however much is doubtful", () => {
    const western = new WesternJudge();
    const cells = Array.from({ length: 400 }, (_, at) => `š${at} œ${at} ‚`);
    for (let chunk = 0; chunk < 64; chunk += 1) western.push(encode(table(...cells), "windows-1252"));
    expect(western.finish().doubts.length).toBeLessThanOrEqual(80);
  });
});
