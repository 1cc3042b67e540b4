/** Bits of what is known of a create: its whole record is in the ledger. */
export const EQUAL = 1;
/** Its identity is in the ledger. */
export const IDENTIFIED = 2;
/** Its identity is in the ledger with this very record. */
export const UNCHANGED = 4;
/** The user was told before that this record differs from the one created. */
export const TOLD = 8;
/** It is not asked for: an earlier process of its run settled it. */
export const SETTLED = 16;
/** The create that it equals is in doubt. */
export const DOUBTFUL = 32;
/** A later create of the same input has its identity. */
export const REPEATED = 64;

/**
 * True for a create of before that has its identity only now. One in doubt gets it once that is settled: it may turn out not
 * to be there.
 */
export function learnsIdentity(state: number): boolean {
  return (state & EQUAL) !== 0 && (state & (IDENTIFIED | DOUBTFUL)) === 0;
}
