/** Checks the ports, variables and volumes in the compose file of LocalStack; no container starts. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const lines = readFileSync(new URL("../../localstack/compose.yaml", import.meta.url), "utf8").split("\n");

/** The lines below a key, without comments: `key: "value"` or `- "value"`, one level deeper. */
function below(key: string): readonly string[] {
  const at = lines.findIndex((line) => line.trim() === `${key}:`);
  if (at < 0) throw new Error(`no ${key} is there`);
  const depth = depthOf(lines[at]!);
  const end = lines.findIndex((line, index) => index > at && line.trim() !== "" && depthOf(line) <= depth);
  const found = lines.slice(at + 1, end < 0 ? undefined : end).map((line) => line.trim());
  return found.filter((line) => line !== "" && !line.startsWith("#"));
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

test("the emulator is reached from this machine only", () => {
  expect(below("ports")).toEqual(['- "127.0.0.1:4566:4566"']);
});

test("the emulator's token comes from the environment, and nothing starts without a token", () => {
  const [token, ...others] = below("environment");
  expect(token).toMatch(/^LOCALSTACK_AUTH_TOKEN: "\$\{LOCALSTACK_AUTH_TOKEN:\?.+\}"$/);
  expect(others).toEqual([]);
});

test("the emulator gets nothing of this machine but the socket with which it starts functions", () => {
  expect(below("volumes")).toEqual(['- "/var/run/docker.sock:/var/run/docker.sock"']);
  expect(lines.filter((line) => /env_file|secrets|privileged|network_mode/.test(line))).toEqual([]);
});
