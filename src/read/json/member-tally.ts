import type { MemberJudge } from "./member-judge.ts";

/** More names than this help nobody. */
const MOST_NAMES = 20;

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
  /** The first member that tells of a failure. */
  failure: string | undefined;
  #hasOwn = false;
  #hasEnvelope = false;
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

  /** The member is an object. */
  object(): void {
    if (this.#judge.kindOf(this.#name) === "beside failure") this.objects.push(this.#name);
    this.value(false);
  }

  /** The member is an object, or a scalar; `isNothing` for null, false, 0 and "". */
  value(isNothing: boolean): void {
    switch (this.#judge.kindOf(this.#name)) {
      case "record":
        this.#belongsToRecord();
        break;
      case "beside failure":
        this.recordMember ??= this.#name;
        break;
      case "envelope":
        this.#hasEnvelope = true;
        break;
      case "failure":
        if (isNothing) this.#hasEnvelope = true;
        else this.failure ??= this.#name;
    }
  }

  /** The member is an array that holds something. */
  filledArray(): void {
    if (this.#judge.kindOf(this.#name) === "failure") this.failure ??= this.#name;
  }

  /** Whether nothing in the object can be a record, and something says that it is an answer without any. */
  get isAnswer(): boolean {
    return !this.#hasOwn && (this.#hasEnvelope || this.failure !== undefined);
  }

  #belongsToRecord(): void {
    this.#hasOwn = true;
    this.recordMember ??= this.#name;
  }
}
