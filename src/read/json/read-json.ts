// The modules that are loaded only for an input that may be JSON.
export { splitMembers } from "./json-members.ts";
export { detectJson, readJsonRows } from "./json-rows.ts";
