import { ABSENT, NO_TEXT } from "../../model/rows.ts";
import type { JsonCells, PlacedRows } from "./json-cells.ts";
import type { JsonWindow } from "./json-fault.ts";
import { endOfNested, skipBlanks, takePlainValue } from "./plain-value.ts";

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
/** Comparing a name with more of them would take longer than the strict scanner does. */
const MOST_COMPARED = 32;
/** A longer lead is not remembered. */
const LONGEST_LEAD = 96;
const WORD_BYTES = 4;
/** A row may omit this many columns, plus as many as it has values: it takes memory for each of them. */
const MOST_LEFT_OUT = 64;

/** What the value of a member is, as the strict scanner found it. */
interface MemberFacts {
  readonly column: number;
  /** True if the column belongs to records and not to answers of a service. */
  readonly isOwn: boolean;
  /** True if an object in its place is one value, and not members of the record. */
  readonly isWhole: boolean;
}

interface Member {
  readonly name: Buffer;
  readonly at: number;
  facts: MemberFacts | undefined;
  /** The members of an object that is flattened. */
  inner: MemberNames | undefined;
  /** The last row in which it was flattened. */
  row: number;
  /** The bytes between its value and the value before it, or the `{`, in the last row; most rows have the same. */
  readonly lead: DataView;
  /** 0 if none is remembered. */
  leadBytes: number;
  /** Number of line ends in the lead, and the index of the last one. */
  leadLines: number;
  leadLineEnd: number;
}

/** The members that records have, as far as the strict scanner has met them; in the order of their first row. */
export class MemberNames {
  readonly #members: Member[] = [];
  readonly #byName = new Map<string, Member>();

  /** Learns a member, which is inside the objects of `path`. */
  learn([outer, ...path]: readonly string[], name: string, facts: MemberFacts): void {
    const member = this.#member(outer ?? name);
    if (outer !== undefined) (member.inner ??= new MemberNames()).learn(path, name, facts);
    else if (member.facts === undefined || facts.isWhole) member.facts = facts;
  }

  /** The member that comes after this many others, in the order of their first row. */
  after(members: number): Member | undefined {
    return this.#members[members];
  }

  /** The member whose name is in quotes from `start` on; `from`: where it is expected. */
  find(bytes: Buffer, start: number, from: number): Member | undefined {
    const members = this.#members;
    const most = Math.min(members.length, MOST_COMPARED);
    for (let step = 0; step < most; step++) {
      const member = members[(from + step) % members.length]!;
      if (isNamed(member.name, bytes, start)) return member;
    }
    return undefined;
  }

  #member(name: string): Member {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const at = this.#members.length;
    const member: Member = {
      name: Buffer.from(name),
      at,
      facts: undefined,
      inner: undefined,
      row: 0,
      lead: new DataView(new ArrayBuffer(LONGEST_LEAD)),
      leadBytes: 0,
      leadLines: 0,
      leadLineEnd: -1,
    };
    this.#byName.set(name, member);
    // A name in which something is escaped is left to the strict scanner.
    if (JSON.stringify(name) === `"${name}"`) this.#members.push(member);
    return member;
  }
}

/** What is known of records before their values are found. */
interface RecordRules {
  /** How many columns they have. */
  readonly width: number;
  readonly maxRowBytes: number;
}

/**
 * Reads records all of whose members are known, in one go, exactly as the strict scanner does, to which all others are
 * left. The input is known to be UTF-8.
 */
export class PlainRecords {
  readonly #names: MemberNames;
  /** The cells of the window, its bytes, and the first cell of the row. */
  #cells!: JsonCells;
  #words: DataView = new DataView(new ArrayBuffer(0));
  #firstCell = 0;
  #row = 0;
  /** Of the row: how many values it has, and whether one belongs to records. */
  #values = 0;
  #hasOwn = false;
  /** Number of line ends in it, and the index of the last one. */
  #lines = 0;
  #lastLineEnd = -1;

  constructor(names: MemberNames) {
    this.#names = names;
  }

  /** Adds the row whose `{` is at `at`, and returns the index after it; -1 if it is left. `records`: how many are before it. */
  take(rows: PlacedRows, window: JsonWindow, at: number, records: number, rules: RecordRules): number {
    const { cells, base, line } = window;
    const { width, maxRowBytes } = rules;
    const firstCell = cells.count;
    if (this.#cells !== cells) {
      const { buffer, byteOffset, byteLength } = cells.bytes;
      this.#words = new DataView(buffer, byteOffset, byteLength);
    }
    this.#cells = cells;
    this.#firstCell = firstCell;
    this.#row += 1;
    this.#values = 0;
    this.#hasOwn = false;
    this.#lines = 0;
    cells.begin(firstCell, width);
    const end = this.#readObject(this.#names, cells.bytes, at);
    const isSparse = width > 2 * this.#values + MOST_LEFT_OUT;
    if (end === -1 || end - at > maxRowBytes || !this.#hasOwn || isSparse) return -1;
    cells.count += width;
    window.breakLines(this.#lines, this.#lastLineEnd);
    rows.addFound({ cells, firstCell, width, base, line, records }, at, end);
    return end;
  }

  /** Reads the members of the object that begins at `from`; returns the index after it. */
  #readObject(names: MemberNames, bytes: Buffer, from: number): number {
    let at = from;
    for (let expected = 0; ;) {
      let member = names.after(expected);
      if (member !== undefined && hasLead(member, this.#words, at)) {
        if (member.leadLines > 0) this.#breakLines(member.leadLines, at + member.leadLineEnd);
        at = this.#readValue(member, bytes, this.#skip(bytes, at + member.leadBytes));
      } else {
        const start = at;
        if (at > from) at = this.#skip(bytes, at);
        const sign = bytes[at++];
        if (sign === CLOSING_BRACE) return at;
        if (sign !== (start === from ? OPENING_BRACE : COMMA)) return -1;
        at = this.#skip(bytes, at);
        if (start === from && bytes[at] === CLOSING_BRACE) return at + 1;
        if (bytes[at] !== QUOTE) return -1;
        member = names.find(bytes, at + 1, expected);
        if (member === undefined) return -1;
        at = this.#skip(bytes, at + member.name.length + 2);
        if (bytes[at] !== COLON) return -1;
        at = this.#skip(bytes, at + 1);
        learnLead(member, bytes, start, at);
        at = this.#readValue(member, bytes, at);
      }
      if (at === -1) return -1;
      expected = member.at + 1;
    }
  }

  #readValue(member: Member, bytes: Buffer, from: number): number {
    const { facts, inner } = member;
    const first = bytes[from];
    if (first === OPENING_BRACE && facts?.isWhole !== true) {
      if (inner === undefined || member.row === this.#row) return -1;
      member.row = this.#row;
      return this.#readObject(inner, bytes, from);
    }
    if (facts === undefined) return -1;
    const cells = this.#cells;
    const cell = this.#firstCell + facts.column;
    // It is given twice.
    if ((cells.marks[cell]! & ABSENT) === 0) return -1;
    this.#values += 1;
    if (first !== OPENING_BRACE && first !== OPENING_BRACKET) {
      this.#hasOwn ||= facts.isOwn;
      return takePlainValue(cells, cell, from);
    }
    const end = endOfNested(bytes, from);
    if (end === -1) return -1;
    for (let at = from; at < end; at++) if (bytes[at] === LINE_FEED) this.#breakLine(at);
    // What holds nothing is no value.
    const isEmpty = skipBlanks(bytes, from + 1) === end - 1;
    cells.put(cell, from, isEmpty ? from : end, NO_TEXT);
    this.#hasOwn ||= facts.isOwn && !isEmpty && first === OPENING_BRACE;
    return end;
  }

  /** The index of the first byte from `from` on that is no space, tab or line feed. */
  #skip(bytes: Buffer, from: number): number {
    for (let at = from; ; at++) {
      const byte = bytes[at];
      if (byte === LINE_FEED) this.#breakLine(at);
      else if (byte !== 0x20 && byte !== 0x09) return at;
    }
  }

  #breakLine(at: number): void {
    this.#breakLines(1, at);
  }

  #breakLines(lines: number, lastLineEnd: number): void {
    this.#lines += lines;
    this.#lastLineEnd = lastLineEnd;
  }
}

/** True if the remembered lead is at `start`. Four bytes at a time; the last four may overlap those before. */
function hasLead({ lead, leadBytes }: Member, words: DataView, start: number): boolean {
  if (leadBytes < WORD_BYTES || start + leadBytes > words.byteLength) return false;
  const last = leadBytes - WORD_BYTES;
  for (let at = 0; at < last; at += WORD_BYTES)
    if (words.getInt32(start + at, true) !== lead.getInt32(at, true)) return false;
  return words.getInt32(start + last, true) === lead.getInt32(last, true);
}

function learnLead(member: Member, bytes: Buffer, start: number, end: number): void {
  member.leadBytes = 0;
  if (end - start > LONGEST_LEAD) return;
  member.leadBytes = end - start;
  member.leadLines = 0;
  for (let at = 0; at < member.leadBytes; at++) {
    const byte = bytes[start + at]!;
    member.lead.setUint8(at, byte);
    if (byte !== LINE_FEED) continue;
    member.leadLines += 1;
    member.leadLineEnd = at;
  }
}

function isNamed(name: Buffer, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[start + at] !== name[at]) return false;
  return bytes[start + name.length] === QUOTE;
}
