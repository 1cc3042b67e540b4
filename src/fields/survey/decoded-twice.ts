// UTF-8 bytes of two or three, read as windows-1252: Ã or Â, or â€, and what a continuation byte looks like in it.
const DECODED_TWICE = /[ÃÂ][\u00a0-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸŽ\u0080-\u009f]|â€[™˜œ“”¦¢\u009d]|â‚¬/;

/** True for text such as `Ã©`, which an earlier export decoded wrongly. */
export function isDecodedTwice(text: string): boolean {
  // Most text has none of these letters, and checking that is faster.
  return (text.includes("Ã") || text.includes("Â") || text.includes("â")) && DECODED_TWICE.test(text);
}
