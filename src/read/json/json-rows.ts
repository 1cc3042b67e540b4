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
 * Reads the rows of a JSON file (UTF-8 without BOM): a top-level array of objects, or an object that holds one array of
 * objects. Rows come in file order, numbers keep their source text, absent members are `undefined`. Broken JSON throws an input
 * error with line and column.
 */
export function readJsonRows(
  chunks: AsyncIterable<Buffer>,
  options: JsonRowsOptions,
): AsyncIterable<RowChunk> {
  const walk = new JsonWalk(new JsonText(options.file), options);
  return streamRows(chunks, walk, walk.file());
}

/**
 * Reads the rows of an NDJSON file (UTF-8 without BOM), one object after the other; blank lines are skipped, and an
 * object may take several lines. With a path, each object holds its rows at that path. Nothing after a broken line can be read
 * with certainty.
 */
export function readNdjsonRows(
  chunks: AsyncIterable<Buffer>,
  options: JsonRowsOptions,
): AsyncIterable<RowChunk> {
  const walk = new JsonWalk(new JsonText(options.file), options);
  return streamRows(chunks, walk, walk.lines());
}

/** So many bytes are read between two chunks of rows. */
const BYTES_AT_ONCE = 65_536;
/** With more cells a chunk ends: each row has one for every member that was met. */
const MOST_CELLS = 131_072;
/** Arrays deeper than this are not offered as places of records. */
const MOST_DEPTH = 8;

/** Gives the walk one piece after the other, and hands on its rows. */
async function* streamRows(
  chunks: AsyncIterable<Buffer>,
  walk: JsonWalk,
  steps: Generator<void, void>,
): AsyncGenerator<RowChunk, void, undefined> {
  const { text } = walk;
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
      yield* handOn(walk, steps);
      walk.checkSize();
    }
  }
  if (waitingBytes > 0) text.feed(Buffer.concat(waiting));
  text.isWhole = true;
  yield* handOn(walk, steps);
}

/** The rows that end in the bytes at hand. */
function* handOn(walk: JsonWalk, steps: Generator<void, void>): Generator<RowChunk> {
  for (let isFull = true; isFull;) {
    steps.next();
    ({ isFull } = walk);
    const rows = walk.take();
    if (rows !== undefined) yield rows;
  }
}

/** Goes through a file from value to value, as its bytes come, and collects its records. */
class JsonWalk {
  readonly text: JsonText;
  readonly #options: Omit<JsonRowsOptions, "file">;
  readonly #judge: MemberJudge;
  readonly #records: JsonRecords;
  /** Number of values found where rows should be. */
  #elements = 0;
  #rows: PlacedRows | undefined;
  #unreadable: UnreadableRow[] = [];
  /** True if the bytes end inside a row. */
  #isInRow = false;
  /** True if it stopped before the end of the bytes, to hand on its rows. */
  isFull = false;
  #remarks: readonly string[] = [];

  constructor(text: JsonText, options: Omit<JsonRowsOptions, "file">) {
    this.text = text;
    this.#options = options;
    this.#judge = new MemberJudge(options.declared);
    this.#records = new JsonRecords(text, this.#judge, options);
  }

  /** Reads a file of one value. */
  *file(): Generator<void, void> {
    const { text } = this;
    const { jsonPath } = this.#options;
    const first = yield* this.#next("top");
    if (first === OPENING_BRACE) yield* this.#answer();
    else if (first === OPENING_BRACKET) {
      if (jsonPath !== undefined) throw nothingAt(text.linePlace, `${jsonPath}: the file is an array`);
      yield* this.#array();
    } else {
      yield* this.#end("top");
      const what = `the file is ${kindOf(first)}; it should be an array of objects, or an object that holds one`;
      throw inputError(text.placeOf(text.at), "json-not-records", what, {
        hint: "export the rows as objects, or as CSV",
      });
    }
    while (text.next() === -1) {
      if (text.isWhole) return;
      yield;
    }
    yield* this.#refuse("end");
  }

  /** Reads a file of one value after the other. */
  *lines(): Generator<void, void> {
    const { text } = this;
    const { jsonPath } = this.#options;
    for (;;) {
      const first = text.next();
      if (first === -1) {
        if (text.isWhole) return;
        yield;
      } else if (jsonPath === undefined) {
        if (first !== OPENING_BRACE || !this.#takeRow(true)) yield* this.#element(first, "line", true);
        if (this.isFull) yield;
      } else if (first === OPENING_BRACE) yield* this.#answer();
      else {
        yield* this.#end("line");
        throw leadsTo(text.linePlace, jsonPath, kindOf(first));
      }
    }
  }

  /** Finds the places of records in an object, whose text is whole, and reads none. */
  look(): JsonPlaces {
    const places = new JsonPlaces("", this.#judge, this.#options);
    if (this.text.next() === OPENING_BRACE) this.#object([], places, false).next();
    return places;
  }

  /** Limits what is kept of the bytes, once all of them are read. Throws an input error. */
  checkSize(): void {
    const { text } = this;
    const { maxRowBytes } = this.#options;
    if (text.rest <= maxRowBytes) return;
    const what = this.#isInRow ? "the row that begins here" : "the name or value here";
    throw text.tooLong(text.placeOf(text.at), what, maxRowBytes);
  }

  /** The rows in the bytes at hand, with remarks about all rows of the file; `undefined` if there is neither. */
  take(): RowChunk | undefined {
    const remarks = this.#remarks;
    const rows = this.#open();
    const unreadable = this.#unreadable;
    this.#rows = undefined;
    this.#unreadable = [];
    if (this.isFull) this.text.beginCells();
    this.isFull = false;
    const isEmpty = rows.length + unreadable.length + remarks.length === 0;
    return isEmpty ? undefined : { columns: this.#records.names, rows, unreadable, remarks };
  }

  #open(): PlacedRows {
    return (this.#rows ??= new Rows(this.text.cells, this.text.base));
  }

  /** Reads an object that records are in. */
  *#answer(): Generator<void, void> {
    const { text } = this;
    const places = new JsonPlaces(text.file, this.#judge, this.#options);
    yield* this.#object([], places, this.#options.jsonPath === undefined);
    this.#remarks = places.settle(this.#elements, text.linePlace);
  }

  /** Reads the object that begins here, to which the names lead; true if it is empty. `takesRows`: else they are counted. */
  *#object(path: readonly string[], places: JsonPlaces, takesRows: boolean): Generator<void, boolean> {
    const { text } = this;
    this.#enter(1);
    for (let expected: Expected = "firstName"; ; expected = "name") {
      const byte = yield* this.#next(expected);
      if (byte === CLOSING_BRACE && expected === "firstName") {
        this.#enter(-1);
        return true;
      }
      if (byte !== QUOTE) yield* this.#refuse(expected);
      const end = yield* this.#end(expected);
      const name = text.textOf(text.at, end);
      text.moveTo(end);
      if ((yield* this.#next("colon")) !== COLON) yield* this.#refuse("colon");
      text.moveTo(text.at + 1);
      if (path.length === 0) places.meet(name);
      yield* this.#member([...path, name], places, takesRows);
      if (yield* this.#isLast(CLOSING_BRACE, "afterMember")) return false;
    }
  }

  /** Reads the value of a member of an answer. */
  *#member(path: readonly string[], places: JsonPlaces, takesRows: boolean): Generator<void, void> {
    const { text } = this;
    const first = yield* this.#next("value");
    const at = text.linePlace;
    const isArray = first === OPENING_BRACKET;
    if (!isArray && first !== OPENING_BRACE) {
      const end = yield* this.#end("value");
      const value = first === QUOTE ? text.textOf(text.at, end) : text.bytes.toString("latin1", text.at, end);
      places.single(path, value, kindOf(first), at);
      text.moveTo(end);
    } else if (places.begins(path, !isArray, at)) {
      if (isArray) yield* this.#array();
      else yield* this.#element(first, "value", false);
    } else if (path.length >= MOST_DEPTH) {
      text.moveTo(yield* this.#end("value"));
      if (path.length === 1) places.endMember(path[0]!, isArray ? "array" : "object", false, at);
    } else if (isArray) {
      const { isEmpty, holdsObjects } = yield* this.#array({ path, places, takesRows });
      if (path.length === 1) places.endMember(path[0]!, holdsObjects ? "records" : "array", isEmpty, at);
    } else {
      const isEmpty = yield* this.#object(path, places, takesRows);
      if (path.length === 1) places.endMember(path[0]!, "object", isEmpty, at);
    }
  }

  /** Reads the array that begins here. Its elements are rows; or it is an array of an answer, and may hold the rows. */
  *#array(search?: {
    readonly path: readonly string[];
    readonly places: JsonPlaces;
    readonly takesRows: boolean;
  }): Generator<void, { readonly isEmpty: boolean; readonly holdsObjects: boolean }> {
    const { text } = this;
    let areRows = search === undefined;
    let holdsObjects = false;
    let place: Place | undefined;
    this.#enter(1);
    for (let expected: Expected = "firstElement"; ; expected = "element") {
      const next = text.next();
      const first = next === -1 ? yield* this.#next(expected) : next;
      if (expected === "firstElement") {
        if (first === CLOSING_BRACKET) {
          this.#enter(-1);
          return { isEmpty: true, holdsObjects: false };
        }
        if (search !== undefined && first === OPENING_BRACE) {
          holdsObjects = true;
          place = search.places.add(search.path, text.linePlace);
          areRows = search.takesRows && place?.isFirst === true;
        }
      }
      if (place !== undefined) place.records += 1;
      if (!areRows) text.moveTo(yield* this.#end(expected));
      else if (first !== OPENING_BRACE || !this.#takeRow(false)) yield* this.#element(first, expected, false);
      if (this.isFull) yield;
      if (text.next() === COMMA) text.moveTo(text.at + 1);
      else if (yield* this.#isLast(CLOSING_BRACKET, "afterElement")) return { isEmpty: false, holdsObjects };
    }
  }

  /** Reads what is where a row should be. */
  *#element(first: number, expected: Expected, isAlone: boolean): Generator<void, void> {
    const { text } = this;
    if (first === OPENING_BRACE) {
      while (!this.#takeRow(isAlone)) {
        text.checkFault();
        this.#isInRow = true;
        yield;
      }
      this.#isInRow = false;
    } else {
      const { line } = text;
      const end = yield* this.#end(expected);
      const what = kindOf(first);
      this.#elements += 1;
      if (this.#elements === 1) throw notRecords(text.placeOf(text.at), what, isAlone);
      this.#unreadable.push({
        line,
        record: this.#elements,
        reason: `${what} is where a row should be: an object with members`,
        start: text.base + text.at,
        end: text.base + end,
      });
      text.moveTo(end);
    }
  }

  /** Reads the record that is next; false if it is broken or cut off. */
  #takeRow(isAlone: boolean): boolean {
    if (!this.#records.take(this.#open(), this.#unreadable, this.#elements + 1, isAlone)) return false;
    this.#elements += 1;
    this.isFull = this.text.cells.count >= MOST_CELLS;
    return true;
  }

  /** Goes behind the bracket that is next. */
  #enter(levels: 1 | -1): void {
    this.text.moveTo(this.text.at + 1);
    this.text.depth += levels;
  }

  /** True if the container ends here; else it goes on after a comma. */
  *#isLast(closing: number, expected: Expected): Generator<void, boolean> {
    const sign = yield* this.#next(expected);
    if (sign === closing) {
      this.#enter(-1);
      return true;
    }
    if (sign !== COMMA) yield* this.#refuse(expected);
    this.text.moveTo(this.text.at + 1);
    return false;
  }

  /** The next byte that is no blank. */
  *#next(expected: Expected): Generator<void, number> {
    for (;;) {
      const byte = this.text.next();
      if (byte !== -1) return byte;
      if (this.text.isWhole) yield* this.#refuse(expected);
      yield;
    }
  }

  /** The index after the value that is next. */
  *#end(expected: Expected): Generator<void, number> {
    const { text } = this;
    for (;;) {
      const end = text.endOfValue(text.at, expected);
      if (end === -1) text.checkFault();
      // A number may go on.
      else if (end < text.bytes.length || text.isWhole) return end;
      yield;
    }
  }

  /** Throws, once enough bytes are there to show what was found. */
  *#refuse(expected: Expected): Generator<void, never> {
    for (;;) {
      this.text.fail(this.text.at, expected);
      this.text.checkFault();
      yield;
    }
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
/** One whose first value is no array and no object. */
const SCALAR_BEGINS = /^[\t\n\r ]*\[[\t\n\r ]*[^\]{[\t\n\r ]/;
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
  const text = new JsonText("", sample);
  if (ARRAY_BEGINS.test(beginning)) {
    // `["a"],["b"]` may be the header of a CSV; an array of objects with something after it is broken JSON.
    if (!SCALAR_BEGINS.test(beginning)) return "json";
    text.next();
    const end = text.endOfValue(text.at, "top");
    return end !== -1 && /\S/.test(sample.toString("latin1", end)) ? undefined : "json";
  }
  if (!OBJECT_BEGINS.test(beginning)) return undefined;
  const places = findPlaces(text, options);
  // Broken, or just cut off: reading it will report what is wrong.
  if (places === undefined) return "json";
  const [, between = "", next] = /^([\t\n\r ]*)(.)?/s.exec(sample.toString("latin1", text.at))!;
  if (next === "{") return "ndjson";
  const isEmpty = places.members.length === 0;
  if (next !== undefined) return isEmpty ? undefined : /[\r\n]/.test(between) ? "ndjson" : "json";
  // Rejects are one record a line, whatever they hold.
  const areRejects = isMarkerColumn(places.members[0] ?? "");
  return places.areAsked && !areRejects ? "json" : "ndjson";
}

function findPlaces(text: JsonText, options: KnownMembers): JsonPlaces | undefined {
  try {
    return new JsonWalk(text, { ...options, maxRowBytes: Infinity }).look();
  } catch (error) {
    if (error instanceof RecPushError) return undefined;
    throw error;
  }
}
