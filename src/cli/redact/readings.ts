import { ESCAPE_SIGNS, NOTATIONS } from "./notations.ts";
import { lowerCase } from "./folded-text.ts";
import { placeText, type PlacedText } from "./placed-text.ts";
import { undoAllEscapes, undoEscapes, type Undoing } from "./undo-escapes.ts";

/** How many nested notations are undone one by one, so that only what they mean is compared. */
const MOST_WRAPPINGS = 2;
/** The number of characters after an escape sign that may seem to belong to its escape: those of `\u002f`. */
const MOST_TAKEN = 5;

/**
 * Makes the function that returns the ways to read a text in which secrets beginning with these units have to be looked
 * for.
 */
export function createReader(
  secrets: readonly { readonly units: readonly number[] }[],
): (text: string) => Iterable<PlacedText> {
  const isSpared = spareBeginnings(secrets);
  return (text) => readings(placeText(text), isSpared);
}

/**
 * A text as it is written, and with its escapes undone: those of one notation, of two nested ones, and of all. Each is
 * also read in a way that leaves alone what may be the beginning of a secret: in `LIKE '%4fb8...` the sign before it
 * seems to make an escape of it.
 */
function* readings(written: PlacedText, isSpared: Undoing["isSpared"]): Generator<PlacedText> {
  yield written;
  if (!written.units.some((unit) => ESCAPE_SIGNS.has(unit))) return;
  for (const sparing of [undefined, isSpared]) {
    yield* unwrap(written, sparing, MOST_WRAPPINGS);
    const undone = undoAllEscapes(written, sparing);
    if (undone !== written) yield undone;
  }
}

function* unwrap(text: PlacedText, isSpared: Undoing["isSpared"], most: number): Generator<PlacedText> {
  if (most === 0) return;
  for (const notation of NOTATIONS) {
    const undone = undoEscapes(text, { notations: [notation], isSpared });
    if (undone === text) continue;
    yield undone;
    yield* unwrap(undone, isSpared, most - 1);
  }
}

/** True for an escape whose last characters, with what follows, may be the beginning of a secret. */
function spareBeginnings(secrets: readonly { readonly units: readonly number[] }[]): Undoing["isSpared"] {
  const beginnings = new Set(
    secrets.flatMap(({ units }) =>
      Array.from({ length: MOST_TAKEN + 1 }, (_, at) => String.fromCharCode(...units.slice(0, at + 1))),
    ),
  );
  return (units, end, taken, next) => {
    let tail = "";
    for (let from = end - 1; from > end - taken && tail.length < MOST_TAKEN; from--) {
      tail = String.fromCharCode(lowerCase(units[from]!)) + tail;
      if (!beginnings.has(tail)) continue;
      if (ESCAPE_SIGNS.has(next) || beginnings.has(tail + String.fromCharCode(lowerCase(next)))) return true;
    }
    return false;
  };
}
