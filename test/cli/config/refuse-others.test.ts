import { describe, expect, it } from "vitest";
import { type ConfigPart, refuseOthers } from "../../../src/cli/config/load-configs.ts";
import type { RecPushError } from "../../../src/model/failure.ts";

const USER = 1000;
const GROUP = 50;
const file = (mode: number, uid = USER, gid = GROUP): ConfigPart => ({
  kind: "file",
  path: "/c/config.json",
  mode,
  uid,
  gid,
});
const directory = (mode: number, uid = USER, gid = GROUP): ConfigPart => ({
  kind: "directory",
  path: "/c",
  mode,
  uid,
  gid,
});

/** The message and the hint with which the parts are refused. */
function refusal(parts: readonly ConfigPart[], uid = USER): string {
  try {
    refuseOthers({ path: "/c/config.json", origin: "own" }, parts, { uid, gid: uid });
    return "";
  } catch (error) {
    const { message, hint } = error as RecPushError;
    return `${message}: ${hint}`;
  }
}

describe("refuseOthers", () => {
  it.each<[string, readonly ConfigPart[]]>([
    ["the user's own file", [file(0o600)]],
    ["one that others read", [file(0o644)]],
    ["root's file", [file(0o644, 0)]],
    ["what a group of the user's own can write", [file(0o664, USER, USER), directory(0o775, USER, USER)]],
    ["a directory that others read", [file(0o600), directory(0o755)]],
    ["a shared directory in which nobody can exchange another's file", [file(0o600), directory(0o1777, 0)]],
  ])("takes %s", (_, parts) => {
    expect(refusal(parts)).toBe("");
  });

  it.each<[string, readonly ConfigPart[], string]>([
    ["a group can write", [file(0o664)], "other users can write to the file /c/config.json: "],
    ["everybody can write", [file(0o602)], "other users can write to the file /c/config.json: "],
    ["belongs to another user", [file(0o600, 1001)], "the file /c/config.json belongs to another user: "],
    [
      "is in another's directory",
      [file(0o600), directory(0o755, 1001)],
      "the directory /c belongs to another user: ",
    ],
    [
      "is in a directory a group can write",
      [file(0o600), directory(0o775)],
      "other users can write to the directory /c: ",
    ],
  ])("refuses a config that %s", (_, parts, told) => {
    expect(refusal(parts)).toContain(`the config /c/config.json is refused: ${told}`);
  });

  it("refuses what root's group can write, which may have members", () => {
    expect(refusal([file(0o664, 0, 0)], 0)).toContain("other users can write");
  });

  it("refuses a user's file where root reads it", () => {
    expect(refusal([file(0o600, 1001)], 0)).toContain("belongs to another user");
  });

  it("names one command that mends all permissions", () => {
    expect(refusal([file(0o666), directory(0o777)])).toMatch(/: .*then: chmod go-w \/c\/config\.json \/c$/);
  });
});
