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

/** What a member's value says about the answer that it is in. */
export type AnswerSign = "failed" | "worked" | "words" | "nothing";

/** Members that are true (or false) in an answer that succeeded (or failed). */
const WORKED = new Set("success ok succeeded successful issuccess issuccessful".split(" "));
/** Members that give the outcome as a word or a number. */
const OUTCOME = new Set(
  "status statuscode code result state outcome httpstatus httpcode httpstatuscode returncode".split(" "),
);
/** Members that hold a message for people. */
const WORDS = new Set("message messages msg detail".split(" "));

const FAILED_WORD =
  /^(?:.*(?:error|fail|exception|fault|denied|unauthori[sz]ed|unauthenticated|forbidden|expired|invalid)|err|ko|nok|fatal|not.?found|bad.?request|time.?out|rejected|aborted|unavailable)/i;
const FAILED_NUMBER = /^[45]\d\d(?:\D|$)/;
const WORKED_WORD =
  /^(?:ok|okay|success(?:ful|fully)?|succès|succes|succeeded|done|completed?|found|fine|erfolg(?:reich)?|éxito|0|2\d\d)(?:[ .!:]|$)/i;

/**
 * Reads the sign of a member from its name and its value: the JSON text of a number, true, false or null, or a string's
 * text.
 */
export function readAnswerSign(name: string, value: string): AnswerSign {
  const plain = plainName(name);
  const text = value.trim();
  if (WORKED.has(plain)) return workedSign(text);
  if (OUTCOME.has(plain)) {
    if (FAILED_NUMBER.test(text) || FAILED_WORD.test(text)) return "failed";
    return WORKED_WORD.test(text) ? "worked" : "nothing";
  }
  if (!WORDS.has(plain) || isNothing(text)) return "nothing";
  return WORKED_WORD.test(text) ? "worked" : "words";
}

/** True if the value of a member such as `error` or `errmsg` means that there was no failure. */
export function isNoFailure(value: string): boolean {
  const text = value.trim();
  return isNothing(text) || WORKED_WORD.test(text) || /^(?:no(?:ne)?|no error|aucune?)$/i.test(text);
}

function workedSign(text: string): AnswerSign {
  if (/^(?:false|0|no|n)$/i.test(text)) return "failed";
  return isNothing(text) ? "nothing" : "worked";
}

function isNothing(text: string): boolean {
  return /^(?:-?0(?:\.0*)?|null|false)?$/i.test(text);
}

/** A member's name in lower case and without punctuation: `error_code` and `errorCode` are the same. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
