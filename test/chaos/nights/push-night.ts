import type { Draw } from "../random.ts";
import { drawPlace, type Life, type NightEnd, type NightFile, type NightKill } from "./life.ts";
import type { FaultPlan } from "./night-service.ts";
import { readFates } from "./read-fates.ts";
import { settleDoubt } from "./settle-doubt.ts";

const MOST_COMMANDS = 14;
/** After this many pushes in a night nothing goes wrong any more. */
const WILD_COMMANDS = 2;

/** Pushes a night's files as a sensible person does; true once all is pushed, false if the rest is left to another night. */
export async function pushNight(life: Life, files: readonly NightFile[]): Promise<boolean> {
  const { draw, service } = life;
  const isLazy = draw.percent(35);
  const answered = new Set<string>();
  let once: readonly string[] = [];
  let end: NightEnd | undefined;
  for (let step = 0; step < MOST_COMMANDS; step++) {
    const adversity: Adversity = step < WILD_COMMANDS ? drawAdversity(draw) : { options: [] };
    service.calm();
    service.faults = adversity.faults;
    const results = `results-${life.day}-${step}.ndjson`;
    const words = pushWords(life, files, [...adversity.options, ...once, "--results", results]);
    end = await life.command(words, { kill: adversity.kill, files });
    if (end.isKilled) {
      if (isLazy) return false;
      continue;
    }
    once = [];
    const fates = await readFates(life, files, end, results);
    life.truth.judge(fates);
    switch (end.code ?? -1) {
      case 0:
      case 4:
        return true;
      case 3: {
        const error = end.events.find(({ event }) => event === "error");
        const [code, hint] = [String(error?.["code"]), String(error?.["hint"])];
        if (code === "creates-unsettled") {
          await settleDoubt(life, files, end, fates);
          break;
        }
        once =
          (await answerQuestion(life, files, code, hint, answered)) ??
          life.find("stuck", `${code}: ${end.stderr.slice(-900)}`);
        break;
      }
      case 7:
        break;
      case 8:
        // Left to a later night, whose file may hold its rows again.
        if (isLazy || draw.percent(20)) return false;
        await settleDoubt(life, files, end, fates);
        break;
      default:
        life.find("stuck", `exit ${end.code}: ${end.stderr.slice(-900)}`);
    }
  }
  return life.find(
    "stuck",
    `${MOST_COMMANDS} commands, the last ended with ${end?.code}: ${end?.stderr.slice(-400)}`,
  );
}

function pushWords(life: Life, files: readonly NightFile[], more: readonly string[]): readonly string[] {
  const names = files.map(({ name }) => name);
  return ["push", ...names, "--late", "0s", ...life.words(files[0]!), ...more, "--json"];
}

/** What goes wrong during a push. */
interface Adversity {
  readonly kill?: NightKill;
  readonly faults?: FaultPlan;
  readonly options: readonly string[];
}

/** Draws what goes wrong during a push; mostly nothing does. */
function drawAdversity(draw: Draw): Adversity {
  if (draw.percent(50)) return { options: [] };
  const options = draw.percent(60) ? ["--batch-size", String(draw.oneOf([1, 3, 7, 20]))] : [];
  const atRequest = draw.oneOf([1, 1, 2, 3, 5]);
  switch (draw.between(1, 6)) {
    case 1:
    case 2:
      return { options, kill: { kind: "write", at: drawPlace(draw), isAfter: draw.percent(50) } };
    case 3:
      return { options, kill: { kind: "time", afterMs: draw.between(150, 1_200) } };
    case 4: {
      const stage = draw.oneOf(["before", "applied", "answered"] as const);
      const afterMs = draw.oneOf([0, 2, 10, 30, 60]);
      return { options, kill: { kind: "request", plan: { atRequest, stage, afterMs } } };
    }
    default: {
      const fault = draw.oneOf([
        "lost answer",
        "lost answer",
        "not applied",
        "500",
        "500 applied",
        "503",
        "half applied",
        "half applied",
        "late answer",
      ] as const);
      return { options, faults: { fault, atRequest, isRepeated: draw.percent(20) } };
    }
  }
}

/**
 * Answers what a push asks, as a person who knows the shop: gives the options for the next command only, or `undefined`
 * if the question came again after its answer, or if no printed answer is right.
 */
async function answerQuestion(
  life: Life,
  files: readonly NightFile[],
  code: string,
  hint: string,
  answered: Set<string>,
): Promise<readonly string[] | undefined> {
  const answer = rightAnswer(life);
  if (answer.every((word) => life.said.includes(word))) return undefined;
  if (life.said.length === 0 && hint.includes(answer.join(" "))) {
    life.said = answer;
    life.say(`-- from now on: ${answer.join(" ")}`);
    return [];
  }
  if (answered.has(code)) return undefined;
  answered.add(code);
  const rows = files.flatMap((file) => file.rows);
  const there = life.truth.findThere(rows);
  life.say(`-- ${there.size} of ${rows.length} rows are there, and ${answer.join(" ")} is not offered`);
  if (there.size === 0 && hint.includes("--again")) return ["--again"];
  if (there.size < rows.length || !hint.includes("rec-push ledger add")) return undefined;
  for (const file of files) {
    const { code, stderr } = await life.sideCommand(["ledger", "add", file.name, ...life.words(file)]);
    if (code !== 0) life.find("stuck", `ledger add ended with ${code}: ${stderr.slice(-400)}`);
  }
  return [];
}

function rightAnswer({ isDelta, truth }: Life): readonly string[] {
  if (isDelta) return ["--exports", "delta"];
  return ["--exports", "full", ...(truth.correctionsAreNew ? [] : ["--identify-by", "num_commande"])];
}
