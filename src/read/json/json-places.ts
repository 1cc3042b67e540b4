import { showCount } from "../../model/counts.ts";
import type { RecPushError } from "../../model/failure.ts";
import { inputError } from "../input-error.ts";
import { failAnswer, quoteForShell, showName } from "./json-fault.ts";
import type { JsonRowList } from "./json-row-stream.ts";
import {
  describeScalar,
  type JsonListener,
  type JsonScalar,
  type JsonScanner,
  scalarText,
} from "./json-scan.ts";
import { isTotal, type MemberJudge, readTotal, tellsNextPage } from "./member-judge.ts";

/** Arrays deeper than this are not offered as places of records. */
const MOST_DEPTH = 8;
/** More names than this do not help anyone. */
const MOST_NAMES = 20;

/** An array that may hold the records: it has objects in it, or nothing. */
interface Place {
  readonly path: readonly string[];
  readonly depth: number;
  records: number;
}

/** How the records are looked for. */
interface PlaceRules {
  readonly judge: MemberJudge;
  /** Names that lead to the records, joined by dots; without it they are in the only place that there is. */
  readonly jsonPath?: string | undefined;
  /** Names of members that are left out: an array there holds no records. */
  readonly dropped?: readonly string[] | undefined;
}

/**
 * Finds the records of an object. They are in its one array of objects, if beside that array there are only single values
 * of an envelope; anything else is a question, which names each place with its count. Or they are where `--json-path`
 * leads: an array of records, or one record, in each object of an NDJSON. The first array is read at once: what is beside
 * it shows only at the end of the object.
 */
export class JsonPlaces implements JsonListener {
  readonly #scanner: JsonScanner;
  /** `undefined`: the places are only counted. */
  readonly #list: JsonRowList | undefined;
  readonly #rules: PlaceRules;
  /** The names that lead to the current value. */
  readonly #names: string[] = [];
  #places: Place[] = [];
  /** The array whose elements are counted. */
  #array: Place | undefined;
  /** Paths of objects in the object that hold plain values: such an object may be the record. */
  readonly #holders = new Set<string>();
  /** Members beside the places that belong to no envelope. */
  #others: string[] = [];
  #members: string[] = [];
  #failure: { readonly name: string; readonly value?: string } | undefined;
  #next: string | undefined;
  #total: number | undefined;
  #isFound = false;
  #fault: RecPushError | undefined;

  constructor(scanner: JsonScanner, list: JsonRowList | undefined, rules: PlaceRules) {
    this.#scanner = scanner;
    this.#list = list;
    this.#rules = rules;
  }

  /** True if an object may be more than one record: an array may hold the records, or a service wrote the object. */
  get areAsked(): boolean {
    if (this.#places.length > 0 || this.#failure !== undefined) return true;
    return this.#members.length > 0 && this.#others.length === 0;
  }

  /** The names of the object's members. */
  get members(): readonly string[] {
    return this.#members;
  }

  open(isObject: boolean): void {
    const { depth } = this.#scanner;
    if (this.#array !== undefined) {
      if (isObject) this.#meetRecord(this.#array);
      return;
    }
    const path = this.#names.slice(0, depth - 1);
    if (this.#rules.jsonPath !== undefined && this.#begins(path, this.#rules.jsonPath, isObject)) return;
    if (depth > MOST_DEPTH) return;
    if (isObject) this.#scanner.captureDepth = depth;
    if (isObject || this.#rules.jsonPath !== undefined) return;
    this.#array = { path, depth, records: 0 };
    this.#scanner.captureDepth = depth;
  }

  close(): boolean {
    const { depth, isEmpty } = this.#scanner;
    const array = this.#array;
    if (array !== undefined && depth >= array.depth) return false;
    this.#array = undefined;
    this.#scanner.captureDepth = depth;
    if (depth === 1) this.#endMember(array, isEmpty);
    if (depth > 0) return false;
    if (this.#list === undefined) return true;
    this.#settle(this.#list);
    return false;
  }

  name(): void {
    const { depth, token } = this.#scanner;
    this.#names.length = depth;
    const name = (this.#names[depth - 1] = token.text());
    if (depth === 1 && this.#members.length < MOST_NAMES) this.#members.push(name);
  }

  scalar(type: JsonScalar): void {
    if (this.#array !== undefined) return;
    const { depth, token } = this.#scanner;
    const { jsonPath } = this.#rules;
    if (depth === 0) throw this.#failKind(describeScalar(type));
    const names = this.#names.slice(0, depth);
    const value = scalarText(token, type);
    if (names.join(".") === jsonPath) this.#fault ??= this.#failKind(describeScalar(type));
    else this.#judge(names, value);
    const isRecord = depth > 1 && this.#rules.judge.kindOf(names.at(-1)!) === "record";
    if (isRecord && this.#holders.size < MOST_NAMES) this.#holders.add(names.slice(0, -1).join("."));
  }

  /** True if the path ends here: then the list reads what begins. */
  #begins(path: readonly string[], jsonPath: string, isObject: boolean): boolean {
    const { depth } = this.#scanner;
    const at = path.join(".");
    if (depth === 1 || at !== jsonPath) {
      if (!isObject && (depth === 1 || jsonPath.startsWith(`${at}.`))) throw this.#failKind("an array");
      return false;
    }
    if (this.#isFound) throw this.#failTwice(jsonPath);
    this.#isFound = true;
    if (isObject) this.#list!.beginRow(depth, this.#goOn);
    else this.#list!.begin(depth, this.#goOn);
    return true;
  }

  readonly #goOn = (): void => {
    this.#scanner.listener = this;
    this.#scanner.captureDepth = this.#scanner.depth;
  };

  #meetRecord(place: Place): void {
    place.records += 1;
    if (place.records > 1) return;
    const [name = ""] = place.path;
    const isMember = place.path.length === 1;
    if (isMember && this.#rules.judge.kindOf(name) === "failure") return;
    const isFirst = this.#places.length === 0;
    if (!this.#add(place) || !isMember || !isFirst || this.#list === undefined) return;
    const list = this.#list;
    this.#array = undefined;
    list.begin(place.depth, () => {
      place.records = list.elements;
      this.#goOn();
    });
    list.open(true);
  }

  /** Notes a place, unless it is left out. */
  #add(place: Place): boolean {
    const { dropped = [] } = this.#rules;
    const isLeftOut = place.path.some((_, at) =>
      ["_", "."].some((sign) => dropped.includes(place.path.slice(0, at + 1).join(sign))),
    );
    if (isLeftOut) return false;
    const key = place.path.join(".");
    if (this.#places.some(({ path }) => path.join(".") === key)) throw this.#failTwice(key);
    if (this.#places.length < MOST_NAMES) this.#places.push(place);
    return true;
  }

  /** A member of the object ends that is an object or an array. */
  #endMember(array: Place | undefined, isEmpty: boolean): void {
    const [name = ""] = this.#names;
    const kind = this.#rules.judge.kindOf(name);
    if (kind === "failure" && !isEmpty) this.#failure ??= { name };
    // Tomorrow it may be filled.
    else if (isEmpty && array !== undefined && kind === "record") this.#add(array);
    else if (!isEmpty && (array === undefined || array.records === 0)) this.#others.push(name);
  }

  #judge(names: readonly string[], value: string): void {
    const [name = ""] = names;
    const { judge, jsonPath = "" } = this.#rules;
    const isMember = names.length === 1;
    if (isMember && judge.isFailure(name, value)) this.#failure ??= { name, value };
    if (isMember && judge.kindOf(name) === "record") this.#others.push(name);
    if (judge.isDeclared(name)) return;
    const last = names.at(-1)!;
    if (tellsNextPage(names, value)) this.#next ??= `${showName(last)}: ${showName(value)}`;
    // A count anywhere else may be of anything.
    if (!isTotal(last) || !(isMember || jsonPath.startsWith(`${names.slice(0, -1).join(".")}.`))) return;
    const total = readTotal(value);
    if (total === undefined) this.#others.push(name);
    this.#total ??= total;
  }

  /** The object ends; in an NDJSON another may follow, for which the path begins again. */
  #settle(list: JsonRowList): void {
    const { file } = this.#scanner.window;
    if (this.#failure !== undefined) throw failAnswer(file, this.#failure.name, this.#failure.value);
    if (this.#fault !== undefined) throw this.#fault;
    const { jsonPath } = this.#rules;
    if (jsonPath === undefined) this.#settlePlace();
    else if (!this.#isFound) throw this.#failMissing(jsonPath);
    list.noteNextPage(this.#next, this.#total ?? 0);
    this.#isFound = false;
    this.#next = undefined;
    this.#total = undefined;
    this.#members = [];
    this.#others = [];
  }

  #settlePlace(): void {
    const { file } = this.#scanner.window;
    const [place, second] = this.#places;
    if (place === undefined) {
      const message = `it holds no records: its members are ${this.#members.map(showName).join(", ")}`;
      throw inputError({ file }, "json-not-records", message, {
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
    const { file } = this.#scanner.window;
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
    const ways = [...new Set(paths)].map((path) => `--json-path ${quoteForShell(path)}`);
    const drops = this.#places.flatMap(({ path }) =>
      path.length === 1 ? [` --drop ${quoteForShell(path[0]!)}`] : [],
    );
    return inputError(
      { file },
      "json-places",
      `it is not certain where the records are: ${found.join(", ")}${beside}`,
      {
        hint: `${ways.join(" or ")} sends the records in it; or --format ndjson${drops.join("")} sends the object as one record`,
      },
    );
  }

  #failKind(what: string): RecPushError {
    return inputError(
      this.#scanner.window.linePlace,
      "json-path",
      `--json-path ${this.#rules.jsonPath} leads to ${what}, not to an array of objects or to one object`,
    );
  }

  #failMissing(jsonPath: string): RecPushError {
    const names = this.#members.map(showName).join(", ");
    return inputError(this.#scanner.window.linePlace, "json-path", `nothing at --json-path ${jsonPath}`, {
      hint: names === "" ? "the object there is empty" : `the members of the file are ${names}`,
    });
  }

  #failTwice(name: string): RecPushError {
    return inputError(
      this.#scanner.window.linePlace,
      "json-member-twice",
      `the member ${showName(name)} is given twice; keep one of the two`,
    );
  }
}
