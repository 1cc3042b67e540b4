import { NestedValue } from "../../model/row.ts";

/** The cell of a member that holds an object. */
export const NESTED_OBJECT = new NestedValue("object");
/** The cell of a member that holds an array. */
export const NESTED_ARRAY = new NestedValue("array");
