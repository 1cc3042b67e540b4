/** An answer that can be chosen. */
interface Answer<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

/** Asks a person. Every answer may be `undefined`: the person broke off. */
export interface Asker {
  readonly tell: (lines: readonly string[]) => void;
  /** By one letter. */
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
