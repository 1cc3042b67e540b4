// What is loaded where an input may be JSON.
export { splitMembers } from "./json-members.ts";
export { detectJson, readJsonRows, readNdjsonRows } from "./json-rows.ts";
