export { addDate } from "./cells";
export { setRows } from "./rows";
export { scanRows, setCells, setContent } from "./scan-rows";
export {
  areRising,
  filledCells,
  keyCount,
  leastFilled,
  newDateCell,
  newDateField,
  setColumns,
  surveyReason,
  surveyRows,
} from "./survey-rows";
export {
  dateCell,
  dateField,
  keysAt,
  reason,
  recordsAt,
  setFields,
  setOutput,
  textAt,
  writeRows,
} from "./write-rows";

/** Where the memory that the caller may use begins. */
export const heapBase: usize = __heap_base;
