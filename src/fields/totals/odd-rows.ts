import { RecPushError } from "../../model/failure.ts";
import { cellOf, type Row } from "../../model/row.ts";
import { quoteText } from "../../model/visible-text.ts";
import { showCell } from "../cell-text.ts";
import { isFilled } from "./row-fill.ts";
import { isOwn, judgeLook, lookOf, profileOf, type OddKind, type Profile } from "./row-look.ts";
import type { SuspectAnswers, Suspicion } from "./suspicion.ts";
import { isTotalPhrase } from "./total-phrase.ts";
import type { WatchedColumns } from "./watched-columns.ts";

/** The odd rows of an input in file order: where each begins, and why it is odd. */
export type FoundOdd = ReadonlyMap<number, OddKind>;

/** The rows that say what a proper row holds. */
const SAMPLE = 256;
/** In a smaller sample, a row is compared with the others and not with itself. */
const FEW_ROWS = 20;
/** So many odd rows are no slip of a program: they stop the run, and need not be kept. */
const MOST_ODD = 100_000;
const MOST_VERDICTS = 4096;

/**
 * Finds the rows of one input that are unlike all others, in one pass, by the looks of a sample. Each row is judged by the
 * sample so far, and those that were found are judged once more at the end, by the sample of the whole file. Rows that are
 * surveyed many at a time have a key, or a date and a number of their own, and are never odd. Once odd rows are known, it
 * only names them.
 */
export class OddRows {
  #columns: WatchedColumns;
  readonly #file: string;
  readonly #answers: SuspectAnswers;
  readonly #known: FoundOdd | undefined;
  readonly #sample: string[] = [];
  /** The rows of the first sample, which are judged at the end. */
  readonly #first: { readonly look: string; readonly start: number }[] = [];
  readonly #found: { readonly look: string; readonly start: number }[] = [];
  readonly #verdicts = new Map<string, OddKind | undefined>();
  #profile: Profile | undefined;
  #count = 0;
  /** The number of the row that is sampled next. */
  #next = 0;

  /** `known`: what an earlier survey of the same rows found. */
  constructor(columns: WatchedColumns, file: string, answers: SuspectAnswers, known: FoundOdd | undefined) {
    this.#columns = columns;
    this.#file = file;
    this.#answers = answers;
    this.#known = known;
  }

  /** True if some rows are known to be odd: then each has to be compared. */
  get areKnown(): boolean {
    return this.#known !== undefined && this.#known.size > 0;
  }

  /** Why a row is known to be odd; `names`: those of the columns. */
  suspect(row: Row, names: () => readonly string[]): Suspicion | undefined {
    const kind = this.#known?.get(row.start);
    return kind && explainOdd(row, kind, names());
  }

  /** Takes the columns again once there are more of them. */
  grow(columns: WatchedColumns): void {
    this.#columns = columns;
  }

  /** Notes the next row in file order, which is not blank; `phrase`: its first text, if that may name a total. */
  note(row: Row, phrase: string | undefined): void {
    if (this.#known !== undefined) return;
    const isSampled = this.#count === this.#next;
    const look = lookOf(row, this.#columns, phrase, isSampled);
    if (look === undefined) return;
    this.#count++;
    if (isSampled) this.#take(look);
    const { start } = row;
    if (this.#count <= SAMPLE) {
      if (!isOwn(look)) this.#first.push({ look, start });
    } else if (!isOwn(look) && this.#verdict(look) !== undefined) {
      if (this.#found.length === MOST_ODD) throw tooMany(this.#file, row.line);
      this.#found.push({ look, start });
    }
  }

  /** Notes so many rows that were surveyed many at a time. */
  noteAll(count: number, rowAt: (at: number) => Row): void {
    if (this.#known !== undefined) return;
    while (this.#next < this.#count + count) {
      const look = lookOf(rowAt(this.#next - this.#count), this.#columns, undefined, true);
      if (look === undefined) this.#next++;
      else this.#take(look);
    }
    this.#count += count;
  }

  /** The odd rows that no option takes as rows, once all rows were noted. */
  finish(): FoundOdd {
    this.#forget();
    const odd = new Map<number, OddKind>();
    for (const { look, start } of [...this.#first, ...this.#found]) {
      const kind = this.#verdict(look);
      if (kind !== undefined && this.#answers[isSparse(kind) ? "sparse" : "totals"] !== "keep")
        odd.set(start, kind);
    }
    return odd;
  }

  /** Puts a look into the sample: the first ones, and later ones further and further apart, so that no part of the file weighs more. */
  #take(look: string): void {
    const at = this.#next;
    if (at < SAMPLE) {
      this.#sample.push(look);
      this.#next++;
    } else {
      const random = scatter(at);
      this.#sample[random % SAMPLE] = look;
      this.#next += 1 + (random % Math.ceil((2 * at) / SAMPLE));
    }
    if (at >= SAMPLE && Math.log2(this.#next) % 1 < Math.log2(at) % 1) this.#forget();
  }

  #forget(): void {
    this.#verdicts.clear();
    this.#profile = undefined;
  }

  #verdict(look: string): OddKind | undefined {
    if (this.#verdicts.has(look)) return this.#verdicts.get(look);
    if (this.#verdicts.size === MOST_VERDICTS) this.#verdicts.clear();
    const kind = judgeLook(look, this.#profileFor(look), this.#columns.width);
    this.#verdicts.set(look, kind);
    return kind;
  }

  #profileFor(look: string): Profile {
    if (this.#sample.length > FEW_ROWS) return (this.#profile ??= profileOf(this.#sample, this.#columns));
    const own = this.#sample.indexOf(look);
    return profileOf(
      this.#sample.filter((_, at) => at !== own),
      this.#columns,
    );
  }
}

/** Why a row is odd, for people; `names`: those of the columns. */
function explainOdd(row: Row, kind: OddKind, names: readonly string[]): Suspicion {
  const filled = [...names.keys()].filter((column) => isFilled(row, column, undefined));
  const texts = filled.slice(0, 3).map((column) => showCell(cellOf(row, column)).trim());
  if (kind === "nested") return { kind: "nested", member: names[filled[0]!] ?? "" };
  if (kind === "rule") return { kind: "rule", text: texts[0] ?? "" };
  if (kind === "phrase")
    return { kind: "phrase", phrase: texts.find((text) => isTotalPhrase(text)) ?? texts[0] ?? "" };
  return { kind: "sparse", words: texts.map((text) => quoteText(text, 40)).join(", ") };
}

/** A number that looks random: rows that alternate are not sampled in step. */
function scatter(at: number): number {
  const mixed = Math.imul(at ^ (at >>> 15), 0x2c1b3c6d);
  return (Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 4) & 0xffffff;
}

function isSparse(kind: OddKind): boolean {
  return kind === "lacks" || kind === "nested";
}

function tooMany(file: string, line: number): RecPushError {
  const message = `${file}:${line}: more than ${MOST_ODD} rows are unlike the others: the file may hold two tables`;
  return new RecPushError("input", "second-table", message, {
    place: { file, line },
    hint: "split the file, or --sparse keep takes such rows as rows",
  });
}
