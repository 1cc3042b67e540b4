import type { FieldOptions } from "../../src/fields/field-options.ts";

/** The options if none are given. */
export const DEFAULT_FIELD_OPTIONS: FieldOptions = {
  map: [],
  drop: [],
  keep: [],
  types: new Map(),
  set: new Map(),
  nulls: [],
  pins: {},
  // Every command sets the current day.
  today: 20_260_101,
  empty: "omit",
};
