import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { createUtf8Check } from "../text/decode.ts";

/** The elements of a workbook that matter, by the one they are in. All others are passed over with what is in them. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  "": ["Relationships", "workbook", "styleSheet", "sst", "worksheet"],
  Relationships: ["Relationship"],
  workbook: ["workbookPr", "sheets", "calcPr"],
  sheets: ["sheet"],
  styleSheet: ["numFmts", "cellXfs"],
  numFmts: ["numFmt"],
  cellXfs: ["xf"],
  sst: ["si"],
  si: ["t", "r"],
  r: ["t"],
  worksheet: ["sheetData", "mergeCells"],
  mergeCells: ["mergeCell"],
  sheetData: ["row"],
  row: ["c"],
  c: ["v", "f", "is"],
  is: ["t", "r"],
};
/** These hold nothing else. */
const CLOSED: ReadonlySet<string> = new Set(["sheetData", "v", "t"]);

const NAME = String.raw`[A-Za-z_\x80-\uffff][\w.\x80-\uffff-]*`;
const BLANK = String.raw`[\t\n\r ]`;
const VALUE = String.raw`${BLANK}*=${BLANK}*(?:"[^"<]*"|'[^'<]*')`;
/** Millions of attributes would exhaust the stack of the regular expression. */
const MOST_ATTRIBUTES = 256;
const TAG = new RegExp(
  `<(/?)((?:${NAME}:)?)(${NAME})((?:${BLANK}+(?:${NAME}:)?${NAME}${VALUE}){0,${MOST_ATTRIBUTES}})${BLANK}*(/?)>`,
  "y",
);
/** A comment or a processing instruction. Document types and CDATA sections are not read. */
const SPECIAL = new RegExp(String.raw`<!--[^]*?-->|<\?${NAME}[^<]*?\?>`, "y");
const FOREIGN = /^<\?xml[^>]*?encoding\s*=\s*["'](?!(?:utf-?8|us-ascii)["'])/i;
const TEXT = /[^\t\n\r ]/;

/** One tag, with its attributes and the text before it, is at most so long. */
const MOST_TAG_LENGTH = 8 * 1024 ** 2;

/**
 * Reads a part of a workbook (XML in UTF-8), tag by tag, as its bytes come. Tells where the elements that matter begin
 * and end.
 */
export class XmlReader {
  /** Of the element that begins or ends, without the prefix of its namespace. */
  name = "";
  isOpening = false;
  /** The text before its end. */
  text = "";
  #attributes = "";
  #isEmpty = false;
  /** How the elements that are open are to end. */
  readonly #open: string[] = [];
  /** The first of these are elements that matter. */
  readonly #known: string[] = [""];
  /** The prefix that the outermost element and its own kind have. */
  #prefix: string | undefined;
  #held = "";
  #at = 0;
  readonly #utf8 = createUtf8Check();
  readonly #file: string;
  readonly #part: string;

  constructor(file: string, part: string) {
    this.#file = file;
    this.#part = part;
  }

  feed(bytes: Buffer): void {
    const { valid, rest } = this.#utf8.push(bytes);
    if (rest !== undefined) throw this.fault("it is not UTF-8");
    const isFirst = this.#prefix === undefined && this.#held === "";
    const text = valid.toString();
    const left = this.#held.slice(this.#at);
    if (left.length > MOST_TAG_LENGTH)
      throw this.fault("a tag or text in it is longer than 8 MiB, or cannot be read");
    this.#held = left + (isFirst ? text.replace(/^\uFEFF/, "") : text);
    this.#at = 0;
  }

  /** Goes to where the next element begins or ends; false if that is not in the bytes so far. */
  next(): boolean {
    for (;;) {
      if (this.#isEmpty) {
        this.#isEmpty = false;
        this.text = "";
        if (this.#close()) return true;
      }
      const held = this.#held;
      const at = held.indexOf("<", this.#at);
      if (at === -1) return false;
      const end = this.#open.at(-1);
      if (end !== undefined && held.startsWith(end, at)) {
        this.#moveOver(at, at + end.length);
        if (this.#close()) return true;
        continue;
      }
      TAG.lastIndex = at;
      const tag = TAG.exec(held);
      if (tag === null && !this.#passSpecial(at)) return false;
      if (tag === null) continue;
      this.#moveOver(at, TAG.lastIndex);
      const [, slash, prefix = "", name = "", attributes = "", emptySlash] = tag;
      this.#isEmpty = emptySlash !== "";
      this.#attributes = attributes;
      if (slash === "" ? this.#begin(prefix, name) : this.#endTag(prefix + name)) return true;
    }
  }

  /** To be called after the last bytes: all that was opened is closed. */
  end(): void {
    const isCut = this.#open.length > 0 || this.#prefix === undefined || this.#utf8.end().length > 0;
    if (isCut || TEXT.test(this.#held.slice(this.#at)))
      throw this.fault("it is cut off, or a tag in it cannot be read");
  }

  /** The attributes of the element that begins, by their names as they are written. */
  attributes(): Map<string, string> {
    const text = this.#attributes;
    const found = new Map<string, string>();
    for (let at = 0, equals; (equals = text.indexOf("=", at)) !== -1;) {
      const name = text.slice(at, equals).trim();
      let start = equals + 1;
      while (text[start] !== '"' && text[start] !== "'") start++;
      const end = text.indexOf(text[start]!, start + 1);
      if (found.has(name)) throw this.fault("a tag in it has an attribute twice");
      found.set(name, this.#resolve(text.slice(start + 1, end)));
      at = end + 1;
    }
    return found;
  }

  /** The part of the workbook cannot be read. */
  fault(what: string): RecPushError {
    return inputError(
      { file: this.#file },
      "damaged-file",
      `the workbook is damaged: ${this.#part}: ${what}`,
      { hint: "open it in a spreadsheet program and save it again" },
    );
  }

  /** True if the element matters. */
  #begin(prefix: string, name: string): boolean {
    const depth = this.#open.push(`</${prefix}${name}>`);
    if (depth === 1) {
      if (this.#prefix !== undefined || TEXT.test(this.text))
        throw this.fault("it holds more than one element");
      this.#prefix = prefix;
    }
    if (depth > this.#known.length) return false;
    const parent = this.#known.at(-1)!;
    const isKnown = CHILDREN[parent]?.includes(name) === true;
    if (!isKnown && CLOSED.has(parent)) throw this.fault(`<${parent}> in it holds <${name}>`);
    if (!isKnown) return false;
    if (prefix !== this.#prefix) throw this.fault("one of its elements has another namespace");
    this.#known.push(name);
    this.name = name;
    this.isOpening = true;
    return true;
  }

  /** Goes over a tag, after the text before it. */
  #moveOver(start: number, end: number): void {
    this.text = start === this.#at ? "" : this.#resolve(this.#held.slice(this.#at, start));
    this.#at = end;
  }

  /** An end that is written in a rare way; true if the element matters. */
  #endTag(name: string): boolean {
    if (this.#isEmpty || this.#open.at(-1) !== `</${name}>`) throw this.fault("a tag in it is not closed");
    return this.#close();
  }

  /** True if the element that ends here matters. */
  #close(): boolean {
    this.#open.pop();
    if (this.#known.length - 2 < this.#open.length) return false;
    this.name = this.#known.pop()!;
    this.isOpening = false;
    return true;
  }

  /** Passes a comment or an instruction; false if there is none, or not all of it. */
  #passSpecial(at: number): boolean {
    SPECIAL.lastIndex = at;
    const [special] = SPECIAL.exec(this.#held) ?? [];
    if (special === undefined) return false;
    if (TEXT.test(this.#held.slice(this.#at, at))) throw this.fault("a comment stands inside a value");
    if (FOREIGN.test(special)) throw this.fault("it is not written in UTF-8");
    this.#at = SPECIAL.lastIndex;
    return true;
  }

  /** The text with its references resolved and its line ends made line feeds. */
  #resolve(text: string): string {
    if (!/[&\r]/.test(text)) return text;
    return text
      .replaceAll(/\r\n?/g, "\n")
      .replaceAll(REFERENCE, (_, hex?: string, decimal?: string, name = "") => {
        if (hex === undefined && decimal === undefined) {
          const character = NAMED.get(name);
          if (character === undefined) throw this.fault("it holds an unknown reference");
          return character;
        }
        const number = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
        if (!isCharacter(number)) throw this.fault("it holds a character that XML does not allow");
        return String.fromCodePoint(number);
      });
  }
}

const REFERENCE = /&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));|&/g;
const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** XML 1.0, production 2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}
