/** The steps that a command adds to the beginning of a run. */
export interface BeginSteps {
  /** Puts files that the run needs into its directory, before the run is known. */
  readonly furnish?: (directory: string) => Promise<void>;
  /** Called once the facts of the run are on disk, before it can send anything. */
  readonly noteBegun?: () => Promise<void>;
}
