import { plainName } from "./plain-name.ts";

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
