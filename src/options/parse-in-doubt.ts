import { badOptionValue } from "../model/bad-option-value.ts";

/** The value of `--in-doubt`: an answer for a doubt, or the file of its rows, some of which were deleted. */
export type InDoubt =
  | { readonly kind: "answer"; readonly doubt: string; readonly answer: "applied" | "resend" | "absent" }
  | { readonly kind: "file"; readonly path: string };

/** `1f3a9c0e=applied`, or the path of a file. A file whose name reads like an answer is `./NAME`. */
export function parseInDoubt(text: string, option: string): InDoubt {
  const [, doubt, answer] = /^(?:([^/]*)=)?(applied|resend|absent)$/.exec(text) ?? [];
  if (answer === undefined) return { kind: "file", path: text };
  if (doubt === undefined || !/^[0-9a-f]{8}$/.test(doubt))
    throw badOptionValue(
      option,
      text,
      `the name of the doubt before the answer, as rec-push runs prints them: 1f3a9c0e=${answer}`,
    );
  return { kind: "answer", doubt, answer: answer as "applied" | "resend" | "absent" };
}
