import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { quoteForShell, showName } from "./json-fault.ts";
import type { MemberJudge, MemberKind } from "./member-judge.ts";
import { countedRecords, findNextPage, isNoFailure, readAnswerSign, tellsNextPage } from "./next-page.ts";

/** Members that may nevertheless hold records, or whether `--json-path` named one that holds some. */
type Places = readonly string[] | "at the path" | "none";

const ASK_AGAIN = "ask the service again and push what it returns then";

/** The error for a file in which every row says that a service failed. */
export function failFailures(file: string): RecPushError {
  const what = "it is the error answer of a service, not an export: every row says that something failed";
  return inputError({ file }, "json-answer", what, { hint: ASK_AGAIN });
}

/** The error for a file that holds a service's answer instead of an export. */
export function failAnswer(file: string, tally: MemberTally, places: Places): RecPushError {
  const { complaint } = tally;
  const names = tally.names.map(showName).join(", ");
  const what =
    complaint === ""
      ? `it is the answer of a service without records: its members are ${names}`
      : `it is the error answer of a service, not an export: ${complaint} (its members are ${names})`;
  return inputError({ file }, "json-answer", what, {
    hint: `${ASK_AGAIN}${otherWay(tally, places)}`,
  });
}

function otherWay({ blamedName }: MemberTally, places: Places): string {
  if (places === "none") return "";
  const type = blamedName === undefined ? "" : `--type ${quoteForShell(blamedName)}=text`;
  if (places === "at the path")
    return `; if it is an export nevertheless, ${type} says that the member is no failure`;
  if (places.length === 0) return "; --format ndjson, if the object is a record";
  const ways = places.map((name) => `--json-path ${quoteForShell(name)} ${type}`.trimEnd());
  return `; if it is the export, ${ways.join(" or ")}`;
}

/** The error for what is in the place of the first row; `isLine`: an array that is the first of several values. */
export function failNotRecords(place: Required<InputPlace>, what: string, isLine: boolean): RecPushError {
  return inputError(
    place,
    "json-not-records",
    `${what} is where the first row should be: an object with members, such as {"cle":"C1"}`,
    {
      hint: isLine
        ? "--format json, if the file is one array of records"
        : "export the rows as objects, or as CSV",
    },
  );
}

/** More names than this do not help anyone. */
const MOST_NAMES = 20;
/** What the `type` of problem details begins with (RFC 9457). */
const PROBLEM_TYPE = /^(?:https?:|urn:|tag:|about:|\/)/;

/**
 * The members of one object, one after another: they decide whether it can be a record itself, a wrapper of records in
 * an array, or the answer of a service that failed.
 */
export class MemberTally {
  readonly #judge: MemberJudge;
  readonly names: string[] = [];
  /** Members that are objects: if nothing else can be a record, one of them may contain it. */
  readonly objects: string[] = [];
  /**
   * The first member beside the arrays that could be part of a record: an object that has one is not just a wrapper.
   */
  recordMember: string | undefined;
  /** The first member that only exists if something failed. */
  failure: string | undefined;
  /** The first member that names another page, with its value. */
  nextPage: string | undefined;
  /** How many records there are in all, as a member says; 0 if none does. */
  counted = 0;
  /** The name of the first member whose value reports a failure. */
  #failedName: string | undefined;
  /** The first member whose value reports a failure: `"status": "error"`. */
  #failedBy: string | undefined;
  /** The first message for people in the answer. */
  #said: string | undefined;
  #saidName: string | undefined;
  /** The first member that is an object with a plain value of a record. */
  recordObject: string | undefined;
  #hasWorked = false;
  #hasOwn = false;
  #hasDeclared = false;
  #hasEnvelope = false;
  #isProblem = false;
  #name = "";

  constructor(judge: MemberJudge) {
    this.#judge = judge;
  }

  /** Adds a name of the object itself; its value comes next. */
  name(name: string): void {
    this.#name = name;
    if (this.#judge.isDeclared(name)) this.#hasDeclared = true;
    if (this.names.length < MOST_NAMES) this.names.push(name);
  }

  /** True if one of the names is declared, so that the object itself is a record. */
  get hasDeclared(): boolean {
    return this.#hasDeclared;
  }

  /** Adds a name inside the member; if it is declared, the member counts as part of a record. */
  deeperName(name: string): void {
    if (this.#judge.isDeclared(name)) this.#belongsToRecord();
  }

  /**
   * Adds a scalar inside the member: services put a status, an error and the next page into `meta`. `names` lead to it
   * from the member.
   */
  deeperValue(names: readonly string[], value: string): void {
    if (names.length === 1 && this.#judge.kindOf(names[0]!) === "record") this.recordObject ??= this.#name;
    const outer = this.#kindOf();
    if (outer !== "envelope" && outer !== "failure") return;
    const next = findNextPage([this.#name, ...names], value);
    if (next !== undefined) this.nextPage ??= tell(next, value);
    this.counted ||= countedRecords(names.at(-1)!, value);
    if (names.length > 1) return;
    const name = names[0]!;
    const kind = this.#judge.kindOf(name);
    if (kind === "record") return;
    if (kind === "failure" && !isNoFailure(value)) this.#fail(name, value);
    else this.#readSign(name, value);
  }

  /** The member is an object. */
  object(): void {
    const kind = this.#kindOf();
    if (kind === "beside failure") this.objects.push(this.#name);
    if (kind === "failure") this.failure ??= this.#name;
    else this.#count(kind);
  }

  /** The member is a scalar: its text, or `true`, `false`, `null`. */
  value(value: string): void {
    const kind = this.#kindOf();
    if (kind === "failure" && !isNoFailure(value)) {
      this.failure ??= this.#name;
      this.#say(this.#name, value);
    } else {
      this.#count(kind);
    }
    if (kind === "record") return;
    this.counted ||= countedRecords(this.#name, value);
    if (tellsNextPage(this.#name, value)) this.nextPage ??= tell(this.#name, value);
    if (this.#name === "type" && PROBLEM_TYPE.test(value)) this.#isProblem = true;
    this.#readSign(this.#name, value);
  }

  /** The member is a non-empty array. */
  filledArray(): void {
    if (this.#kindOf() === "failure") this.failure ??= this.#name;
  }

  /** True for the name of an array in which services list failures. */
  isFailures(name: string): boolean {
    return this.#judge.kindOf(name) === "failure";
  }

  /** True for the name of an array in which a service may give the details of a failure, and no records. */
  isAboutFailure(name: string): boolean {
    return this.isFailures(name) || (name !== "data" && this.#judge.kindOf(name) === "beside failure");
  }

  /** Whether nothing in the object can be a record, and something shows that it is an answer without any. */
  get isAnswer(): boolean {
    if (this.#isProblemDetails) return true;
    return !this.#hasOwn && (this.#hasEnvelope || this.failure !== undefined || this.#said !== undefined);
  }

  /** Whether something reports that the service failed, and the object cannot be a record nevertheless. */
  get hasFailed(): boolean {
    if (this.#isProblemDetails) return true;
    return !this.#hasOwn && (this.#failedBy !== undefined || this.failure !== undefined);
  }

  /**
   * Whether the answer has a message for people, and nothing says that it succeeded; if it has records, that does not
   * matter.
   */
  get isOnlyWords(): boolean {
    return !this.#hasOwn && !this.#hasWorked && this.#said !== undefined;
  }

  /** The name of the member because of which the object counts as the answer of a service that failed. */
  get blamedName(): string | undefined {
    return this.#failedName ?? this.failure ?? this.#saidName;
  }

  /** The members that report a failure, with their values; `""` if there are none. */
  get complaint(): string {
    const failure = this.failure === undefined ? undefined : showName(this.failure);
    return [...new Set([this.#failedBy ?? (this.#said === undefined ? failure : undefined), this.#said])]
      .filter((part) => part !== undefined)
      .join(", ");
  }

  get #isProblemDetails(): boolean {
    return (
      this.#isProblem && this.names.includes("title") && this.names.some((name) => PROBLEM_PARTS.has(name))
    );
  }

  #kindOf(): MemberKind {
    // The id of a JSON-RPC answer is that of the request.
    if (this.#name === "id" && this.names.includes("jsonrpc")) return "envelope";
    return this.#judge.kindOf(this.#name);
  }

  #count(kind: MemberKind): void {
    if (kind === "record") this.#belongsToRecord();
    else if (kind === "beside failure") this.recordMember ??= this.#name;
    else this.#hasEnvelope = true;
  }

  #readSign(name: string, value: string): void {
    const sign = readAnswerSign(name, value);
    if (sign === "failed") this.#fail(name, value);
    else if (sign === "words") this.#say(name, value);
    else if (sign === "worked") this.#hasWorked = true;
  }

  #fail(name: string, value: string): void {
    this.#failedName ??= name;
    this.#failedBy ??= tell(name, value);
  }

  #say(name: string, value: string): void {
    this.#saidName ??= name;
    this.#said ??= tell(name, value);
  }

  #belongsToRecord(): void {
    this.#hasOwn = true;
    this.recordMember ??= this.#name;
  }
}

const PROBLEM_PARTS = new Set(["status", "detail", "instance"]);

/** `"status": "error"`, shortened to fit a line. */
function tell(name: string, value: string): string {
  return `${showName(name)}: ${showName(value)}`;
}
