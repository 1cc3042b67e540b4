/** An answer that can be chosen. */
interface Answer<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** Asks the user. Every answer may be `undefined`, which means that the user broke off. */
export interface Asker {
  readonly tell: (lines: readonly string[]) => void;
  /** Asks for a choice by a single letter. */
  readonly key: <Value extends string>(
    question: string,
    answers: readonly Answer<Value>[],
  ) => Promise<Value | undefined>;
  readonly choose: <Value extends string>(
    question: string,
    answers: readonly Answer<Value>[],
  ) => Promise<Value | undefined>;
  readonly write: (question: string, usual: string) => Promise<string | undefined>;
}
