import { showCount } from "../../model/counts.ts";
import type { InputPlace, RecPushError } from "../../model/failure.ts";
import { quoteWord } from "../../model/text.ts";
import { inputError } from "../input-error.ts";
import { showName } from "./json-text.ts";

/** Members with single values that services write beside a list of records: `rec-push help json-input` lists them. */
const ENVELOPE: ReadonlySet<string> = new Set(
  `count total totalcount totalrecords totalresults totalpages page pages pagenumber pagecount pagesize perpage limit
  offset next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl previous prev cursor hasmore hasnext
  status statuscode code success ok message msg version timestamp generatedat exportedat object url kind requestid
  odatacontext odatacount odatanextlink`.split(/\s+/),
);
/** Members that exist, or are filled, only if a service failed. */
const FAILURE: ReadonlySet<string> = new Set(["error", "errors", "exception"]);
/** Members that lead to the next page. */
const NEXT: ReadonlySet<string> = new Set(
  "next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl odatanextlink".split(" "),
);
/** Members that are true as long as another page follows. */
const HAS_NEXT: ReadonlySet<string> = new Set(["hasmore", "hasnext", "hasnextpage"]);
/** Members that count all records, on this page or not. */
const TOTALS: ReadonlySet<string> = new Set(
  "count total totalcount totalrecords totalresults odatacount".split(" "),
);

/** The kind of a member by its name: part of a record, of an envelope around records, or of a failure answer. */
export type MemberKind = "record" | "envelope" | "failure";

/** Judges the members of an object by their names. */
export class MemberJudge {
  readonly #declared: ReadonlySet<string>;

  /** `declared`: names that the options or the config know; such a member always belongs to a record. */
  constructor(declared: readonly string[] = []) {
    this.#declared = new Set(declared.map(plainName));
  }

  kindOf(name: string): MemberKind {
    const plain = plainName(name);
    if (this.#declared.has(plain)) return "record";
    if (FAILURE.has(plain)) return "failure";
    return ENVELOPE.has(plain) ? "envelope" : "record";
  }

  isDeclared(name: string): boolean {
    return this.#declared.has(plainName(name));
  }

  /** True for a single value that says that the service failed. `value`: as JSON, strings their text. */
  isFailure(name: string, value: string): boolean {
    const kind = this.kindOf(name);
    if (kind === "envelope") return plainName(name) === "success" && value === "false";
    return kind === "failure" && !isNoFailure(value);
  }
}

/** True if the value of a member such as `error` holds nothing. */
export function isNoFailure(value: string): boolean {
  return ["", "null", "false", "0"].includes(value.trim());
}

/** True for a value that says that more records are on another page; `names` lead to it: `links`, `next`, `href`. */
function tellsNextPage(names: readonly string[], value: string): boolean {
  if (HAS_NEXT.has(plainName(names.at(-1)!))) return value === "true";
  return !isNoFailure(value) && value !== "true" && names.some((name) => NEXT.has(plainName(name)));
}

/** True for the name of a member that counts all records. */
function isTotal(name: string): boolean {
  return TOTALS.has(plainName(name));
}

/** The number of records that such a member counts; `undefined` if it is no whole number. */
function readTotal(value: string): number | undefined {
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** True if one of the names is that of a member: `customer_adr` or `customer.adr`. */
export function isNamed(path: readonly string[], names: readonly string[]): boolean {
  return names.includes(path.join("_")) || names.includes(path.join("."));
}

/** A member's name in lower case and without punctuation: `has_more` and `hasMore` become equal. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

/** More names than this do not help anyone. */
const MOST_NAMES = 20;
const ASK_AGAIN = "ask the service again and push what it returns then";

/** An array that may hold the records: it has objects in it, or nothing. */
export interface Place {
  readonly path: readonly string[];
  /** True for the first one, if it is a member of the object. */
  readonly isFirst: boolean;
  records: number;
}

/** The rules for finding the records. */
interface PlaceRules {
  /** Names that lead to the records, joined by dots; without it they are in the only place that there is. */
  readonly jsonPath?: string | undefined;
  /** Names of members that are left out: an array there holds no records. */
  readonly dropped?: readonly string[] | undefined;
}

/**
 * Judges where the records of one object are. They are in its one array of objects, if beside that array there are only single
 * values of an envelope; anything else is a question, which names each place with its count. Or they are where `--json-path`
 * leads: an array of records, or one record.
 */
export class JsonPlaces {
  readonly #file: string;
  readonly #judge: MemberJudge;
  readonly #rules: PlaceRules;
  readonly #places: Place[] = [];
  /** Paths of objects in the object that hold plain values: such an object may be the record. */
  readonly #holders = new Set<string>();
  /** Members beside the places that belong to no envelope. */
  readonly #others: string[] = [];
  /** The names of the object's members. */
  readonly members: string[] = [];
  /** True once the records were found to which `--json-path` leads. */
  areFound = false;
  #failure: { readonly name: string; readonly value?: string } | undefined;
  #next: string | undefined;
  #total: number | undefined;
  #fault: RecPushError | undefined;

  constructor(file: string, judge: MemberJudge, rules: PlaceRules) {
    this.#file = file;
    this.#judge = judge;
    this.#rules = rules;
  }

  /** True if an object may be more than one record: an array may hold the records, or a service wrote the object. */
  get areAsked(): boolean {
    if (this.#places.length > 0 || this.#failure !== undefined) return true;
    return this.members.length > 0 && this.#others.length === 0;
  }

  /** Takes a name of the object. */
  meet(name: string): void {
    if (this.members.length < MOST_NAMES) this.members.push(name);
  }

  /** True if the records are this array, or this object is the record. Throws if `--json-path` cannot lead there. */
  areAt(path: readonly string[], isArray: boolean, at: InputPlace): boolean {
    const { jsonPath } = this.#rules;
    if (jsonPath === undefined) return false;
    const way = path.join(".");
    if (way !== jsonPath) {
      if (isArray && jsonPath.startsWith(`${way}.`)) throw leadsTo(at, jsonPath, "an array");
      return false;
    }
    if (this.areFound) throw givenTwice(at, jsonPath);
    return true;
  }

  /** Takes a single value; strings without quotes. */
  single(path: readonly string[], value: string, what: string, at: InputPlace): void {
    const { jsonPath } = this.#rules;
    const judge = this.#judge;
    const name = path.at(-1)!;
    const isMember = path.length === 1;
    if (jsonPath !== undefined && path.join(".") === jsonPath) {
      this.#fault ??= leadsTo(at, jsonPath, what);
      return;
    }
    if (isMember && judge.isFailure(name, value)) this.#failure ??= { name, value };
    if (isMember && judge.kindOf(name) === "record") this.#others.push(name);
    if (!isMember && judge.kindOf(name) === "record" && this.#holders.size < MOST_NAMES)
      this.#holders.add(path.slice(0, -1).join("."));
    if (judge.isDeclared(path[0]!)) return;
    if (tellsNextPage(path, value)) this.#next ??= `${showName(name)}: ${showName(value)}`;
    // A count anywhere else may count anything.
    const isBeside = jsonPath?.startsWith(`${path.slice(0, -1).join(".")}.`) === true;
    if (!isTotal(name) || !(isMember || isBeside)) return;
    const total = readTotal(value);
    if (total === undefined) this.#others.push(name);
    this.#total ??= total;
  }

  /** Takes an array that holds objects, or nothing; `undefined` if it is no place of records. */
  add(path: readonly string[], at: InputPlace): Place | undefined {
    const { dropped = [] } = this.#rules;
    if (path.some((_, last) => isNamed(path.slice(0, last + 1), dropped))) return undefined;
    if (path.length === 1 && this.#judge.kindOf(path[0]!) === "failure") return undefined;
    const key = path.join(".");
    if (this.#places.some((place) => place.path.join(".") === key)) throw givenTwice(at, key);
    const isFirst = path.length === 1 && this.#places.length === 0;
    const place = { path, isFirst, records: 0 };
    if (this.#places.length < MOST_NAMES) this.#places.push(place);
    return place;
  }

  /** A member of the object ends that is an object, an array or one of records. */
  endMember(name: string, what: "object" | "array" | "records", isEmpty: boolean, at: InputPlace): void {
    const kind = this.#judge.kindOf(name);
    if (kind === "failure" && !isEmpty) this.#failure ??= { name };
    // Tomorrow this array may be filled.
    else if (isEmpty && what === "array" && kind === "record") this.add([name], at);
    else if (!isEmpty && what !== "records") this.#others.push(name);
  }

  /** The object ends, after so many records of the file. Returns its remarks about further records. */
  settle(records: number, at: InputPlace): readonly string[] {
    const { jsonPath } = this.#rules;
    if (this.#failure !== undefined) throw failedService(this.#file, this.#failure);
    if (this.#fault !== undefined) throw this.#fault;
    if (jsonPath === undefined) this.#settlePlace();
    else if (!this.areFound) {
      const names = this.members.map(showName).join(", ");
      throw inputError(at, "json-path", `nothing at --json-path ${jsonPath}`, {
        hint: names === "" ? "the object there is empty" : `the members of the file are ${names}`,
      });
    }
    if (this.#next !== undefined)
      return [`the file is one page of an answer: the rows of the next (${this.#next}) are not in it`];
    return (this.#total ?? 0) > records
      ? [`the file counts ${this.#total} records and holds ${records}: the others are not in it`]
      : [];
  }

  #settlePlace(): void {
    const [place, second] = this.#places;
    if (place === undefined) {
      const message = `it holds no records: its members are ${this.members.map(showName).join(", ")}`;
      throw inputError({ file: this.#file }, "json-not-records", message, {
        hint: "--format ndjson, if the whole object is one record",
      });
    }
    const others = this.#others.filter((name) => !this.#places.some(({ path }) => path[0] === name));
    const isFewer = this.#total !== undefined && this.#total < place.records;
    const beside = isFewer ? `the number ${this.#total}` : others.slice(0, 1).map(showName)[0];
    if (second === undefined && place.path.length === 1 && beside === undefined) return;
    throw this.#ask(beside);
  }

  #ask(member: string | undefined): RecPushError {
    const found = this.#places.map(
      ({ path, records }) =>
        `${showName(path.join("."))} (${records === 0 ? "empty" : showCount(records, "object")})`,
    );
    const beside = member === undefined ? "" : `; beside them is ${member}`;
    // An object around a place may be the record, and the place a list in it.
    const paths = this.#places.flatMap(({ path }) =>
      path
        .map((_, at) => path.slice(0, at + 1).join("."))
        .filter((at) => at === path.join(".") || this.#holders.has(at)),
    );
    const ways = [...new Set(paths)].map((path) => `--json-path ${quoteWord(path)}`);
    const drops = this.#places.flatMap(({ path }) =>
      path.length === 1 ? [` --drop ${quoteWord(path[0]!)}`] : [],
    );
    return inputError(
      { file: this.#file },
      "json-places",
      `it is not certain where the records are: ${found.join(", ")}${beside}`,
      {
        hint: `${ways.join(" or ")} sends the records in it; or --format ndjson${drops.join("")} sends the object as one record`,
      },
    );
  }
}

/** The error for the answer of a service that failed. */
function failedService(
  file: string,
  { name, value }: { readonly name: string; readonly value?: string },
): RecPushError {
  const said = value === undefined ? showName(name) : `${showName(name)}: ${showName(value)}`;
  return inputError({ file }, "json-answer", `it is the error answer of a service, not an export: ${said}`, {
    hint: `${ASK_AGAIN}; --type ${quoteWord(name)}=text, if the member is no failure`,
  });
}

/** The error for a path that leads to something else than records. */
export function leadsTo(at: InputPlace, jsonPath: string, what: string): RecPushError {
  return inputError(
    at,
    "json-path",
    `--json-path ${jsonPath} leads to ${what}, not to an array of objects or to one object`,
  );
}

function givenTwice(at: InputPlace, name: string): RecPushError {
  return inputError(
    at,
    "json-member-twice",
    `the member ${showName(name)} is given twice; keep one of the two`,
  );
}
