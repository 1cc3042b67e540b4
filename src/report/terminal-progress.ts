import ora from "ora";
import type { OutputStream } from "./output-stream.ts";
import { createProgressText, type Progress } from "./progress.ts";

/** A spinner on a terminal's standard error, out of the way while a line is written. */
export function createTerminalProgress(stderr: OutputStream): Progress {
  const spinner = ora({ stream: stderr as NodeJS.WriteStream, discardStdin: false, hideCursor: true });
  const describe = createProgressText();
  return {
    update(event) {
      const text = describe(event, performance.now());
      if (text === undefined) return;
      spinner.text = text;
      if (!spinner.isSpinning) spinner.start();
    },
    write(print) {
      if (!spinner.isSpinning) {
        print();
        return;
      }
      spinner.clear();
      print();
      spinner.render();
    },
    stop: () => void spinner.stop(),
  };
}
