import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { failAnswer } from "./fail-answer.ts";
import { failTwice } from "./json-candidates.ts";
import { failTooLong, showName } from "./json-fault.ts";
import { describeScalar, scalarText, type JsonListener, type JsonScalar } from "./json-listener.ts";
import type { JsonRowList } from "./json-row-list.ts";
import type { JsonScanner } from "./json-scan.ts";
import type { MemberJudge } from "./member-judge.ts";
import { MemberTally } from "./member-tally.ts";

const MAX_NAMES_SHOWN = 20;

/**
 * Finds the rows of a file whose top level is an object by `--json-path`: names that lead to an array of rows or to one
 * row, joined by dots. In NDJSON the path applies to each of the objects.
 */
export class JsonPathSeeker implements JsonListener {
  private readonly scanner: JsonScanner;
  private readonly list: JsonRowList;
  private readonly maxRowBytes: number;
  private readonly jsonPath: string;
  /** The remaining path inside the object at each depth; the first is at depth 1. */
  private readonly rest: string[] = [];
  /** The path that remains after the current name: `""` at its end, `undefined` off the path. */
  private restBehind: string | undefined;
  private wasFound = false;
  /** Names at the deepest level that the path leads into, for the message. */
  private namesMet: string[] = [];
  private deepest = 0;
  private readonly judge: MemberJudge;
  /** The members beside the path: if the answer failed, it has no rows there and is not an empty export. */
  private tally: MemberTally;
  private elementsBefore = 0;
  private outerName = "";
  /** In an array of failures, before its first element. */
  private inFailures = false;

  constructor(
    scanner: JsonScanner,
    list: JsonRowList,
    judge: MemberJudge,
    { maxRowBytes, jsonPath }: { readonly maxRowBytes: number; readonly jsonPath: string },
  ) {
    this.judge = judge;
    this.tally = new MemberTally(judge);
    this.scanner = scanner;
    this.list = list;
    this.maxRowBytes = maxRowBytes;
    this.jsonPath = jsonPath;
    this.restBehind = jsonPath;
  }

  open(isObject: boolean): void {
    const { scanner } = this;
    const { restBehind } = this;
    if (this.inFailures) return this.meetFailure();
    this.restBehind = undefined;
    if (scanner.depth === 2 && isObject) this.tally.object();
    if (restBehind === undefined) {
      this.inFailures = scanner.depth === 2 && !isObject && this.tally.isFailures(this.outerName);
      if (this.inFailures) scanner.captureDepth = 2;
      return;
    }
    if (!isObject && scanner.depth === 1) throw this.failKind("an array");
    if (isObject && (restBehind !== "" || scanner.depth === 1)) {
      this.rest.push(restBehind);
      if (this.rest.length > this.deepest) this.namesMet = [];
      this.deepest = Math.max(this.deepest, this.rest.length);
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
    if (this.inFailures) this.leaveFailures();
    if (depth >= this.rest.length) return false;
    this.rest.pop();
    this.scanner.captureDepth = depth;
    if (depth > 0) return false;
    this.judgeAnswer();
    if (!this.wasFound) throw this.failMissing();
    this.list.noteNextPage(this.tally.nextPage);
    // Another object may follow, for which the path starts again.
    this.wasFound = false;
    this.restBehind = this.jsonPath;
    this.tally = new MemberTally(this.judge);
    this.elementsBefore = this.list.elements;
    return false;
  }

  name(): void {
    const name = this.scanner.token.text();
    if (this.scanner.depth === 1) this.tally.name((this.outerName = name));
    const rest = this.rest.at(-1)!;
    if (name === rest) this.restBehind = "";
    else this.restBehind = rest.startsWith(`${name}.`) ? rest.slice(name.length + 1) : undefined;
    if (this.rest.length === this.deepest && this.namesMet.length < MAX_NAMES_SHOWN) this.namesMet.push(name);
  }

  scalar(type: JsonScalar): void {
    const { depth } = this.scanner;
    if (this.inFailures) return this.meetFailure();
    if (this.restBehind === "" || depth === 0) throw this.failKind(describeScalar(type));
    this.restBehind = undefined;
    if (depth === 1) this.tally.value(scalarText(this.scanner.token, type));
  }

  checkSize(): void {
    const { scanner } = this;
    if (scanner.keptBytes <= this.maxRowBytes) return;
    if (!scanner.isInStringValue) {
      throw failTooLong(scanner.place, "the name or number here", this.maxRowBytes);
    }
    scanner.token.letGo();
  }

  private meetFailure(): void {
    this.tally.filledArray();
    this.leaveFailures();
  }

  private leaveFailures(): void {
    this.inFailures = false;
    this.scanner.captureDepth = 1;
  }

  private judgeAnswer(): void {
    if (this.list.elements === this.elementsBefore && this.tally.hasFailed)
      throw failAnswer(this.scanner.window.file, this.tally, undefined);
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
