import { readAdvice } from "./read-advice.ts";

/** How a command ended. */
export interface StepEnd {
  readonly code: number;
  readonly stderr: string;
}

/** A robot at work on one file. */
export interface RobotWork {
  /** The first command, as a person types it. */
  readonly command: string;
  /** True if the robot runs the `init` command rather than the ready line. */
  readonly takesInit: boolean;
  /** Runs a command as far as its questions go. */
  readonly run: (command: string) => Promise<StepEnd>;
  /** False for an answer that a person who knows the file would not give. */
  readonly mayAnswer: (choice: string) => boolean;
}

/** The end to which the advice led. */
export interface RobotEnd {
  readonly commands: readonly string[];
  readonly last: StepEnd;
  /** Why it led nowhere; `undefined` if it did not. A stop that names what to mend in the file is not nowhere. */
  readonly deadEnd: string | undefined;
}

const MOST_STEPS = 20;
/** What a person does to a file, or to the export that made it. */
const MENDS =
  /mend|in quotes|delete|complete the row|export|join the|rename|name to the header|names to the header|move the header|split the file|keep one|header has to end|convert|close the cell|double|empty the cell|write it out|name the workbook|unpack|save it|iconv|look at the file/i;

/**
 * Follows the advice to the letter: the ready line first; without one, or where it was already added, the first printed answer that
 * is true. It looks no step ahead.
 */
export async function followAdvice({ command, takesInit, run, mayAnswer }: RobotWork): Promise<RobotEnd> {
  const commands = [command];
  let given = command;
  let last = await run(given);
  const end = (deadEnd?: string): RobotEnd => ({ commands, last, deadEnd });
  while (last.code === 3) {
    if (commands.length >= MOST_STEPS) return end("too many steps");
    const { ready, init, choices } = readAdvice(last.stderr);
    if (init !== undefined && takesInit && !commands.includes(init)) {
      commands.push(init);
      const written = await run(init);
      // It may ask what the push did not come to.
      if (written.code !== 0) {
        last = written;
        continue;
      }
    } else {
      const isNew = ready !== undefined && !given.includes(ready);
      const answer = isNew ? ready : choices.find((one) => !given.includes(one) && mayAnswer(one));
      if (answer === undefined)
        return end(MENDS.test(last.stderr) ? undefined : "no option that is true, and nothing to mend");
      given = `${given} ${answer}`;
    }
    commands.push(given);
    const before = last;
    last = await run(given);
    if (last.code === 2) return end("an advised option is refused");
    if (last.code === 3 && last.stderr === before.stderr) return end("the same question again");
  }
  return end();
}
