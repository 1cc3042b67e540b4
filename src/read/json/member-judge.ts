import { plainName } from "./next-page.ts";

/**
 * Members that services put next to their records, written as {@link plainName} returns them. A record has others as
 * well.
 */
const ENVELOPE: ReadonlySet<string> = new Set(
  `count total totalcount totalcounts totalresults totalsize totalpages totalitems totalrecords numfound resultcount
  page pages pagenumber pagecount pagesize perpage size limit offset start skip top currentpage lastpage pageindex pageno
  next nextpage nextpagetoken nextcursor nexttoken nextlink nexturl previous prev previouspage prevpage prevcursor
  first last self cursor hasmore hasnext hasnextpage moreresults links link meta metadata pagination paging pageinfo
  status statuscode success succeeded issuccess successful ok code returncode message messages msg took version apiversion timestamp generated generatedat
  exported exportedat object kind etag requestid traceid correlationid odatacontext odatacount odatanextlink context
  info summary request query warnings warning result schema crs bbox jsonrpc jsonapi`.split(/\s+/),
);

/** Members with which services say that something failed. */
const FAILURE: ReadonlySet<string> = new Set(
  `error errors errorcode errorcodes errormessage errormessages errordescription erroruri errortype errorinfo errordetails
  exception exceptions exceptionmessage exceptiontype fault faults faultcode faultstring stacktrace trace violations
  problem problems invalidparams err errno errcode errmsg errorsummary errorcauses errorid errorlink erreur erreurs
  fehler haserror haserrors iserror timedout`.split(/\s+/),
);

/** Members that often occur next to those. */
const BESIDE_FAILURE: ReadonlySet<string> = new Set(
  `title detail details instance type path documentationurl helpurl moreinfo hint reason description innererror
  cause target httpstatus httpcode httpstatuscode data resource hostid category parameters`.split(/\s+/),
);

/** The kind of a member by its name: part of a record, of an envelope around records, or of a failure answer. */
export type MemberKind = "record" | "envelope" | "failure" | "beside failure";

/** Judges the names of members. */
export class MemberJudge {
  readonly #declared: ReadonlySet<string>;

  /** `declared`: names that the options or the config know; such a member always belongs to a record. */
  constructor(declared: readonly string[] = []) {
    this.#declared = new Set(declared.map(plainName));
  }

  kindOf(name: string): MemberKind {
    const plain = plainName(name);
    if (this.#declared.has(plain)) return "record";
    if (FAILURE.has(plain)) return "failure";
    if (ENVELOPE.has(plain)) return "envelope";
    return BESIDE_FAILURE.has(plain) ? "beside failure" : "record";
  }

  isDeclared(name: string): boolean {
    return this.#declared.has(plainName(name));
  }
}
