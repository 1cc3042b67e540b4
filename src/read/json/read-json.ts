// What is loaded where an input may be JSON.
export { detectJson } from "./json-detect.ts";
export { splitMembers } from "./json-members.ts";
export { readJsonRows, readNdjsonRows } from "./json-rows.ts";
