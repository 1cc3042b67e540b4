import { REJECTED_VALUE } from "../../model/marker-columns.ts";
import { quoteText, quoteWord } from "../../model/text.ts";
import type { FieldOptions } from "../field-options.ts";
import { type FieldType, quoteListed } from "../type-text.ts";
import {
  type ColumnFault,
  type ColumnLook,
  type ColumnsPlace,
  dropOption,
  isIdentifier,
  type LookAt,
  makeIdentifier,
  mapOption,
  normaliseName,
  type PlannedColumn,
  type ReferTo,
  showColumn,
  suggestField,
  type TypeDoubt,
} from "./column-faults.ts";

/** The facts that questions about columns need. */
export interface Questioned {
  readonly options: FieldOptions;
  readonly place: ColumnsPlace;
  readonly lookAt: LookAt;
  readonly referTo: ReferTo;
}

/** One question for each undeclared column, with the options that send it as its values suggest. */
export function unansweredColumns(
  open: readonly PlannedColumn[],
  taken: Set<string>,
  about: Questioned,
): ColumnFault[] {
  const { options, place, lookAt, referTo } = about;
  const fields = proposeFields(open, taken);
  return open.map((column, at) => {
    const field = fields[at]!;
    const look = lookAt(column);
    const isNameless = column.use === "nameless";
    if (isNameless && place.noun === "member") return namelessMember(column);
    const why = whyAsked(column, options);
    const type = typeOf(field, look);
    if (typeof type !== "string") return doubtfulColumn(column, field, type, about, ` ${why};`);
    return {
      code: isNameless ? "nameless-column" : "undeclared-columns",
      text: `${showColumn(column, place)} ${why}; it would be ${field}, ${type}${showSamples(look)}`,
      options: declare(column, field, type, referTo, look),
      remark: isNameless
        ? `${dropOption(referTo(column))} leaves out column ${column.position}`
        : forOthers(options, place),
    };
  });
}

/** A member without a name that holds values, or the member of a rejects file for an element that was no record. */
function namelessMember({ name }: PlannedColumn): ColumnFault {
  const isRejected = name === REJECTED_VALUE;
  return {
    code: "nameless-column",
    text: isRejected
      ? `${REJECTED_VALUE} holds an element that was not a row when it was rejected`
      : "a member holds values and has no name",
    remark: isRejected
      ? `write it out as members of the record and delete ${REJECTED_VALUE}, or delete the record`
      : "give the member a name in the file, or delete it",
  };
}

function whyAsked({ use }: PlannedColumn, { otherColumns }: FieldOptions): string {
  if (use === "nameless") return "holds values and has no name";
  return otherColumns === "send" ? "has no name that a field can have" : "is not declared";
}

function forOthers({ otherColumns }: FieldOptions, { noun, isHeaderless }: ColumnsPlace): string {
  // Without a header they have no name under which they could be sent.
  return otherColumns === undefined && !isHeaderless
    ? `--other-columns send sends all ${noun}s that are not declared, --other-columns drop leaves them out`
    : `--drop leaves ${noun}s out`;
}

/** A question for each column that is not declared and holds objects or arrays, sent or not. */
export function nestedMembers(
  columns: readonly PlannedColumn[],
  { place, lookAt, referTo }: Questioned,
): ColumnFault[] {
  const nested = columns.flatMap((column) => {
    const look = column.isOther && column.use !== "dropped" ? lookAt(column) : undefined;
    return look?.nested === undefined ? [] : { column, ...look, nested: look.nested };
  });
  const code = "nested-members";
  const dropOf = ({ column }: (typeof nested)[number]): string => dropOption(referTo(column));
  const objects = nested.filter((member) => member.nested === "object");
  const array = nested.find((member) => member.nested === "array")?.column.name ?? "";
  return nested.map((member) => {
    const { column, alone, rows } = member;
    const name = showColumn(column, place);
    const path = `--json-path ${quoteWord(column.name)}`;
    // A path begins at the whole file, or at each line of NDJSON.
    const isPath = place.isOneALine === true;
    if (isPath && alone === rows) {
      const text = `every row holds nothing but an ${member.nested} in ${name}`;
      return { code, text, options: [path], remark: `${path} sends what it holds as records` };
    }
    const text = `${name} holds JSON ${member.nested}s, and a record holds plain values only`;
    if (member.nested === "array") {
      const remark = isPath
        ? `--json-path ${quoteWord(array)} sends the records in the array instead`
        : undefined;
      return { code, text, options: [dropOf(member)], remark };
    }
    const first = objects[0]!.column.name;
    const remark = `--flatten sends ${first}.x as ${first}_x; ${objects.map(dropOf).join(" ")} leaves ${objects.length === 1 ? "it" : "them"} out`;
    return { code, text, options: ["--flatten"], remark };
  });
}

/** A column whose values have no certain type: the ready line would send them as written. */
function doubtfulColumn(
  column: PlannedColumn,
  field: string,
  { types, words, why: reason }: TypeDoubt,
  { place, referTo }: Questioned,
  why = ":",
): ColumnFault {
  const isDeclared = column.use === "field" || column.name === field;
  const map = isDeclared ? "" : `${mapOption(referTo(column), field)} `;
  const nulls = words.map((word) => ` --null ${quoteListed(word)}`).join("");
  const answers = types.flatMap((type) => {
    const answer = `${map}--type ${field}=${type}`;
    return type === "text" || nulls === "" ? answer : [answer, `${answer}${nulls}`];
  });
  if (types.length === 1 || column.use === "nameless") answers.push(dropOption(referTo(column)));
  return {
    code: "undeclared-type",
    text: `${showColumn(column, place)}${why} ${reason}`,
    answers,
    remark: `${answers.join(" or ")} says which`,
  };
}

/** A question for each undeclared column that is sent and whose values look like a type, but not for certain. */
export function doubtfulTypes(columns: readonly PlannedColumn[], about: Questioned): ColumnFault[] {
  return columns.flatMap((column): ColumnFault[] => {
    const { use, field, isOther } = column;
    if (!isOther || use !== "field") return [];
    const type = typeOf(field!, about.lookAt(column));
    return typeof type === "string" ? [] : [doubtfulColumn(column, field!, type, about)];
  });
}

/** Columns whose names are valid field names keep them, in lower case. */
function proposeFields(open: readonly PlannedColumn[], taken: Set<string>): readonly string[] {
  const own = new Map<PlannedColumn, string>();
  for (const column of open) {
    const field = column.name.toLowerCase();
    if (!isIdentifier(field) || taken.has(field)) continue;
    own.set(column, field);
    taken.add(field);
  }
  return open.map((column) => {
    const kept = own.get(column);
    if (kept !== undefined) return kept;
    const field = suggestField(column, taken);
    taken.add(field);
    return field;
  });
}

/** The type that a column has as a field of its own, or why only the user can say it. */
function typeOf(field: string, look: ColumnLook | undefined): ColumnLook["kind"] | TypeDoubt {
  const { kind } = undeclaredType(field);
  return kind !== "text" || look === undefined ? kind : (look.doubt ?? look.kind);
}

/** The options that send a column as the field that its header would become; none if only the user knows its type. */
export function declareAsItself(column: PlannedColumn, { lookAt, referTo }: Questioned): readonly string[] {
  const field = makeIdentifier(column.name);
  if (field === undefined) return [];
  const look = lookAt(column);
  const type = typeOf(field, look);
  return typeof type === "string" ? declare(column, field, type, referTo, look) : [];
}

function declare(
  column: PlannedColumn,
  field: string,
  type: ColumnLook["kind"],
  referTo: ReferTo,
  look: ColumnLook | undefined,
): readonly string[] {
  const map = column.name === field ? [] : [mapOption(referTo(column), field)];
  const isSaid = map.length > 0 && undeclaredType(field).kind === type;
  return [...map, ...(isSaid ? [] : [`--type ${field}=${type}`]), ...nullOption(type, look)];
}

/** The option that leaves out words for "no value" in a column whose type is not text. */
export function nullOption(type: ColumnLook["kind"], look: ColumnLook | undefined): readonly string[] {
  return type === "text" ? [] : (look?.nullWords ?? []).map((word) => `--null ${quoteListed(word)}`);
}

function showSamples(look: ColumnLook | undefined): string {
  if (look === undefined) return "";
  if (look.filled === 0) return look.rows === 0 ? " (there is no row to look at)" : " (all empty)";
  const nulls =
    look.kind === "text"
      ? ""
      : look.nullWords
          .map((word) => `; ${quoteText(word)} means no value, here and in every column`)
          .join("");
  return ` (${look.samples.map((sample) => quoteText(sample)).join(", ")}${nulls})`;
}

/**
 * Makes the test that decides which header line is preferred: a cell names a known field, or a column that an option
 * names.
 */
export function createHeaderTest(options: FieldOptions): (cell: string) => boolean {
  const { map, drop } = options;
  const known = knownFields(options);
  const named = new Set([...map.map(({ column }) => column), ...drop].map(normaliseName));
  return (cell) => {
    const name = cell.trim();
    const normal = normaliseName(name);
    return name !== "" && (named.has(normal) || known.match({ name, normal }) !== undefined);
  };
}

/** The field that identifies a record: with it an update, without it a create. */
export const KEY_FIELD = "cle";

/** The fields that the service's specification names (its section 2), with their formats. */
const BUILT_IN_FIELDS: ReadonlyMap<string, FieldType> = new Map([
  [KEY_FIELD, { kind: "text" }],
  ["num_commande", { kind: "digits" }],
  ["date_billed", { kind: "date" }],
  ["actual_billable_amount", { kind: "amount" }],
  ["num_invoice", { kind: "digits" }],
  ["date_closed", { kind: "date" }],
]);

/** The fields that headers are matched to: the built-in ones and the declared ones. */
export class KnownFields {
  readonly names: ReadonlySet<string>;
  readonly #byNormal = new Map<string, string | undefined>();

  constructor(declared: Iterable<string>) {
    this.names = new Set([...BUILT_IN_FIELDS.keys(), ...declared]);
    for (const name of this.names) {
      const normal = normaliseName(name);
      if (normal === "") continue;
      // If two declared fields differ only in case, a header matches them only by their exact names.
      this.#byNormal.set(normal, this.#byNormal.has(normal) ? undefined : name);
    }
  }

  /** The field that a header means: exactly, else ignoring case, accents, spaces and punctuation. */
  match({ name, normal }: { readonly name: string; readonly normal: string }): string | undefined {
    return this.names.has(name) ? name : this.#byNormal.get(normal);
  }
}

/** The fields that options and config name; naming a field declares it. */
export function knownFields({ types, fields, map, set }: FieldOptions): KnownFields {
  const typed = [...types.keys(), ...(fields?.keys() ?? [])];
  return new KnownFields([...typed, ...map.map(({ field }) => field), ...set.keys()]);
}

/** The type of a field: by option, by declaration, by its values, built in, by the pattern of its name, else text. */
export function typeOfField(field: string, { types, fields, otherTypes }: FieldOptions): FieldType {
  return types.get(field) ?? fields?.get(field)?.type ?? otherTypes?.get(field) ?? undeclaredType(field);
}

/** The type of a field that is not declared. */
export function undeclaredType(field: string): FieldType {
  const builtIn = BUILT_IN_FIELDS.get(field);
  if (builtIn !== undefined) return builtIn;
  if (/^date_./i.test(field)) return { kind: "date" };
  if (/._amount$/i.test(field)) return { kind: "amount" };
  return { kind: "text" };
}
