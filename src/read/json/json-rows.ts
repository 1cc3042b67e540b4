import { type InputPlace, RecPushError } from "../../model/failure.ts";
import { isMarkerColumn } from "../../model/marker-columns.ts";
import type { RowChunk, UnreadableRow } from "../../model/rows.ts";
import { inputError } from "../input-error.ts";
import { Rows } from "../rows.ts";
import { JsonPlaces, leadsTo, MemberJudge, type Place } from "./json-places.ts";
import { JsonRecords, type MemberRules } from "./json-record.ts";
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  COMMA,
  type Expected,
  JsonCells,
  JsonText,
  OPENING_BRACE,
  OPENING_BRACKET,
  type PlacedRows,
  QUOTE,
} from "./json-text.ts";

/** How to read one JSON file. */
export interface JsonRowsOptions extends MemberRules {
  /** The name of the file, for messages. */
  readonly file: string;
  /** Names that lead to the array of rows if the top level is an object, joined by dots: `result.items`. */
  readonly jsonPath?: string;
}

/**
 * Reads the rows of a JSON file (UTF-8 without BOM): `json` is a top-level array of objects, or an object around one array of
 * objects; `ndjson` is one object after the other, each a row or, with a path, around rows. Rows come in file order, numbers keep
 * their source text, absent members are `undefined`. Broken JSON throws an input error with line and column: nothing after it can
 * be read with certainty.
 */
export async function* readJsonRows(
  chunks: AsyncIterable<Buffer>,
  format: "json" | "ndjson",
  options: JsonRowsOptions,
): AsyncGenerator<RowChunk, void, undefined> {
  const text = new JsonText(options.file);
  const walk = new JsonWalk(text, format === "json" ? "top" : "line", options);
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    // A chunk may be a whole file; the memory between two size checks must stay bounded.
    for (let from = 0; from < chunk.length; from += BYTES_AT_ONCE) {
      const piece = chunk.subarray(from, from + BYTES_AT_ONCE);
      waitingBytes += piece.length;
      // The beginning of a long name or value is copied and read again only after twice as many bytes have come.
      if (waitingBytes < text.rest) {
        waiting.push(Buffer.from(piece));
        continue;
      }
      text.feed(waiting.length === 0 ? piece : Buffer.concat([...waiting, piece]));
      waiting = [];
      waitingBytes = 0;
      yield* walk.rows();
      if (text.rest > options.maxRowBytes)
        throw text.tooLong(
          text.placeOf(text.at),
          "the row, name or value that begins here",
          options.maxRowBytes,
        );
    }
  }
  if (waitingBytes > 0) text.feed(Buffer.concat(waiting));
  text.isWhole = true;
  yield* walk.rows();
}

/** So many bytes are read between two chunks of rows. */
const BYTES_AT_ONCE = 65_536;
/** With more cells a chunk ends: each row has one for every member that was met. */
const MOST_CELLS = 131_072;
/** Arrays deeper than this are not offered as places of records. */
const MOST_DEPTH = 8;

/** An object or array that is open. */
interface Container {
  /** `rows`: an array whose elements are certainly rows; `records`: another one that holds objects. */
  what: "object" | "array" | "records" | "rows";
  /** The names that lead to it. */
  readonly path: readonly string[];
  areRows: boolean;
  place: Place | undefined;
}

/** Goes through a file step by step, as its bytes come, and collects its records. */
class JsonWalk {
  readonly #text: JsonText;
  readonly #options: Omit<JsonRowsOptions, "file">;
  readonly #judge: MemberJudge;
  readonly #records: JsonRecords;
  /** What the grammar expects next; and outside of all containers, after a value. */
  #next: Expected;
  readonly #afterValue: Expected;
  readonly #open: Container[] = [];
  /** The names that lead to the member at hand. */
  #path: readonly string[] = [];
  /** Set while an object is read that records are in. */
  #places: JsonPlaces | undefined;
  /** Number of values found where rows should be. */
  #elements = 0;
  /** Those of the chunk at hand. */
  #rows: PlacedRows;
  #unreadable: UnreadableRow[] = [];
  #remarks: readonly string[] = [];

  constructor(text: JsonText, first: "top" | "line", options: Omit<JsonRowsOptions, "file">) {
    this.#text = text;
    this.#next = first;
    this.#afterValue = first === "top" ? "end" : "line";
    this.#options = options;
    this.#judge = new MemberJudge(options.declared);
    this.#rows = new Rows(new JsonCells(text.bytes, 0), 0);
    this.#records = new JsonRecords(text, this.#judge, options);
  }

  /** The rows that end in the bytes at hand, with remarks about all rows of the file. */
  *rows(): Generator<RowChunk> {
    const text = this.#text;
    let usualCells = this.#rows.cells.count;
    for (let goesOn = true; goesOn;) {
      this.#rows = new Rows(new JsonCells(text.bytes, usualCells), text.base);
      this.#unreadable = [];
      do goesOn = this.#step();
      while (goesOn && this.#rows.cells.count < MOST_CELLS);
      const [rows, unreadable, remarks] = [this.#rows, this.#unreadable, this.#remarks];
      // Chunks of records have nearly as many cells each.
      usualCells = Math.ceil(1.1 * rows.cells.count);
      if (rows.length + unreadable.length + remarks.length > 0)
        yield { columns: this.#records.names, rows, unreadable, remarks };
    }
  }

  /** Finds the places of records in the object that is next, whose text is whole. */
  look(): JsonPlaces {
    do this.#step();
    while (this.#open.length > 0);
    return this.#places!;
  }

  /** Passes what is next; false if it is not all there yet, or nothing is there any more. */
  #step(): boolean {
    const text = this.#text;
    const next = this.#next;
    const container = this.#open.at(-1);
    if (container === undefined) this.#settle();
    const byte = text.next();
    if (byte === -1) return text.isWhole && next !== "line" && next !== "end" && this.#refuse();
    switch (next) {
      case "top":
      case "line":
        return this.#takeTop(byte);
      case "firstName":
      case "name":
        if (byte === CLOSING_BRACE && next === "firstName") return this.#leave(true);
        return byte === QUOTE ? this.#takeName(container!) : this.#refuse();
      case "colon":
        return byte === COLON ? this.#pass("value") : this.#refuse();
      case "value":
        return this.#takeMember(byte);
      case "firstElement":
        if (byte === CLOSING_BRACKET) return this.#leave(true);
        if (byte === OPENING_BRACE && container!.what === "array") this.#meetObjects(container!);
        return this.#takeElement(container!, byte);
      case "element":
        return this.#takeElement(container!, byte);
      case "afterMember":
      case "afterElement":
        if (byte === (next === "afterMember" ? CLOSING_BRACE : CLOSING_BRACKET)) return this.#leave(false);
        if (byte !== COMMA) return this.#refuse();
        return this.#pass(next === "afterMember" ? "name" : "element");
      case "end":
        return this.#refuse();
    }
  }

  /** Passes one character. */
  #pass(next: Expected): true {
    this.#text.moveTo(this.#text.at + 1);
    this.#next = next;
    return true;
  }

  /** Throws, once enough bytes are there to show what was found. */
  #refuse(): false {
    this.#text.fail(this.#text.at, this.#next);
    this.#text.checkFault();
    return false;
  }

  /** The index after the value that is next; -1 if it is not all there yet. */
  #end(): number {
    const text = this.#text;
    const end = text.endOfValue(text.at, this.#next);
    if (end === -1) text.checkFault();
    // A number may go on.
    return end < text.bytes.length || text.isWhole ? end : -1;
  }

  #enter(what: Container["what"], path: readonly string[]): true {
    this.#open.push({ what, path, areRows: what === "rows", place: undefined });
    this.#text.depth += 1;
    return this.#pass(what === "object" ? "firstName" : "firstElement");
  }

  #leave(isEmpty: boolean): true {
    const { what, path } = this.#open.pop()!;
    this.#text.depth -= 1;
    if (path.length === 1 && what !== "rows")
      this.#places!.endMember(path[0]!, what, isEmpty, this.#text.linePlace);
    return this.#pass(this.#open.length === 0 ? this.#afterValue : "afterMember");
  }

  /** Judges the object that was read last, if records were to be in it. */
  #settle(): void {
    if (this.#places === undefined) return;
    this.#remarks = this.#places.settle(this.#elements, this.#text.linePlace);
    this.#places = undefined;
  }

  #takeTop(first: number): boolean {
    const text = this.#text;
    const { jsonPath } = this.#options;
    const isLine = this.#next === "line";
    if (isLine && jsonPath === undefined) return this.#takeRow(first, true);
    if (first === OPENING_BRACE) {
      this.#places = new JsonPlaces(text.file, this.#judge, this.#options);
      return this.#enter("object", []);
    }
    if (first === OPENING_BRACKET && !isLine) {
      if (jsonPath !== undefined) throw nothingAt(text.linePlace, `${jsonPath}: the file is an array`);
      return this.#enter("rows", []);
    }
    if (this.#end() === -1) return false;
    if (jsonPath !== undefined) throw leadsTo(text.linePlace, jsonPath, kindOf(first));
    throw notRecords(text.placeOf(text.at), kindOf(first), false);
  }

  #takeName({ path }: Container): boolean {
    const text = this.#text;
    const end = this.#end();
    if (end === -1) return false;
    const name = text.textOf(text.at, end);
    text.moveTo(end);
    if (path.length === 0) this.#places!.meet(name);
    this.#path = [...path, name];
    this.#next = "colon";
    return true;
  }

  /** Takes the value of a member of an object that records are in. */
  #takeMember(first: number): boolean {
    const text = this.#text;
    const path = this.#path;
    const places = this.#places!;
    const isArray = first === OPENING_BRACKET;
    if (isArray || first === OPENING_BRACE) {
      if (places.areAt(path, isArray, text.linePlace)) {
        if (!isArray && !this.#takeRow(first, false)) return false;
        places.areFound = true;
        if (isArray) return this.#enter("rows", path);
        this.#next = "afterMember";
        return true;
      }
      if (path.length < MOST_DEPTH) return this.#enter(isArray ? "array" : "object", path);
    }
    const end = this.#end();
    if (end === -1) return false;
    if (!isArray && first !== OPENING_BRACE) {
      const value = first === QUOTE ? text.textOf(text.at, end) : text.bytes.toString("latin1", text.at, end);
      places.single(path, value, kindOf(first), text.linePlace);
    }
    text.moveTo(end);
    this.#next = "afterMember";
    return true;
  }

  /** The elements of this array are objects: they may be the records. */
  #meetObjects(array: Container): void {
    array.what = "records";
    array.place = this.#places!.add(array.path, this.#text.linePlace);
    array.areRows = this.#options.jsonPath === undefined && array.place?.isFirst === true;
  }

  #takeElement({ areRows, place }: Container, first: number): boolean {
    if (areRows) {
      if (!this.#takeRow(first, false)) return false;
    } else {
      const end = this.#end();
      if (end === -1) return false;
      this.#text.moveTo(end);
    }
    if (place !== undefined) place.records += 1;
    this.#next = "afterElement";
    return true;
  }

  /** Takes what is where a row should be; false if it is not all there yet. */
  #takeRow(first: number, isAlone: boolean): boolean {
    const text = this.#text;
    const record = this.#elements + 1;
    if (first === OPENING_BRACE) {
      if (!this.#records.take(this.#rows, this.#unreadable, record, isAlone)) {
        text.checkFault();
        return false;
      }
    } else {
      const { line, base, at } = text;
      const end = this.#end();
      if (end === -1) return false;
      const what = kindOf(first);
      if (record === 1) throw notRecords(text.placeOf(at), what, isAlone);
      const reason = `${what} is where a row should be: an object with members`;
      this.#unreadable.push({ line, record, reason, start: base + at, end: base + end });
      text.moveTo(end);
    }
    this.#elements = record;
    return true;
  }
}

/** A value in words, by its first byte. */
function kindOf(first: number): string {
  if (first === QUOTE) return "a string";
  if (first === OPENING_BRACKET) return "an array";
  return { 0x74: "true", 0x66: "false", 0x6e: "null" }[first] ?? "a number";
}

/** The error for another value in the place of the first row; `isAlone`: it is the first of several values. */
function notRecords(place: Required<InputPlace>, what: string, isAlone: boolean): RecPushError {
  return inputError(
    place,
    "json-not-records",
    `${what} is where the first row should be: an object with members, such as {"cle":"C1"}`,
    {
      hint:
        isAlone && what === "an array"
          ? "--format json, if the file is one array of records"
          : "export the rows as objects, or as CSV",
    },
  );
}

function nothingAt(place: InputPlace, what: string): RecPushError {
  return inputError(place, "json-path", `nothing at --json-path ${what}`, { hint: "leave the option out" });
}

/** An array that is empty or holds any values; `$` matches a sample that is too short to decide. */
const ARRAY_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*(?:$|[\]{["]|-?\d|true|false|null)/;
/** An object that is empty, or that begins with a name and a colon. */
const OBJECT_BEGINS = /^[\t\n\r ]*\{[\t\n\r ]*(?:$|\}|"(?:[^"\\]|\\.)*(?:\\?$|"[\t\n\r ]*(?:$|:)))/;
const BEGINNING_BYTES = 4096;

type KnownMembers = Pick<MemberRules, "declared" | "dropped">;

/**
 * Recognises JSON by its beginning (UTF-8 without BOM, cut anywhere, up to 1 MiB); `undefined` for what cannot be JSON
 * rows, such as a CSV. `ndjson` is one object after another, or a single one that is a record, as it would be if a second
 * one followed; `json` is an array, or one object around the records. Broken JSON still counts as JSON if its beginning
 * cannot be anything else.
 */
export function detectJson(sample: Buffer, options: KnownMembers = {}): "json" | "ndjson" | undefined {
  const beginning = sample.toString("latin1", 0, BEGINNING_BYTES);
  if (ARRAY_BEGINS.test(beginning)) return "json";
  if (!OBJECT_BEGINS.test(beginning)) return undefined;
  const text = new JsonText("", sample);
  const places = findPlaces(text, options);
  // Broken, or just cut off: reading it will report what is wrong.
  if (places === undefined) return "json";
  const isEmpty = places.members.length === 0;
  const next = text.next();
  // `{};x` is the header of a CSV.
  if (next !== -1) return isEmpty && next !== OPENING_BRACE ? undefined : "ndjson";
  // Rejects are one record a line, whatever they hold.
  const areRejects = isMarkerColumn(places.members[0] ?? "");
  return places.areAsked && !areRejects ? "json" : "ndjson";
}

function findPlaces(text: JsonText, options: KnownMembers): JsonPlaces | undefined {
  try {
    return new JsonWalk(text, "top", { ...options, maxRowBytes: Infinity }).look();
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}
