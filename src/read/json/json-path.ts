import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { failAnswer, MemberTally } from "./fail-answer.ts";
import { failTwice, MAX_EXPLORED_DEPTH } from "./json-explorer.ts";
import { failTooLong, showName } from "./json-fault.ts";
import type { JsonRowList } from "./json-row-stream.ts";
import {
  describeScalar,
  type JsonListener,
  type JsonScalar,
  type JsonScanner,
  scalarText,
} from "./json-scan.ts";
import type { MemberJudge } from "./member-judge.ts";
import { isLinks } from "./next-page.ts";

const MAX_NAMES_SHOWN = 20;

/** An object that the path leads into. */
interface Level {
  /** The path that remains inside it. */
  readonly rest: string;
  /** Its members beside the path. */
  readonly tally: MemberTally;
}

/**
 * Finds the rows of a file whose top level is an object by `--json-path`: names that lead to an array of rows or to one
 * row, joined by dots. In NDJSON the path applies to each of the objects.
 */
export class JsonPathSeeker implements JsonListener {
  private readonly scanner: JsonScanner;
  private readonly list: JsonRowList;
  private readonly maxRowBytes: number;
  private readonly jsonPath: string;
  /** The objects that the path leads into, by depth; the first is at depth 1. */
  private readonly levels: Level[] = [];
  /** The path that remains after the current name: `""` at its end, `undefined` off the path. */
  private restBehind: string | undefined;
  private wasFound = false;
  /** The error for what the path leads to; the answer of a service that failed is told instead. */
  private failure: RecPushError | undefined;
  /** Names at the deepest level that the path leads into, for the message. */
  private namesMet: string[] = [];
  private deepest = 0;
  private readonly judge: MemberJudge;
  private nextPage: string | undefined;
  private counted = 0;
  private readonly beside: BesideRows;
  private elementsBefore = 0;

  constructor(
    scanner: JsonScanner,
    list: JsonRowList,
    judge: MemberJudge,
    { maxRowBytes, jsonPath }: { readonly maxRowBytes: number; readonly jsonPath: string },
  ) {
    this.judge = judge;
    this.beside = new BesideRows(scanner);
    this.scanner = scanner;
    this.list = list;
    this.maxRowBytes = maxRowBytes;
    this.jsonPath = jsonPath;
    this.restBehind = jsonPath;
  }

  open(isObject: boolean): void {
    const { scanner, restBehind } = this;
    this.restBehind = undefined;
    const { length } = this.levels;
    if (restBehind === undefined) return this.beside.open(this.levels[length - 1]!.tally, isObject, length);
    if (!isObject && scanner.depth === 1) throw this.failKind("an array");
    if (isObject && (restBehind !== "" || scanner.depth === 1)) {
      this.levels.push({ rest: restBehind, tally: new MemberTally(this.judge) });
      if (length + 1 > this.deepest) this.namesMet = [];
      this.deepest = Math.max(this.deepest, length + 1);
      scanner.captureDepth = scanner.depth;
    } else if (restBehind !== "") {
      throw this.failKind(`an array before its last part ${showName(restBehind)}`);
    } else {
      if (this.wasFound) throw failTwice(scanner, this.jsonPath);
      this.wasFound = true;
      const goOn = (): void => {
        scanner.listener = this;
        scanner.captureDepth = scanner.depth;
      };
      if (isObject) this.list.beginRow(scanner.depth, goOn);
      else this.list.begin(scanner.depth, goOn);
    }
  }

  close(): boolean {
    const { depth } = this.scanner;
    this.scanner.captureDepth = depth;
    if (depth >= this.levels.length) {
      this.beside.close();
      return false;
    }
    this.judgeAnswer(this.levels.pop()!.tally);
    if (depth === 0) this.endObject();
    return false;
  }

  name(): void {
    const { depth, token } = this.scanner;
    const name = token.text();
    const { length } = this.levels;
    if (depth > length) return this.beside.name(name, length);
    const { rest, tally } = this.levels[length - 1]!;
    tally.name(name);
    this.beside.outerName = name;
    if (name === rest) this.restBehind = "";
    else this.restBehind = rest.startsWith(`${name}.`) ? rest.slice(name.length + 1) : undefined;
    if (length === this.deepest && this.namesMet.length < MAX_NAMES_SHOWN) this.namesMet.push(name);
  }

  scalar(type: JsonScalar): void {
    const { restBehind, scanner, levels } = this;
    this.restBehind = undefined;
    const level = levels.at(-1);
    if (level === undefined) throw this.failKind(describeScalar(type));
    if (restBehind === "") this.failure ??= this.failKind(describeScalar(type));
    else this.beside.scalar(level.tally, scalarText(scanner.token, type), levels.length);
  }

  checkSize(): void {
    const { scanner } = this;
    if (scanner.keptBytes <= this.maxRowBytes) return;
    if (!scanner.isInStringValue) {
      throw failTooLong(scanner.place, "the name or number here", this.maxRowBytes);
    }
    scanner.token.letGo();
  }

  /** Throws if the members of an object on the path say that the service failed. */
  private judgeAnswer(tally: MemberTally): void {
    const hasRows = this.list.elements > this.elementsBefore;
    if (tally.hasFailed || (tally.isOnlyWords && !hasRows))
      throw failAnswer(this.scanner.window.file, tally, this.wasFound ? "at the path" : "none");
    this.nextPage ??= tally.nextPage;
    this.counted ||= tally.counted;
  }

  /** The outermost object ends; another may follow, for which the path starts again. */
  private endObject(): void {
    if (this.failure !== undefined) throw this.failure;
    if (!this.wasFound) throw this.failMissing();
    this.list.noteNextPage(this.nextPage, this.counted);
    this.nextPage = undefined;
    this.counted = 0;
    this.wasFound = false;
    this.restBehind = this.jsonPath;
    this.elementsBefore = this.list.elements;
  }

  private failKind(what: string): RecPushError {
    return inputError(
      this.scanner.window.linePlace,
      "json-path",
      `--json-path ${this.jsonPath} leads to ${what}, not to an array of objects or to one object`,
    );
  }

  private failMissing(): RecPushError {
    const names = this.namesMet.map(showName).join(", ");
    return inputError(this.scanner.window.linePlace, "json-path", `nothing at --json-path ${this.jsonPath}`, {
      hint: names === "" ? "the object there is empty" : `the members there are ${names}`,
    });
  }
}

/**
 * Walks through the members beside the path to the rows, for a tally of what the service says about its answer. Arrays
 * are passed over, because they may be long: only their first element is looked at, and links one by one. `level` is the
 * depth of the object on the path that the members belong to.
 */
export class BesideRows {
  private readonly scanner: JsonScanner;
  /** The current name of the object on the path. */
  outerName = "";
  /** The names inside the current member, by depth; `undefined` for the elements of an array. */
  private names: (string | undefined)[] = [];
  /** In an array of failures, before its first element. */
  private inFailures = false;

  constructor(scanner: JsonScanner) {
    this.scanner = scanner;
  }

  open(tally: MemberTally, isObject: boolean, level: number): void {
    const { scanner } = this;
    const { depth } = scanner;
    if (this.inFailures) return this.meetFailure(tally);
    const isMember = depth === level + 1;
    if (isMember) this.names = [];
    if (isMember && isObject) tally.object();
    if (isMember && !isObject) this.inFailures = tally.isFailures(this.outerName);
    const inside = this.names[depth - level - 2] ?? this.outerName;
    const isToSee = isObject || this.inFailures || isLinks(inside);
    if (isToSee && depth < MAX_EXPLORED_DEPTH) scanner.captureDepth = depth;
    this.names[depth - level - 1] = undefined;
  }

  close(): void {
    this.inFailures = false;
  }

  name(name: string, level: number): void {
    this.names[this.scanner.depth - level - 1] = name;
  }

  scalar(tally: MemberTally, value: string, level: number): void {
    const { depth } = this.scanner;
    if (this.inFailures) return this.meetFailure(tally);
    if (depth === level) {
      tally.value(value);
      return;
    }
    const names = this.names.slice(0, depth - level).filter((name) => name !== undefined);
    if (names.length > 0) tally.deeperValue(names, value);
  }

  private meetFailure(tally: MemberTally): void {
    tally.filledArray();
    this.inFailures = false;
    this.scanner.captureDepth--;
  }
}
