import { RecPushError } from "../model/failure.ts";
import { faultGrammar, type FaultKey } from "./fault-grammar.ts";

/** The words of one rule with their values, and how these values are read; every complaint is a usage error. */
export class FaultWords {
  readonly text: string;
  readonly #values = new Map<FaultKey, string | undefined>();

  /** Splits `status=503,msg="Busy, sorry"` at its commas. A value in double quotes may hold commas, and `""` for a quote. */
  constructor(text: string) {
    this.text = text;
    const word = /\s*([^=,\s]*)\s*(?:=\s*(?:"((?:[^"]|"")*)"\s*|([^,]*)))?(,|$)/y;
    for (;;) {
      const at = word.lastIndex;
      const found = word.exec(text);
      if (found === null) this.fail(`it cannot be read from "${text.slice(at)}" on`);
      const [, name = "", quoted, plain, end] = found;
      if (quoted === undefined && plain?.startsWith('"') === true) {
        this.fail(`the quote of ${name} is not closed, or text follows it`);
      }
      this.#add(name, quoted?.replaceAll('""', '"') ?? plain?.trim());
      if (end !== ",") return;
    }
  }

  /** Throws the usage error for a rule that cannot be followed. */
  fail(why: string): never {
    throw new RecPushError("usage", "bad-fault", `The fault "${this.text}" cannot be set: ${why}.`, {
      hint: "rec-push sandbox --help lists every word of a fault",
    });
  }

  has(key: FaultKey): boolean {
    return this.#values.has(key);
  }

  get(key: FaultKey): string | undefined {
    return this.#values.get(key);
  }

  whole(key: FaultKey, min: number, max = 1_000_000_000): number | undefined {
    return this.#number(key, /^\d{1,10}$/, "a whole number", min, max);
  }

  decimal(key: FaultKey, min: number, max: number): number | undefined {
    return this.#number(key, /^\d*\.?\d+$/, "a number", min, max);
  }

  choice<Choice extends string>(key: FaultKey, choices: readonly Choice[]): Choice | undefined {
    const value = this.#values.get(key);
    const chosen = choices.find((choice) => choice === value);
    if (value === undefined || chosen !== undefined) return chosen;
    return this.fail(`${key} is one of ${choices.join(", ")}, not "${value}"`);
  }

  #number(key: FaultKey, shape: RegExp, name: string, min: number, max: number): number | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    if (shape.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
    return this.fail(`${key} needs ${name} from ${min} to ${max}, not "${value}"`);
  }

  #add(name: string, value: string | undefined): void {
    const row = faultGrammar.find(({ key }) => key === name);
    if (row === undefined) {
      const known = faultGrammar.map(({ key }) => key).join(", ");
      this.fail(name === "" ? "a word is missing at a comma" : `"${name}" is not one of ${known}`);
    }
    if (this.#values.has(row.key)) this.fail(`${name} is given twice`);
    if (row.value === "" && value !== undefined) this.fail(`${name} takes no value`);
    if (row.value !== "" && (value === "" || (value === undefined && !row.value.startsWith("[")))) {
      this.fail(`${name} needs a value: ${name}=${row.value.replace(/[[\]]/g, "")}`);
    }
    this.#values.set(row.key, value);
  }
}
