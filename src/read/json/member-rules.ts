/** Rules that decide which members a row has. */
export interface MemberRules {
  /** Names of members that are left whole while the others are flattened; `undefined` if no member is flattened. */
  readonly flatten?: readonly string[] | undefined;
  readonly declared?: readonly string[] | undefined;
  readonly dropped?: readonly string[] | undefined;
}
