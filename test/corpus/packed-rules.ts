import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { hasPython, WorkbookJudge } from "../fuzz/sheets/judge-workbook.ts";
import type { ReadTable } from "../read/chunks.ts";
import { tryTable, type FileOutcome } from "./try-file.ts";

const MOST_BYTES = 1024 ** 3;

/** Another program that unpacks this kind of file to standard output, and the argument that shows whether it is installed. */
const UNPACKERS: readonly (readonly [ending: RegExp, command: readonly string[], asks: readonly string[]])[] =
  [
    [/\.gz$/i, ["gzip", "-dc"], ["--version"]],
    [
      /\.zip$/i,
      [
        "python3",
        "-c",
        "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[1])\n" +
          "one, = [n for n in z.namelist() if not n.endswith('/') and not n.startswith('__MACOSX/')]\n" +
          "sys.stdout.buffer.write(z.read(one))",
      ],
      ["--version"],
    ],
  ];

/** The first difference between what rec-push and a reader in another language find in a workbook. */
export async function judgeWorkbookFile(path: string): Promise<string | undefined> {
  if (!hasPython()) return undefined;
  const directory = mkdtempSync(join(tmpdir(), "rec-push-corpus-"));
  const judge = new WorkbookJudge(directory);
  try {
    return await judge.judgeFile(path, {});
  } finally {
    judge.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The first difference between a packed file as rec-push reads it and what another program unpacks. */
export async function comparePacked(path: string, told: FileOutcome<ReadTable>): Promise<string | undefined> {
  const [ending, [program = "", ...args] = [], asks = []] = UNPACKERS.find(([end]) => end.test(path)) ?? [];
  if (ending === undefined || spawnSync(program, asks).status !== 0) return undefined;
  const { status, stdout } = spawnSync(program, [...args, path], { maxBuffer: MOST_BYTES });
  if (status !== 0) return told.kind === "read" ? `${program} refuses it` : undefined;
  const directory = mkdtempSync(join(tmpdir(), "rec-push-corpus-"));
  try {
    const plain = join(directory, basename(path).replace(ending, ""));
    writeFileSync(plain, stdout);
    const own = await tryTable(plain);
    if (told.kind !== own.kind) return `it is ${told.kind}, and what it holds is ${own.kind}`;
    const isSame =
      told.kind !== "read" || own.kind !== "read" || JSON.stringify(told.rows) === JSON.stringify(own.rows);
    return isSame ? undefined : "its rows are not those of what it holds";
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
