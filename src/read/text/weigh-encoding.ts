// What is loaded where a text is not ASCII.
export { askForEncoding, refuteEncoding } from "./encoding-question.ts";
export { disproveEncoding, judgeEncoding } from "./judge-encoding.ts";
export { readLineAt } from "./read-line-at.ts";
