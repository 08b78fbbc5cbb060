/** The words that a completion offers, and a test that bash can run the completion script. */
import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { candidates } from "../../../functions/cli/commands/completion-command.ts";
import { createProgram } from "../../../functions/cli/program.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";

const program = createProgram(
  async () => 0,
  () => {},
);
const offered = (line: string): readonly string[] => candidates(program, line.split(" "));

describe("completion", () => {
  it.each([
    ["depl", ["deployments"]],
    ["dp ", ["register", "list", "describe", "probe", "update", "remove", "help"]],
    ["--admin-url http://x inv ca", ["cancel"]],
    ["inv cancel inv_1 --y", ["--yes"]],
    ["inv kill --older", ["--older-than"]],
    ["inv resume --pinned", ["--pinned-to"]],
    ["inv ls --status s", ["scheduled", "suspended", "succeeded"]],
    ["send Counter/add --k", ["--key"]],
    ["awake", ["awakeable"]],
    ["awakeable re", ["resolve", "reject"]],
    ["call Greeter/greet --id", ["--idempotency-key"]],
    ["sql --c", ["--csv"]],
    ["deployments register --use", ["--use-http1.1"]],
    ["svc ls --adm", ["--admin-url"]],
    ["completion z", ["zsh"]],
    ["explain META000", ["META0003", "META0004", "META0005", "META0006", "META0009"]],
    ["nonsense", []],
    ["inv cancel ", []],
    ["--admin-url ", []],
  ])("after `%s` offers %j", (line, words) => expect(offered(line)).toEqual(words));

  it("does not offer the commands that only scripts call", () => expect(offered("comp")).toEqual(["completion"]));
});

describe("the script for bash", () => {
  let command: BuiltCommand;
  beforeAll(async () => (command = await buildCommand()));
  afterAll(() => command.remove());

  it("completes a line in bash", () => {
    const lines = [
      `stepwell() { ${process.execPath} ${command.path} "$@"; }`,
      'eval "$(stepwell completion bash)"',
      "COMP_WORDS=(stepwell deployments re) COMP_CWORD=2",
      "_stepwell",
      'printf "%s\\n" "${COMPREPLY[@]}"',
    ];
    const { stdout, status } = spawnSync("bash", ["-euc", lines.join("\n")], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "register\nremove\n", status: 0 });
  });

  it("refuses unknown shells", async () => {
    const { code, stderr } = await command.run(["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("bash, zsh, fish");
  });
});
