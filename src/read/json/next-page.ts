import { plainName } from "./plain-name.ts";

/** Members that name the next page of an answer, written as {@link plainName} returns them. */
const NEXT: ReadonlySet<string> = new Set(
  "next nextpage nextpageurl nextpagetoken nextcursor nexttoken nextlink nexturl nexturi nextrecordsurl odatanextlink".split(
    " ",
  ),
);
/** Members that are true as long as another page follows. */
const HAS_NEXT: ReadonlySet<string> = new Set("hasmore hasnext hasnextpage moreresults".split(" "));
/** Members that count all records, on this page or not. */
const TOTALS: ReadonlySet<string> = new Set(
  "total count totalcount totalrecords totalresults totalitems totalelements recordcount".split(" "),
);
/** Members that say what a link in a list of links is. */
const RELATION: ReadonlySet<string> = new Set(["rel", "relation"]);
const HAS_LETTER = /\p{L}/u;

/** True for a member with which a service says that more records are on another page. `value`: as JSON, strings their text. */
export function tellsNextPage(name: string, value: string): boolean {
  const plain = plainName(name);
  if (HAS_NEXT.has(plain)) return value === "true";
  // A number says where this page begins; Airtable's word leads to the next one.
  if (plain === "offset") return HAS_LETTER.test(value) && isGiven(value);
  return NEXT.has(plain) && isGiven(value);
}

/** The number of all records, if a member counts them; 0 if it does not. */
export function countedRecords(name: string, value: string): number {
  return TOTALS.has(plainName(name)) && /^\d{1,15}$/.test(value) ? Number(value) : 0;
}

/**
 * The member that says so, for a value inside a member: `names` lead to it, such as `_links`, `next`, `href`. `undefined`
 * if none does.
 */
export function findNextPage(names: readonly string[], value: string): string | undefined {
  const last = names.at(-1)!;
  if (tellsNextPage(last, value)) return last;
  if (RELATION.has(plainName(last))) return value === "next" ? last : undefined;
  return isGiven(value) ? names.find((name) => NEXT.has(plainName(name))) : undefined;
}

/** True for the name of a list of links, which may hold one to the next page. */
export function isLinks(name: string): boolean {
  return /^links?$/.test(plainName(name));
}

function isGiven(value: string): boolean {
  return !["", "null", "false", "true", "0"].includes(value.trim());
}
