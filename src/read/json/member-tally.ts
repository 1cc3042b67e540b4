import { isNoFailure, readAnswerSign } from "./answer-signs.ts";
import { showName } from "./json-fault.ts";
import type { MemberJudge } from "./member-judge.ts";

/** More names than this help nobody. */
const MOST_NAMES = 20;
/** Beginnings of the `type` of problem details (RFC 9457). */
const PROBLEM_TYPE = /^(?:https?:|urn:|tag:|about:|\/)/;

/**
 * The members of one object, met one by one: whether it can be a record itself, a wrapper of records in an array of its own, or
 * the answer of a service that failed.
 */
export class MemberTally {
  readonly #judge: MemberJudge;
  readonly names: string[] = [];
  /** Members that are objects: if nothing else can be a record, one of them may hold it. */
  readonly objects: string[] = [];
  /** The first member beside the arrays that could be a part of a record: an object with one is no mere wrapper. */
  recordMember: string | undefined;
  /** The first member that is there only if something failed. */
  failure: string | undefined;
  /** The name of the first member that tells of a failure. */
  failedName: string | undefined;
  /** The first member whose value tells of a failure: `"status": "error"`. */
  #failedBy: string | undefined;
  /** The first thing the answer says to people. */
  #said: string | undefined;
  #hasWorked = false;
  #hasOwn = false;
  #hasEnvelope = false;
  #isProblem = false;
  #name = "";

  constructor(judge: MemberJudge) {
    this.#judge = judge;
  }

  /** Takes a name of the object itself; its value comes next. */
  name(name: string): void {
    this.#name = name;
    if (this.names.length < MOST_NAMES) this.names.push(name);
  }

  /** Takes a name inside the member; if it is declared, the member counts as a part of a record. */
  deeperName(name: string): void {
    if (this.#judge.isDeclared(name)) this.#belongsToRecord();
  }

  /** Takes a scalar inside the member: services put a status and an error into `meta`. */
  deeperValue(name: string, value: string): void {
    const outer = this.#judge.kindOf(this.#name);
    if (outer !== "envelope" && outer !== "failure") return;
    const kind = this.#judge.kindOf(name);
    if (kind === "record") return;
    if (kind === "failure" && !isNoFailure(value)) this.#failedBy ??= tell(name, value);
    else this.#readSign(name, value);
  }

  /** The member is an object. */
  object(): void {
    const kind = this.#judge.kindOf(this.#name);
    if (kind === "beside failure") this.objects.push(this.#name);
    if (kind === "failure") this.failure ??= this.#name;
    else this.#count(kind);
  }

  /** The member is a scalar: its text, or `true`, `false`, `null`. */
  value(value: string): void {
    const kind = this.#judge.kindOf(this.#name);
    if (kind === "failure" && !isNoFailure(value)) {
      this.failure ??= this.#name;
      this.#said ??= tell(this.#name, value);
    } else {
      this.#count(kind);
    }
    if (kind === "record") return;
    if (this.#name === "type" && PROBLEM_TYPE.test(value)) this.#isProblem = true;
    this.#readSign(this.#name, value);
  }

  /** The member is an array that holds something. */
  filledArray(): void {
    if (this.#judge.kindOf(this.#name) === "failure") this.failure ??= this.#name;
  }

  /** True for the name of an array in which services list failures. */
  isFailures(name: string): boolean {
    return this.#judge.kindOf(name) === "failure";
  }

  /** True for the name of an array in which a service may give the details of a failure, and no records. */
  isAboutFailure(name: string): boolean {
    return this.isFailures(name) || (name !== "data" && this.#judge.kindOf(name) === "beside failure");
  }

  /** Whether nothing in the object can be a record, and something says that it is an answer without any. */
  get isAnswer(): boolean {
    if (this.#isProblemDetails) return true;
    return !this.#hasOwn && (this.#hasEnvelope || this.failure !== undefined || this.#said !== undefined);
  }

  /** Whether something tells that the service failed, and the object cannot be a record all the same. */
  get hasFailed(): boolean {
    if (this.#isProblemDetails) return true;
    return !this.#hasOwn && (this.#failedBy !== undefined || this.failure !== undefined);
  }

  /** Whether the answer says something to people, and nothing tells that it worked; with records it is no matter. */
  get isOnlyWords(): boolean {
    return !this.#hasOwn && !this.#hasWorked && this.#said !== undefined;
  }

  /** The members that tell of a failure, with their values; `""` if there are none. */
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

  #count(kind: ReturnType<MemberJudge["kindOf"]>): void {
    if (kind === "record") this.#belongsToRecord();
    else if (kind === "beside failure") this.recordMember ??= this.#name;
    else this.#hasEnvelope = true;
  }

  #readSign(name: string, value: string): void {
    const sign = readAnswerSign(name, value);
    if (sign === "failed") {
      this.failedName ??= name;
      this.#failedBy ??= tell(name, value);
    } else if (sign === "words") this.#said ??= tell(name, value);
    else if (sign === "worked") this.#hasWorked = true;
  }

  #belongsToRecord(): void {
    this.#hasOwn = true;
    this.recordMember ??= this.#name;
  }
}

const PROBLEM_PARTS = new Set(["status", "detail", "instance"]);

/** `"status": "error"`, cut to what fits a line. */
function tell(name: string, value: string): string {
  return `${showName(name)}: ${showName(value)}`;
}
