import type { RowChunk, UnreadableRow } from "../../model/rows.ts";
import { cutIntoPieces } from "../source/block-proof.ts";
import { failFailures, failNotRecords, failTooLong } from "./json-fault.ts";
import { JsonRecord, type MemberRules } from "./json-record.ts";
import {
  describeScalar,
  type JsonListener,
  type JsonScalar,
  type JsonScanner,
  startOfScalar,
} from "./json-scan.ts";
import type { PlacedRows } from "./json-cells.ts";
import { Rows } from "../rows.ts";
import { MemberNames, PlainRecords } from "./plain-records.ts";

function* drain(scanner: JsonScanner, list: JsonRowList): Generator<RowChunk> {
  while (scanner.scan()) {
    const chunk = list.take();
    if (chunk !== undefined) yield chunk;
  }
  const rest = list.hasChunk() ? list.take() : undefined;
  if (rest !== undefined) yield rest;
}

/** Feeds the scanner, whose first listener is already set, and yields what the list collects. */
export async function* streamRows(
  chunks: AsyncIterable<Buffer>,
  scanner: JsonScanner,
  list: JsonRowList,
): AsyncGenerator<RowChunk, void, undefined> {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  for await (const chunk of chunks) {
    // A chunk may be a whole file; what is kept between two size checks must not be.
    for (const piece of cutIntoPieces(chunk)) {
      waitingBytes += piece.length;
      // The beginning of a long name or value is only copied and scanned again once twice as much is available.
      if (waitingBytes < scanner.keptBytes) {
        waiting.push(Buffer.from(piece));
        continue;
      }
      scanner.feed(waiting.length === 0 ? piece : Buffer.concat([...waiting, piece]));
      waiting = [];
      waitingBytes = 0;
      yield* drain(scanner, list);
      list.checkSize();
    }
  }
  if (waitingBytes > 0) scanner.feed(Buffer.concat(waiting));
  scanner.window.ended = true;
  yield* drain(scanner, list);
  list.judgeRows();
  const last = list.takeLast();
  if (last !== undefined) yield last;
}

/** A chunk has at most so many rows or bytes; where the bytes end, it is handed out from the lesser numbers on. */
const CHUNK_ROWS = 4096;
const LEAST_ROWS = 250;
const LEAST_BYTES = 262_144;
const CHUNK_BYTES = 1_048_576;
/** An absent member takes memory too, if the rows have very different names. */
const CELL_BYTES = 8;

/** How the elements of a container are read. */
export interface ListRules extends MemberRules {
  readonly maxRowBytes: number;
}

/** Reads the elements of one container as rows, while it is the scanner's listener. */
export class JsonRowList implements JsonListener {
  private readonly scanner: JsonScanner;
  private readonly rules: ListRules;
  private readonly record: JsonRecord;
  /** Whether the container holds a single row among other members; the list ends after that row. */
  private isSingle = false;
  private listDepth = 0;
  private onEnd: () => void = () => {};
  private inRow = false;
  /** True if the bytes end inside a row, which will be read again. */
  private isCut = false;
  /** Number of values found where rows should be. */
  elements = 0;
  private failures = 0;
  private rows: PlacedRows = new Rows();
  private unreadable: UnreadableRow[] = [];
  /** The array found in place of a row, as long as it is open. */
  private element: Omit<UnreadableRow, "end"> | undefined;
  private remarks: readonly string[] = [];
  private bytes = 0;
  private readonly plain: PlainRecords;

  constructor(scanner: JsonScanner, rules: ListRules) {
    this.scanner = scanner;
    this.rules = rules;
    const names = new MemberNames();
    this.plain = new PlainRecords(names);
    this.record = new JsonRecord(scanner, names, rules);
  }

  /** Takes over as the scanner's listener: the elements of the container at `depth` are rows, until it closes. */
  begin(depth: number, onEnd: () => void): void {
    this.listDepth = depth;
    this.onEnd = onEnd;
    this.scanner.listener = this;
    this.scanner.captureDepth = this.listDepth + 1;
  }

  /** Takes over as the scanner's listener for a single row, whose `{` the scanner is at. */
  beginRow(depth: number, onEnd: () => void): void {
    this.begin(depth - 1, onEnd);
    this.isSingle = true;
    this.open(true);
  }

  open(isObject: boolean): void {
    if (this.inRow) {
      if (this.record.nested(isObject)) this.scanner.captureDepth = this.scanner.depth;
    } else if (isObject) {
      this.elements++;
      this.inRow = true;
      this.isCut = false;
      this.scanner.hold();
      this.record.begin(this.elements);
    } else {
      this.scanner.captureDepth = this.listDepth;
      this.element = this.refuseElement("an array", this.scanner.offset);
    }
  }

  goBack(): void {
    this.inRow = false;
    this.isCut = true;
    this.elements--;
  }

  takeRow(at: number): number {
    const { scanner, record, plain, rows } = this;
    if (this.inRow || this.isSingle || scanner.depth !== this.listDepth) return -1;
    const { window } = scanner;
    const width = record.columns.names.length;
    const end = plain.take(rows, window, at, this.elements, {
      width,
      maxRowBytes: this.rules.maxRowBytes,
    });
    if (end === -1) return -1;
    this.isCut = false;
    this.elements += 1;
    this.bytes += end - at + width * CELL_BYTES;
    return end;
  }

  close(): boolean {
    const { depth } = this.scanner;
    if (depth < this.listDepth) this.onEnd();
    if (depth > this.listDepth) this.closeMember();
    if (depth !== this.listDepth) return false;
    this.scanner.captureDepth = this.listDepth + 1;
    if (this.inRow) this.endRow();
    else if (this.element !== undefined) this.endElement(this.element);
    if (this.isSingle) {
      this.isSingle = false;
      this.onEnd();
    }
    return this.rows.length + this.unreadable.length >= CHUNK_ROWS || this.bytes >= CHUNK_BYTES;
  }

  /** A container inside the row is closed. */
  closeMember(): void {
    const { scanner, record, listDepth } = this;
    if (!this.inRow) return;
    const level = scanner.depth - listDepth;
    if (level === record.levels + 1) record.endNested();
    if (level !== record.levels) return;
    record.leave();
    scanner.captureDepth = scanner.depth;
  }

  name(): void {
    this.record.name();
  }

  scalar(type: JsonScalar): void {
    if (this.inRow) this.record.scalar(type);
    else
      this.endElement(
        this.refuseElement(describeScalar(type), startOfScalar(this.scanner, type, this.scanner.offset)),
      );
  }

  /** Limits what is kept of the bytes, once all of them are scanned. Throws an input error. */
  checkSize(): void {
    const { keptBytes, place } = this.scanner;
    const { maxRowBytes } = this.rules;
    if (keptBytes <= maxRowBytes) return;
    throw failTooLong(place, this.isCut ? "the row that begins here" : "the name or value here", maxRowBytes);
  }

  /**
   * Notes the member with which the answer around the rows names another page, `undefined` if it names none, and how many
   * records it counts, 0 if it does not.
   */
  noteNextPage(member: string | undefined, counted: number): void {
    const next = `the file is one page of an answer: the rows of the next (${member}) are not in it`;
    const more = `the file counts ${counted} records and holds ${this.elements}: the others are not in it`;
    this.remarks = member !== undefined ? [next] : counted > this.elements ? [more] : [];
  }

  /** True if there are enough rows to be handed out before more bytes come. */
  hasChunk(): boolean {
    return this.rows.length + this.unreadable.length >= LEAST_ROWS || this.bytes >= LEAST_BYTES;
  }

  /** The rows since the last call; `undefined` if there are none. */
  take(): RowChunk | undefined {
    return this.rows.length + this.unreadable.length === 0 ? undefined : this.takeAll();
  }

  private takeAll(): RowChunk {
    const { rows, unreadable } = this;
    this.rows = new Rows();
    this.unreadable = [];
    this.bytes = 0;
    return { columns: this.record.columns.names, rows, unreadable };
  }

  /** The last rows, with what the file says about all of them. */
  takeLast(): RowChunk | undefined {
    const { remarks } = this;
    return remarks.length === 0 ? this.take() : { ...this.takeAll(), remarks };
  }

  /** Throws if every row says that a service failed: then the file is not an export. To be called at the end. */
  judgeRows(): void {
    if (this.failures === 0 || this.failures < this.elements) return;
    throw failFailures(this.scanner.window.file);
  }

  private endRow(): void {
    const { record, rows, rules, unreadable } = this;
    if (record.bytes > rules.maxRowBytes)
      throw failTooLong(record.place, "the row that begins here", rules.maxRowBytes);
    this.scanner.letGo();
    this.inRow = false;
    this.bytes += record.bytes + record.columns.names.length * CELL_BYTES;
    if (record.isFailure) this.failures++;
    const problem = record.end(rows, this.listDepth === 0);
    if (problem !== undefined) unreadable.push(problem);
  }

  private endElement(element: Omit<UnreadableRow, "end">): void {
    this.unreadable.push({ ...element, end: this.scanner.offset });
    this.element = undefined;
  }

  private refuseElement(what: string, start: number): Omit<UnreadableRow, "end"> {
    if (this.elements++ === 0) {
      const isLine = this.listDepth === 0 && what === "an array";
      throw failNotRecords(this.scanner.window.placeOf(this.scanner.valueAt), what, isLine);
    }
    const reason = `${what} is where a row should be: an object with members`;
    return { line: this.scanner.window.line, record: this.elements, reason, start };
  }
}
