import { MOST_COLUMNS } from "../../model/marker-columns.ts";
import { ABSENT, ESCAPED, NO_TEXT, type RowProblem, type UnreadableRow } from "../../model/rows.ts";
import { quoteWord } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import {
  CLOSING_BRACE,
  COLON,
  COMMA,
  isNewLine,
  type JsonCells,
  type JsonText,
  OPENING_BRACE,
  OPENING_BRACKET,
  type PlacedRows,
  QUOTE,
  showName,
  skipBlanks,
} from "./json-text.ts";
import { isNamed, isNoFailure, type MemberJudge, type MemberKind } from "./json-places.ts";

/** Rules that decide which members a row has. */
export interface MemberRules {
  readonly maxRowBytes: number;
  /** Names of members that are left whole while the others are flattened; `undefined` if no member is flattened. */
  readonly flatten?: readonly string[] | undefined;
  readonly declared?: readonly string[] | undefined;
  readonly dropped?: readonly string[] | undefined;
}

/** An object that uses data as names would otherwise fill memory. */
const MAX_NAMES_LENGTH = 1_048_576;
/** The bytes before a value are compared with the leads of so many members before the name is looked up. */
const MOST_COMPARED = 32;
/** Longer ones are not remembered. */
const LONGEST_LEAD = 256;
/** Objects nested deeper than this are not flattened. */
const MOST_LEVELS = 8;
const NO_COLUMN = -1;
const WORD_BYTES = 4;
const NO_LEAD = new DataView(new ArrayBuffer(0));
const HALF_PAIR = "holds one half of a surrogate pair, which is not a character";

/** A member that records have. */
interface Member {
  /** The bytes that were last before its value, from the value before it or the `{` on: most records are written alike. */
  lead: DataView;
  /** The line ends in them, and the place after the last one. */
  leadLines: number;
  leadLineStart: number;
  /** With the names of the flattened objects around it. */
  readonly names: readonly string[];
  /** Its position among the members of the same object, in the order in which they were met. */
  readonly at: number;
  /** True if an object in its place is one value, and not members of the record. */
  readonly isWhole: boolean;
  column: number;
  kind: MemberKind;
  /** The members of an object that is flattened. */
  inner: Members | undefined;
  /** The last row in which it gave no value of its own: it was flattened, or was empty. */
  row: number;
}

/** The members of an object, in the order in which they were met. */
interface Members {
  readonly path: readonly string[];
  readonly list: Member[];
  readonly byName: Map<string, Member>;
}

/** Reads one record after the other. Most have the same members in the same order, so each is looked for behind the last one. */
export class JsonRecords {
  /** The names of the columns, in order of first appearance in the file. */
  readonly names: string[] = [];
  readonly #columns = new Map<string, number>();
  #namesLength = 0;
  readonly #text: JsonText;
  readonly #rules: MemberRules;
  readonly #judge: MemberJudge;
  readonly #members: Members = { path: [], list: [], byName: new Map() };
  /** Of the record at hand. */
  #row = 0;
  #cells!: JsonCells;
  #firstCell = 0;
  #width = 0;
  #lines = 0;
  #lineStart = 0;
  #problem: Omit<RowProblem, "line"> | undefined;
  /** True if the row has a member that belongs to records, and not to answers of a service. */
  #hasOwn = false;
  #failure: Member | undefined;
  #array: Member | undefined;

  constructor(text: JsonText, judge: MemberJudge, rules: MemberRules) {
    this.#text = text;
    this.#rules = rules;
    this.#judge = judge;
  }

  /**
   * Reads the record whose `{` is next, and adds it to one of the lists; false if it is broken or cut off. `record`: its position
   * in the list; `isAlone`: it is no element of an array, and may itself hold records.
   */
  take(rows: PlacedRows, unreadable: UnreadableRow[], record: number, isAlone: boolean): boolean {
    const text = this.#text;
    const { at, base, line } = text;
    const { cells } = rows;
    const { maxRowBytes } = this.#rules;
    this.#cells = cells;
    const firstCell = cells.count;
    this.#begin(firstCell);
    const end = this.#readObject(this.#members, cells.bytes, at);
    if (end === -1) return false;
    if (end - at > maxRowBytes) throw text.tooLong(text.linePlace, "the row that begins here", maxRowBytes);
    text.passTo(end, this.#lines, this.#lineStart);
    if (!this.#hasOwn) this.#blameAnswer(isAlone);
    const place = { line, record, start: base + at, end: base + end };
    if (this.#problem !== undefined) {
      unreadable.push({ ...this.#problem, ...place });
    } else {
      cells.count += this.#width;
      rows.add(line, at, end, firstCell, this.#width, record);
    }
    return true;
  }

  #begin(firstCell: number): void {
    this.#firstCell = firstCell;
    this.#row += 1;
    this.#width = this.names.length;
    this.#lines = 0;
    this.#problem = this.#failure = this.#array = undefined;
    this.#hasOwn = false;
    this.#cells.begin(firstCell, this.#width);
  }

  /** Reads the members of the object that begins at `from`; returns the index after it, or -1. */
  #readObject(members: Members, bytes: Buffer, from: number): number {
    const text = this.#text;
    let at = from;
    for (let expected = 0; ;) {
      const isFirst = at === from;
      let member = findLed(members.list, text, at, expected, isFirst);
      if (member !== undefined) {
        if (member.leadLines > 0) this.#breakLines(member.leadLines, at + member.leadLineStart);
        at = this.#skip(bytes, at + member.lead.byteLength);
      } else {
        const start = at;
        const lines = this.#lines;
        if (!isFirst) at = this.#skip(bytes, at);
        const sign = bytes[at];
        if (sign === CLOSING_BRACE) return at + 1;
        if (sign !== (isFirst ? OPENING_BRACE : COMMA)) return text.fail(at, "afterMember");
        at = this.#skip(bytes, at + 1);
        if (isFirst && bytes[at] === CLOSING_BRACE) return at + 1;
        if (bytes[at] !== QUOTE) return text.fail(at, isFirst ? "firstName" : "name");
        const end = text.endOfString(at);
        if (end === -1) return -1;
        member = this.#meetName(members, text.textOf(at, end));
        at = this.#skip(bytes, end);
        if (bytes[at] !== COLON) return text.fail(at, "colon");
        at = this.#skip(bytes, at + 1);
        if (at - start <= LONGEST_LEAD) {
          member.lead = new DataView(Uint8Array.from(bytes.subarray(start, at)).buffer);
          member.leadLines = this.#lines - lines;
          member.leadLineStart = this.#lineStart - start;
        }
      }
      at = this.#readValue(member, bytes, at);
      if (at === -1) return -1;
      expected = member.at + 1;
    }
  }

  #readValue(member: Member, bytes: Buffer, from: number): number {
    const text = this.#text;
    const first = bytes[from];
    if (first === QUOTE) {
      const end = text.endOfString(from);
      if (end === -1) return -1;
      this.#put(member, from + 1, end - 1, text.hasEscapes ? ESCAPED : 0);
      if (text.mayBeHalf && hasHalfPair(text.textOf(from, end)))
        this.#blame(
          member,
          HALF_PAIR,
          "write the character out, or both halves of it",
          text.textOf(from, end),
        );
      this.#judgeValue(member, from + 1, end - 1);
      return end;
    }
    if (first === OPENING_BRACE && !member.isWhole) {
      this.#enter(member);
      member.inner ??= { path: member.names, list: [], byName: new Map() };
      return this.#readObject(member.inner, bytes, from);
    }
    const end = text.endOfValue(from, "value", text.depth + member.names.length);
    if (end === -1) return -1;
    if (first === OPENING_BRACE || first === OPENING_BRACKET) this.#takeNested(member, bytes, from, end);
    else {
      const isNull = first === 0x6e;
      this.#put(member, from, isNull ? from : end, NO_TEXT);
      this.#judgeValue(member, from, end);
    }
    return end;
  }

  /** Takes an object or array that is one value. PHP writes an empty object as `[]`: it counts as empty. */
  #takeNested(member: Member, bytes: Buffer, from: number, end: number): void {
    for (let at = from; at < end; at++)
      if (bytes[at]! < 0x20 && isNewLine(bytes, at)) this.#breakLines(1, at + 1);
    const isEmpty = skipBlanks(bytes, from + 1) === end - 1;
    // For an empty value, a column of its own would be a question about nothing.
    if (isEmpty && member.column === NO_COLUMN && !this.#isKnown(member)) {
      this.#enter(member);
      return;
    }
    this.#put(member, from, isEmpty ? from : end, NO_TEXT);
    if (bytes[from] === OPENING_BRACKET) this.#array ??= member;
    else if (!isEmpty) this.#judgeValue(member, from, end);
  }

  #put(member: Member, start: number, end: number, mark: number): void {
    const cells = this.#cells;
    const first = this.#firstCell;
    if (member.column === NO_COLUMN) this.#addColumn(member);
    const { column } = member;
    for (; this.#width <= column; this.#width++) {
      cells.reserve(first + this.#width + 1);
      cells.put(first + this.#width, 0, 0, ABSENT | NO_TEXT);
    }
    if ((cells.marks[first + column]! & ABSENT) === 0)
      this.#blame(member, "is given twice in one record", hintTwice(member));
    cells.put(first + column, start, end, mark);
  }

  #addColumn(member: Member): void {
    const name = member.names.join("_");
    const known = this.#columns.get(name);
    if (known !== undefined) {
      member.column = known;
      return;
    }
    this.#namesLength += name.length;
    if (this.names.length === MOST_COLUMNS || this.#namesLength > MAX_NAMES_LENGTH) {
      throw inputError(
        this.#text.linePlace,
        "too-many-columns",
        `more than ${MOST_COLUMNS.toLocaleString("en")} different member names, or names of more than 1 MiB`,
        { hint: "give every row the same members: names that are data (ids, dates) have to become values" },
      );
    }
    member.column = this.names.push(name) - 1;
    this.#columns.set(name, member.column);
  }

  #meetName(members: Members, name: string): Member {
    const known = members.byName.get(name);
    if (known !== undefined) return known;
    if (hasHalfPair(name))
      throw inputError(this.#text.linePlace, "json-syntax", `the name ${showName(name)} ${HALF_PAIR}`);
    const names = [...members.path, name];
    const { flatten } = this.#rules;
    const member: Member = {
      lead: NO_LEAD,
      leadLines: 0,
      leadLineStart: 0,
      names,
      at: members.list.length,
      isWhole: flatten === undefined || names.length > MOST_LEVELS || isNamed(names, flatten),
      column: NO_COLUMN,
      kind: this.#judge.kindOf(names.join("_")),
      inner: undefined,
      row: 0,
    };
    members.byName.set(name, member);
    members.list.push(member);
    return member;
  }

  /** Notes a member that gives the record no value of its own, but may be given only once. */
  #enter(member: Member): void {
    if (member.row === this.#row)
      this.#problem ??= { reason: `the member ${showName(member.names.join("_"))} is given twice` };
    member.row = this.#row;
  }

  /** Whether an empty member has a column, or an option names it. */
  #isKnown({ isWhole, names }: Member): boolean {
    const name = names.join("_");
    return isWhole || this.#columns.has(name) || this.#judge.isDeclared(name);
  }

  /** Notes evidence that the row is a record, or that a service failed; an object in the member is a value too. */
  #judgeValue(member: Member, start: number, end: number): void {
    if (member.kind === "record") this.#hasOwn = true;
    else if (member.kind === "failure" && !isNoFailure(this.#cells.bytes.toString("latin1", start, end)))
      this.#failure ??= member;
  }

  /**
   * For a row without any member of a record: a line in which a service reports a failure, or a page of an answer, in which
   * leaving out the array would leave out everything.
   */
  #blameAnswer(isAlone: boolean): void {
    const failure = this.#failure?.names.join("_");
    const array = this.#array?.names.join("_");
    if (failure !== undefined)
      this.#blame(
        this.#failure!,
        "says that a service failed, and nothing in the row belongs to a record",
        `--type ${failure}=text where it is no failure`,
      );
    else if (isAlone && array !== undefined && this.#rules.dropped?.includes(array) !== true)
      this.#blame(
        this.#array!,
        "is an array, and nothing beside it belongs to a record",
        `--json-path ${quoteWord(array)} sends the records in it`,
      );
  }

  #blame({ column }: Member, reason: string, hint: string, value?: string): void {
    const header = this.names[column]!;
    this.#problem ??= { header, reason, hint, ...(value === undefined ? {} : { value }) };
  }

  /** The index of the first byte from `from` on that is no blank; counts the lines before it. */
  #skip(bytes: Buffer, from: number): number {
    for (let at = from; ; at++) {
      const byte = bytes[at];
      if (byte === 0x0a || byte === 0x0d) this.#breakLines(isNewLine(bytes, at) ? 1 : 0, at + 1);
      else if (byte !== 0x20 && byte !== 0x09) return at;
    }
  }

  #breakLines(lines: number, lineStart: number): void {
    this.#lines += lines;
    this.#lineStart = lineStart;
  }
}

/** True if the text contains half a surrogate pair without the other half, so that it has no UTF-8 form. */
function hasHalfPair(text: string): boolean {
  return /\p{Cs}/u.test(text);
}

/** What to do about a member that a record has twice; inside of an object, one of the two may be a member of the record. */
function hintTwice({ names }: Member): string {
  if (names.length === 1) return "keep one of the two";
  const object = quoteWord(names.slice(0, -1).join("_"));
  return `--drop ${object} leaves the object out from which --flatten makes one of the two`;
}

/** The member whose lead comes next; `from` is the index at which it is expected. */
function findLed(
  list: readonly Member[],
  { bytes, view }: JsonText,
  at: number,
  from: number,
  isFirst: boolean,
): Member | undefined {
  // Only the bytes before a first member begin with a brace.
  if ((bytes[at] === OPENING_BRACE) !== isFirst) return undefined;
  const most = Math.min(list.length, MOST_COMPARED);
  for (let step = 0; step < most; step++) {
    const member = list[(from + step) % list.length]!;
    if (stands(member.lead, view, at)) return member;
  }
  return undefined;
}

/** Most leads have four bytes or more, which are compared four at a time; the last four may overlap those before. */
function stands(lead: DataView, bytes: DataView, start: number): boolean {
  const { byteLength: length } = lead;
  if (length === 0 || start + length > bytes.byteLength) return false;
  if (length < WORD_BYTES) {
    for (let at = 0; at < length; at++) if (bytes.getUint8(start + at) !== lead.getUint8(at)) return false;
    return true;
  }
  const last = length - WORD_BYTES;
  if (bytes.getInt32(start + last) !== lead.getInt32(last)) return false;
  for (let at = 0; at < last; at += WORD_BYTES)
    if (bytes.getInt32(start + at) !== lead.getInt32(at)) return false;
  return true;
}
