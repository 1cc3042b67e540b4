/** Members with single values that services write beside a list of records: `rec-push help json-input` lists them. */
const ENVELOPE: ReadonlySet<string> = new Set(
  `count total totalcount totalrecords totalresults totalpages page pages pagenumber pagecount pagesize perpage limit
  offset next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl previous prev cursor hasmore hasnext
  status statuscode code success ok message msg version timestamp generatedat exportedat object url kind requestid
  odatacontext odatacount odatanextlink`.split(/\s+/),
);
/** Members that exist, or hold something, only if a service failed. */
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
export function tellsNextPage(names: readonly string[], value: string): boolean {
  if (HAS_NEXT.has(plainName(names.at(-1)!))) return value === "true";
  return !isNoFailure(value) && value !== "true" && names.some((name) => NEXT.has(plainName(name)));
}

/** True for the name of a member that counts all records. */
export function isTotal(name: string): boolean {
  return TOTALS.has(plainName(name));
}

/** The number of records that such a member counts; `undefined` if it is no whole number. */
export function readTotal(value: string): number | undefined {
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** A member's name in lower case and without punctuation: `has_more` and `hasMore` are the same. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
