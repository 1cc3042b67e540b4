import type { EarlierPush } from "../ledger/decide-start.ts";
import { listLines } from "../ledger/ledger-questions.ts";
import { showCountIs, showInteger, showShare } from "../model/counts.ts";
import type { Shard } from "../shards/open-shard.ts";
import type { LedgerAnswer } from "./duplicate-check.ts";

/**
 * Says of creates of an input that the ledger left them out.
 * `changedLines`: the first lines whose values differ from the record created before and that were not named before.
 */
export function tellCreatedBefore(
  table: string,
  { counts, sources, doubtful, isUnasked }: LedgerAnswer,
  changedLines: readonly number[],
  tell: (text: string, isAlwaysShown?: boolean) => void,
): void {
  const { creates, equal, changed, newlyChanged, repeated, fresh } = counts;
  const when = sources.at(-1)?.startedAt.slice(0, 10);
  if (equal > 0) {
    const on = when === undefined ? "" : ` (${sources.length === 1 ? "" : "last "}on ${when})`;
    const rest = fresh === 0 ? "nothing is new" : `${showInteger(fresh)} ${fresh === 1 ? "is" : "are"} new`;
    const said = isUnasked
      ? "; --exports full --identify-by record says so for every file of this table, --exports delta that its files hold new rows only"
      : "";
    const were = `${showShare(equal, creates, "create")} ${equal === 1 ? "was" : "were"} created before`;
    tell(`${were}${on}: left out; ${rest}${said}`, isUnasked);
  }
  if (changed > 0) {
    const named = newlyChanged === 0 ? "all named before" : listLines(changedLines, newlyChanged);
    const others = newlyChanged === 0 || newlyChanged === changed ? "" : "; the others were named before";
    tell(
      `${showInteger(changed)} ${changed === 1 ? "create was" : "creates were"} created before with other values (${named}${others}): left out, because the service has no way to find a record without its key`,
      newlyChanged > 0,
    );
  }
  if (repeated > 0) tell(`${showInteger(repeated)} with the identity of a later row; the last one stays`);
  for (const { run, doubt, records } of doubtful)
    tell(
      `${showInteger(records)} of these ${records === 1 ? "is" : "are"} in doubt since the run ${run}: check the table ${table}, then rec-push resume ${run} --in-doubt ${doubt}=applied (they are there) or ${doubt}=absent (they are not)`,
      true,
    );
}

/** The notice that nothing of an input is sent. */
export function leftOutText(file: string, earlier: EarlierPush): string {
  const { goneOn } = earlier;
  if (goneOn !== undefined)
    return `${file} ${pushedText(earlier)}: its rows are left out, because the run ${goneOn}, which left them to be mended, went on since and may have sent later rows; --stale-ok sends them all the same`;
  return `${file} ${pushedText(earlier)}: it is left out, so that no record is created twice; --again pushes it all the same`;
}

/** The notice that only the updates of an input are sent. */
export function updatesOnlyText(file: string, earlier: EarlierPush, creates: number): string {
  return `${file} ${pushedText(earlier)}: only its updates are sent, its ${showCountIs(creates, "create")} left out, so that no record is created twice; --again sends them all the same`;
}

function pushedText({ run, startedAt, isAbandoned }: EarlierPush): string {
  const day = startedAt.slice(0, 16).replace("T", " ");
  return `${isAbandoned ? "was pushed in part" : "was already pushed"} on ${day} UTC (run ${run})`;
}

/** The notice that the shard of a plan has nothing of an input left to send. */
export function settledText(file: string, { shard, plan }: Shard): string {
  return `${file}: the shard ${shard}/${plan.shards} is settled, nothing of it is left to send`;
}
