import { plainName } from "./plain-name.ts";

/** Members that name the next page of an answer, written as {@link plainName} returns them. */
const NEXT: ReadonlySet<string> = new Set(
  "next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl nextrecordsurl odatanextlink".split(" "),
);
/** Members that are true as long as another page follows. */
const HAS_NEXT: ReadonlySet<string> = new Set("hasmore hasnext hasnextpage moreresults".split(" "));

/** True for a member with which a service says that more records are on another page. `value`: as JSON, strings their text. */
export function tellsNextPage(name: string, value: string): boolean {
  const plain = plainName(name);
  if (HAS_NEXT.has(plain)) return value === "true";
  return NEXT.has(plain) && !["", "null", "false", "0"].includes(value.trim());
}
