import { type ArrayKind, JsonCandidates } from "./json-candidates.ts";
import { failTooLong } from "./json-fault.ts";
import { scalarText, type JsonListener, type JsonScalar } from "./json-listener.ts";
import type { JsonRowList } from "./json-row-list.ts";
import type { JsonScanner } from "./json-scan.ts";
import { KeyedRecords } from "./keyed-records.ts";
import type { MemberJudge } from "./member-judge.ts";
import { MemberTally } from "./member-tally.ts";

/** Arrays deeper than this are not offered as places of rows. */
export const MAX_EXPLORED_DEPTH = 8;

/**
 * Finds the rows of a file whose top level is an object: in the one array of objects among its members, or in the
 * object itself if no member is an array. The first such array is read at once; if there is another one, or a member
 * beside it that could be the record, that only shows later, and is thrown at the end of the object, when all of them
 * can be named.
 */
export class JsonExplorer implements JsonListener {
  private readonly scanner: JsonScanner;
  private readonly list: JsonRowList;
  private readonly maxRowBytes: number;
  private readonly candidates: JsonCandidates;
  private readonly tally: MemberTally;
  private readonly keyed: KeyedRecords;
  /** The names that lead to the current value, by depth. */
  private readonly path: string[] = [];
  /** Depth of the array whose first element is still to come, else 0. */
  private arrayDepth = 0;
  /** Whether the object itself may still be the only row. */
  private mayBeRow = true;
  private wasTooLong = false;
  private line = 0;

  constructor(scanner: JsonScanner, list: JsonRowList, maxRowBytes: number, judge: MemberJudge) {
    this.scanner = scanner;
    this.list = list;
    this.maxRowBytes = maxRowBytes;
    this.tally = new MemberTally(judge);
    this.keyed = new KeyedRecords(judge);
    this.candidates = new JsonCandidates(scanner, this.tally, this.keyed);
  }

  open(isObject: boolean): void {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) {
      this.meetFirstElement(isObject ? "rows" : "lists");
      return;
    }
    if (depth === 1) this.line = this.scanner.window.line;
    this.keyed.open(depth, isObject, this.path[depth - 2]);
    if (this.mayBeRow && this.list.takesAt(depth - 1)) this.list.open(isObject);
    if (depth === 2 && isObject) this.tally.object();
    if (depth > MAX_EXPLORED_DEPTH) return;
    this.scanner.captureDepth = depth;
    if (isObject) return;
    this.arrayDepth = depth;
    if (depth === 2) this.giveUpRow();
  }

  close(): boolean {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) this.candidates.add("empty", this.pathOfArray());
    this.arrayDepth = 0;
    this.scanner.captureDepth = depth;
    this.keyed.close(depth + 1, this.path.slice(0, depth));
    if (depth === 0) this.settle();
    else if (this.mayBeRow) this.list.closeMember();
    return false;
  }

  name(): void {
    const { depth } = this.scanner;
    const name = this.scanner.token.text();
    this.path[depth - 1] = name;
    this.keyed.name(depth, name);
    if (depth === 1) this.tally.name(name);
    if (depth === 2) this.tally.deeperName(name);
    if (this.mayBeRow && this.list.takesAt(depth)) this.list.name();
  }

  scalar(type: JsonScalar): void {
    const { depth } = this.scanner;
    if (this.arrayDepth > 0) {
      this.meetFirstElement("other");
      return;
    }
    if (depth === 1) {
      this.tally.value(scalarText(this.scanner.token, type));
      this.keyed.value(this.path[0]!);
    }
    if (depth >= 2) this.tally.deeperValue(this.path.slice(1, depth), scalarText(this.scanner.token, type));
    if (this.mayBeRow && this.list.takesAt(depth)) this.list.scalar(type);
  }

  checkSize(): void {
    const { scanner } = this;
    const isKeptTooLong = scanner.keptBytes > this.maxRowBytes;
    if (this.mayBeRow && (isKeptTooLong || this.list.isTooLong())) {
      this.wasTooLong = true;
      this.giveUpRow();
    }
    if (!isKeptTooLong) return;
    if (!scanner.isInStringValue) {
      throw failTooLong(scanner.place, "the name or number here", this.maxRowBytes);
    }
    scanner.token.letGo();
  }

  private giveUpRow(): void {
    if (this.mayBeRow) this.list.forget();
    this.mayBeRow = false;
  }

  private pathOfArray(): string[] {
    return this.path.slice(0, this.arrayDepth - 1);
  }

  private meetFirstElement(kind: ArrayKind): void {
    const { arrayDepth, scanner } = this;
    if (arrayDepth === 2) this.tally.filledArray();
    const isToRead = this.candidates.add(kind, this.pathOfArray());
    this.arrayDepth = 0;
    scanner.captureDepth = arrayDepth - 1;
    if (!isToRead) return;
    this.list.begin(arrayDepth, () => {
      scanner.listener = this;
      scanner.captureDepth = arrayDepth - 1;
    });
    this.list.open(true);
  }

  private settle(): void {
    if (this.candidates.settle() === "in an array") {
      this.list.noteNextPage(this.tally.nextPage, this.tally.counted);
      return;
    }
    const { file } = this.scanner.window;
    if (this.wasTooLong)
      throw failTooLong({ file, line: this.line }, "the one row of the file", this.maxRowBytes);
    this.list.close();
  }
}
