import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, it } from "vitest";
import { inspectSource } from "../../../src/read/inspect-source.ts";
import { loadIconv } from "../../../src/read/text/decode.ts";
import { createEvidenceCollector, type Evidence } from "../../../src/read/text/evidence.ts";
import { disproveEncoding, judgeEncoding } from "../../../src/read/text/judge-encoding.ts";
import { sourceOf } from "../chunks.ts";
import { inspectText } from "../inspect.ts";

const table = (...cells: string[]): string =>
  `cle;libelle\n${cells.map((cell, row) => `A${row + 1};${cell}\n`).join("")}`;

const encode = (text: string, encoding: string): Buffer => loadIconv().encode(text, encoding);

function collect(bytes: Buffer, size = bytes.length): Evidence {
  const collector = createEvidenceCollector();
  for (let at = 0; at < bytes.length; at += size) {
    // Chunks are reused: afterwards they hold other bytes.
    const lent = Buffer.from(bytes.subarray(at, at + size));
    collector.push(lent);
    lent.fill(0xff);
  }
  return collector.finish();
}

const WORDS = {
  french: "Société Référence Qualité réglé déjà être même très première numéro clé œuvre bœuf août Noël reçu",
  german: "Größe Stück Schlüssel Tür Bücher Möbel Küche Straße weiß für über fünf Prüfung geöffnet Öl",
  spanish: "teléfono número dirección población artículo año niño señor mañana español cajón María García",
  italian: "più già perché così città società qualità quantità attività università libertà età novità",
  polish: "Żółta łódź Część zamówienia Kraków książka świeży proszę dziękuję wysyłka źródło także między",
  russian: "Москва Заказ оплачен улица Ленина покупатель бумага доставка город магазин количество цена",
} as const;

/** The encodings that a language was written in, among those told from content. */
const WRITTEN_IN: Readonly<Record<keyof typeof WORDS, readonly string[]>> = {
  french: ["utf-8", "windows-1252", "iso-8859-15", "cp850", "cp437", "macroman"],
  german: ["utf-8", "windows-1252", "iso-8859-15", "cp850", "cp437", "windows-1250", "macroman"],
  spanish: ["utf-8", "windows-1252", "iso-8859-15", "cp850", "cp437", "macroman"],
  italian: ["utf-8", "windows-1252", "iso-8859-15", "cp850", "cp437", "macroman"],
  polish: ["utf-8", "windows-1250"],
  russian: ["utf-8", "windows-1251"],
};

const wordsIn = Object.entries(WRITTEN_IN).flatMap(([language, encodings]) =>
  encodings.map((encoding) => [language as keyof typeof WORDS, encoding] as const),
);

describe("the encoding that is told from content", () => {
  it.each([
    ["cp850", "cp850", table("Société", "Qualité supérieure")],
    ["iso-8859-15", "iso-8859-15", table("cœur", "Le bœuf à 12 €")],
    ["windows-1250", "windows-1250", table("Żółta łódź", "Część zamówienia")],
    ["windows-1251", "windows-1251", table("Москва", "Заказ оплачен")],
    ["macroman", "macroman", table("Société", "L’été à 12 €")],
    [
      "cp437 with signs of its own",
      "cp437",
      table("Société", "5 ¢", "7 ¢/kg", "50¢", "Prix en ¢ : 3¢", "¢ 12"),
    ],
    ["windows-1252, valid UTF-8 by accident", "windows-1252", table("QUALITÉ\u00a0", "Ecran")],
    ["windows-1252 with quotes", "windows-1252", table("“CAFÉ”", "Ecran")],
    [
      "windows-1252 with signs",
      "windows-1252",
      table("N° 12", "1\u00a0250,00 €", "l’été – «\u00a0mûr\u00a0»"),
    ],
    ["windows-1252, one Italian word", "windows-1252", table("Un po’ di tutto", "È possibile", "perché")],
    ["UTF-8 in another script", "utf-8", table("東京", "株式会社", "Αθήνα", "😀")],
    ["UTF-8 with one emoji", "utf-8", table("👍", "Ecran")],
    ["UTF-8 spoilt before it was exported", "utf-8", table("37\ufffd36'37.8", "Ecran")],
    ["UTF-8 with marks upon a letter", "utf-8", table(`e${"\u0301\u0323".repeat(5)}`)],
    ["UTF-8 with spaces of several widths", "utf-8", table("a\u2000\u2003\u2007b", "\u3000")],
    ["UTF-8 with signs only", "utf-8", table("12 €", "N° 5")],
  ])("of %s is %s", async (_, encoding, text) => {
    const { reading, proof } = await inspectText(encode(text, encoding));
    expect(reading.encoding).toBe(encoding);
    expect(proof.totalBytes).toBe(Buffer.byteLength(text));
    const pins = reading.pins.filter(({ what }) => what === "encoding").map(({ option }) => option);
    expect(pins).toEqual(encoding === "utf-8" ? [] : [`--encoding ${encoding}`]);
    expect(reading.notices.some(({ text: note }) => note.endsWith(`read as ${encoding}`))).toBe(
      pins.length > 0,
    );
  });

  it.each(wordsIn)(
    "of %s words in %s is never another text, and a dozen words leave no doubt",
    (language, encoding) => {
      const words = WORDS[language]
        .split(" ")
        .filter((word) => iconv.decode(encode(word, encoding), encoding) === word);
      fc.assert(
        fc.property(fc.subarray(words, { minLength: 1 }), (some) => {
          const bytes = encode(table(...some), encoding);
          const verdict = judgeEncoding(collect(bytes));
          const isAsked = verdict.kind === "close" || verdict.kind === "none";
          const read = verdict.kind === "certain" ? loadIconv().decode(bytes, verdict.encoding) : undefined;
          expect(isAsked || read).toEqual(isAsked || table(...some));
        }),
      );
      expect(judgeEncoding(collect(encode(table(...words), encoding))).kind).toBe("certain");
    },
  );

  it.each(["koi8-r", "iso-8859-5", "cp866", "maccyrillic"])(
    "is asked for where it is %s",
    async (encoding) => {
      const bytes = encode(table(...WORDS.russian.split(" ")), encoding);
      await expect(inspectText(bytes)).rejects.toMatchObject({ code: "open-encoding" });
    },
  );

  it.each(["iso-8859-2", "cp852"])("is asked for where it is Polish in %s", async (encoding) => {
    const bytes = encode(table(...WORDS.polish.split(" ")), encoding);
    await expect(inspectText(bytes)).rejects.toMatchObject({ code: "open-encoding" });
  });

  it.each([";", "|"])(
    "is asked for where a space may be a letter, between delimiters %s",
    async (delimiter) => {
      const line = `C-1${delimiter}300${delimiter}Cádiz${delimiter}6`;
      const bytes = encode(`cle${delimiter}prix${delimiter}ville${delimiter}n\n${line}\n${line}\n`, "cp437");
      await expect(inspectText(bytes)).rejects.toMatchObject({ code: "open-encoding" });
    },
  );

  it("stops at a control character in UTF-8, which another code page would make a dash", async () => {
    await expect(inspectText(table("HR \u0096 PENSION", "PPM"))).rejects.toMatchObject({
      code: "control-character",
    });
  });

  it("is asked for if even the best reading makes no words", async () => {
    const bytes = Buffer.from(table("pedro\u00ff\u00ff"), "latin1");
    await expect(inspectText(bytes)).rejects.toMatchObject({ code: "open-encoding" });
  });

  it.each(["shift_jis", "gbk"])("is asked for where it is %s", async (encoding) => {
    const bytes = encode(table("東京都", "株式会社", "請求書", "商品番号", "山田太郎"), encoding);
    await expect(inspectText(bytes)).rejects.toMatchObject({ kind: "input" });
  });

  it("is asked for with one line under each reading", async () => {
    await expect(inspectText(encode(table("Ecran", "HÔTEL"), "windows-1252"))).rejects.toMatchObject({
      code: "open-encoding",
      place: { line: 3 },
      message: expect.stringMatching(/\n {2}windows-1252: A2;HÔTEL\n {2}cp850: {8}A2;HÈTEL/),
      hint: expect.stringMatching(/^--encoding windows-1252 or --encoding cp850(?: or --encoding \S+){2}$/),
    });
  });

  it("stops where one line is in another, with both readings of that line", async () => {
    const bytes = Buffer.concat([
      encode(table("Société", "Qualité"), "windows-1252"),
      encode("A3;Société\n", "cp850"),
    ]);
    await expect(inspectText(bytes)).rejects.toMatchObject({
      code: "mixed-encoding",
      place: { line: 4 },
      message: expect.stringMatching(/windows-1252: A3;Soci‚t‚\n {2}cp850: {8}A3;Société/),
      hint: expect.stringMatching(
        /--encoding windows-1252 or --encoding cp850, or whichever encoding it has$/,
      ),
    });
  });

  it("is found alike far into the file, where the file is cut anywhere", async () => {
    const bytes = Buffer.concat([
      Buffer.from(table(...Array.from({ length: 9_000 }, () => "Ecran"))),
      encode("A1;Société\nA2;Qualité\n", "cp850"),
    ]);
    for (const size of [1, 7, 65_536, 0]) {
      const { reading } = await inspectSource(sourceOf(bytes, size), {});
      expect(reading).toMatchObject({
        encoding: "cp850",
        notices: [expect.objectContaining({ line: 9_002 })],
      });
    }
  });
});

describe("an encoding that is named", () => {
  const utf8 = Buffer.from(table("Société", "Qualité"));

  it.each([
    ["windows-1252", utf8, "utf-8", "A1;SociÃ©tÃ©"],
    ["cp850", utf8, "utf-8", "A1;Soci├®t├®"],
    ["windows-1252", Buffer.from(table("Thé")), "utf-8", "A1;ThÃ©"],
    ["windows-1252", encode(table("Société", "Qualité", "réglé"), "cp850"), "cp850", "A1;Soci‚t‚"],
  ])("%s is disproved with the line in both", async (encoding, bytes, better, line) => {
    await expect(inspectText(bytes, { encoding })).rejects.toMatchObject({
      code: "disproved-encoding",
      message: expect.stringContaining(line),
      hint: `--encoding ${better}, or --encoding ${encoding}! to read it so all the same`,
    });
  });

  it("with an exclamation mark is taken whatever the bytes say", async () => {
    const { reading, proof } = await inspectText(utf8, { encoding: "windows-1252!" });
    expect(reading).toMatchObject({ encoding: "windows-1252", pins: [expect.anything()] });
    expect(proof.totalBytes).toBe(Buffer.byteLength(table("SociÃ©tÃ©", "QualitÃ©")));
  });

  it.each([
    ["windows-1252", table("QUALITÉ\u00a0")],
    ["windows-1252", table("“CAFÉ”")],
    ["windows-1252", table("HÔTEL")],
    ["cp850", table("Ecran")],
    ["koi8-r", table(...WORDS.russian.split(" "))],
    ["iso-8859-2", table(...WORDS.polish.split(" "))],
  ])("%s is taken where nothing disproves it", async (encoding, text) => {
    const { reading } = await inspectText(encode(text, encoding), { encoding });
    expect(reading).toMatchObject({ encoding, fingerprint: expect.any(String) });
  });

  it.each(["🚐", "merci 🙂", "Livré 🚐"])(
    "utf-8 is taken for %s, as it is without being named",
    async (cell) => {
      const bytes = Buffer.from(table(cell));
      for (const options of [{}, { encoding: "utf-8" }])
        expect((await inspectText(bytes, options)).reading).toMatchObject({ encoding: "utf-8" });
    },
  );

  it("is not disproved where it is settled, or asked for, without being named", () => {
    const words = Object.values(WORDS).flatMap((text) => text.split(" "));
    const piece = fc.oneof(
      fc.constantFrom(...words),
      fc.constantFrom("🚐", "€", "é", "“", "½", "ë", "Ü", "№"),
    );
    const signs = fc.string({
      unit: fc.oneof(piece, fc.string({ minLength: 1, maxLength: 1 })),
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        signs,
        fc.constantFrom("utf-8", "windows-1252", "cp850", "windows-1251"),
        (text, encoding) => {
          const evidence = collect(encode(table(text), encoding));
          const verdict = judgeEncoding(evidence);
          if (verdict.kind === "mixed") return;
          for (const named of verdict.kind === "certain" ? [verdict.encoding] : verdict.encodings)
            expect(disproveEncoding(named, evidence)).toBeUndefined();
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it.each(wordsIn)("is not disproved by %s words in %s", (language, encoding) => {
    const words = WORDS[language]
      .split(" ")
      .filter((word) => iconv.decode(encode(word, encoding), encoding) === word);
    fc.assert(
      fc.property(fc.subarray(words, { minLength: 1 }), (some) => {
        expect(disproveEncoding(encoding, collect(encode(table(...some), encoding)))).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });
});

describe("the evidence for an encoding", () => {
  it("is the same however the input is cut", () => {
    const piece = fc.oneof(
      fc.constantFrom("Société", "déjà", "Ecran;", "\n", "12,50 ", "“", "É".repeat(50)),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom("utf-8", "latin1"),
        fc.integer({ min: 1, max: 90 }),
        (pieces, encoding, size) => {
          const bytes = Buffer.from(pieces.join(""), encoding as BufferEncoding);
          expect(collect(bytes, size)).toEqual(collect(bytes));
        },
      ),
    );
  });

  it("is bounded, however much differs in the input", () => {
    const collector = createEvidenceCollector();
    let seed = 1;
    for (let chunk = 0; chunk < 128; chunk += 1) {
      const bytes = Buffer.alloc(65_536);
      for (let at = 0; at < bytes.length; at += 1) {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
        bytes[at] = (seed >>> 16) % 3 === 0 ? 0x20 : seed >>> 24;
      }
      collector.push(bytes);
    }
    const { excerpts, asciiWords } = collector.finish();
    expect(excerpts.length).toBeLessThanOrEqual(4_096 + 128);
    expect(Math.max(...excerpts.map(({ bytes }) => bytes.length))).toBeLessThan(128);
    expect(asciiWords.length).toBeLessThanOrEqual(200);
  });

  it("holds the words of ASCII letters at the beginning, however it is cut", () => {
    const bytes = encode(table("Facture client", "Avoir 12"), "utf-8");
    for (const size of [1, 7, bytes.length]) {
      expect(collect(bytes, size).asciiWords).toEqual(["libelle", "facture", "client", "avoir"]);
    }
  });

  it("finds one word of another encoding among many", () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `${at} Société Qualité réglé`);
    const bytes = Buffer.concat([encode(table(...many), "windows-1252"), encode("B;Société\n", "cp850")]);
    expect(judgeEncoding(collect(bytes))).toMatchObject({ kind: "mixed", other: "cp850" });
  });
});
