/** Bits that say what is known of a create. EQUAL: its whole record is in the ledger. */
export const EQUAL = 1;
/** Its identity is in the ledger. */
export const IDENTIFIED = 2;
/** Its identity is in the ledger with exactly this record. */
export const UNCHANGED = 4;
/** The user was already told that this record differs from the one created. */
export const TOLD = 8;
/** The ledger is not asked about it: an earlier process of its run settled it. */
export const SETTLED = 16;
/** The create that it equals is in doubt. */
export const DOUBTFUL = 32;
/** A later create of the same input has its identity. */
export const REPEATED = 64;

/**
 * True for an earlier create that gets its identity only now. One in doubt gets it once that is settled, because it
 * may turn out not to be there.
 */
export function learnsIdentity(state: number): boolean {
  return (state & EQUAL) !== 0 && (state & (IDENTIFIED | DOUBTFUL)) === 0;
}
