import { answerQuestion } from "./answer-question.ts";
import { drawAdversity, type Adversity } from "./draw-adversity.ts";
import type { Life, NightFile } from "./life.ts";
import type { NightEnd } from "./night-command.ts";
import { readFates } from "./read-fates.ts";
import { settleDoubt } from "./settle-doubt.ts";

const MOST_COMMANDS = 14;
/** After this many pushes in a night nothing goes wrong any more. */
const WILD_COMMANDS = 2;

/** Pushes a night's files as a sensible person does; true once all is pushed, false if the rest is left to another night. */
export async function pushNight(life: Life, files: readonly NightFile[]): Promise<boolean> {
  const { draw, service } = life;
  const isLazy = !life.isCalm && draw.percent(35);
  const answered = new Set<string>();
  let once: readonly string[] = [];
  let end: NightEnd | undefined;
  for (let step = 0; step < MOST_COMMANDS; step++) {
    const adversity: Adversity = step < WILD_COMMANDS && !life.isCalm ? drawAdversity(draw) : { options: [] };
    service.calm();
    service.faults = adversity.faults;
    const isTwo = !life.isCalm && draw.percent(5);
    const push = (results: string, kill = adversity.kill): Promise<NightEnd> =>
      life.command(pushWords(life, files, [...adversity.options, ...once, "--results", results]), {
        kill,
        files,
      });
    const results = [`results-${life.day}-${step}.ndjson`, `second-${life.day}-${step}.ndjson`] as const;
    const [first, second] = await Promise.all([push(results[0]), ...(isTwo ? [push(results[1])] : [])]);
    end = first;
    if (second !== undefined && !second.isKilled)
      life.truth.judge(await readFates(life, files, second, results[1]));
    const isTold = second?.isKilled === false && (second.code === 0 || second.code === 4);
    // The second command reported that all is done.
    if (isTold && (first.isKilled || first.code === 9)) return true;
    if (first.isKilled) {
      if (isLazy) return false;
      continue;
    }
    once = [];
    const fates = await readFates(life, files, first, results[0]);
    life.truth.judge(fates);
    switch (first.code ?? -1) {
      case 0:
      case 4:
        return true;
      case 3: {
        const error = first.events.find(({ event }) => event === "error");
        const [code, hint] = [String(error?.["code"]), String(error?.["hint"])];
        if (code === "creates-unsettled") {
          await settleDoubt(life, files, first, fates);
          break;
        }
        const answer = await answerQuestion(life, files, code, hint, answered);
        if (answer === undefined) {
          life.find("stuck", `${code}: ${first.stderr.slice(-900)}`);
          return false;
        }
        once = answer;
        break;
      }
      case 7:
      case 9:
        break;
      case 8:
        // Left to a later night, whose file may hold its rows again.
        if (isLazy || (!life.isCalm && draw.percent(20))) return false;
        await settleDoubt(life, files, first, fates);
        break;
      default:
        life.find("stuck", `exit ${first.code}: ${first.stderr.slice(-900)}`);
        return false;
    }
  }
  life.find(
    "stuck",
    `${MOST_COMMANDS} commands, the last ended with ${end?.code}: ${end?.stderr.slice(-400)}`,
  );
  return false;
}

function pushWords(life: Life, files: readonly NightFile[], more: readonly string[]): readonly string[] {
  const again = life.wrong === "again" && !more.includes("--again") ? ["--again"] : [];
  const names = files.map(({ name }) => name);
  return ["push", ...names, "--late", "0s", ...life.words(files[0]!), ...more, ...again, "--json"];
}
