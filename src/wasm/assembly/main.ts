export { addDate } from "./cells";
export { areRising, keyCount } from "./keys";
export { dateCell, dateField, reason, setRows } from "./rows";
export { setCells, setContent } from "./scan";
export { lastLineEnd, lines, scanRecords, setShapes } from "./scan-records";
export { scanRows, setDialect } from "./scan-rows";
export { filledCells, leastFilled, setColumns, surveyRows } from "./survey-rows";
export { keysAt, recordsAt, setFields, setOutput, textAt, writeRows } from "./write-rows";

/** Where the memory that the caller may use begins. */
export const heapBase: usize = __heap_base;
