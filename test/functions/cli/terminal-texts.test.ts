/** Texts that others chose cannot act on a terminal, in any format; a pipe gets them as they are. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { openScriptedServer, type ScriptedServer } from "../../harness/cli/scripted-server.ts";

/** The beginning of a control sequence as one character, which JSON need not escape. */
const CSI = "\u009b";
/** Leaves out what the command and the pseudo-terminal write themselves: the clearing of progress, and line ends. */
const others = (text: string): string => text.replaceAll("\r\u001b[K", "").replaceAll(/[\r\n]/g, "");

let command: BuiltCommand;
let server: ScriptedServer;

beforeAll(async () => {
  [command, server] = await Promise.all([buildCommand(), openScriptedServer()]);
});

afterAll(async () => {
  await command.remove();
  await server.close();
});

const ROWS = `{"rows":[{"a":"x${CSI}2J"}]}`;
const STATE = JSON.stringify({ state: { n: { bytes: [...Buffer.from(`"x${CSI}2J"`)] } }, version: "1" });
const LIST = JSON.stringify({
  invocations: [{ id: `inv_${CSI}`, target: `x${CSI}`, status: `x${CSI}2J`, created_at: "2030-01-01T00:00:00Z" }],
});

it.each([
  ["sql a --csv", ROWS, `a\nx${CSI}2J\n`],
  ["sql a --json", ROWS, `${ROWS}\n`],
  ["state get S k n", STATE, `"x${CSI}2J"\n`],
  ["state get S k --json", STATE, `{\n  "n": "x${CSI}2J"\n}\n`],
  ["call S/h --json", `"x${CSI}2J"`, `{\n  "result": "x${CSI}2J"\n}\n`],
])(
  "the output of %s has no control characters at a terminal, and keeps all of them in a pipe",
  async (line, body, piped) => {
    server.answer(() => ({ status: 200, body }));
    const args = line.split(" ");
    expect((await command.run(args, { env: server.env })).stdout).toBe(piped);
    const { stdout, code } = await command.run(args, {
      env: { ...server.env, NO_COLOR: "1", TERM: "dumb" },
      terminal: true,
    });
    expect(code).toBe(0);
    expect(others(stdout)).not.toMatch(/\p{Cc}/u);
    expect(stdout).toContain(line.endsWith("--json") ? "x\\u009b2J" : "x\ufffd2J");
  },
);

it.each(["inv kill --service x --dry-run", "inv kill --service x --dry-run --json", "inv ls", "inv ls --json"])(
  "the statuses in %s have no control characters at a terminal",
  async (line) => {
    server.answer(() => ({ status: 200, body: LIST }));
    const env = { ...server.env, NO_COLOR: "1" };
    const { stdout, code } = await command.run(line.split(" "), { env, terminal: true });
    expect(code).toBe(0);
    expect(others(stdout)).not.toMatch(/\p{Cc}/u);
    expect(stdout).toMatch(/\ufffd|\\u009b/);
  },
);

it.each([[""], [" --json"]])("a refusal has no control characters at a terminal%s", async (json) => {
  server.answer(() => ({ status: 400, body: JSON.stringify({ message: `x${CSI}2J`, restate_code: null }) }));
  const line = `svc ls${json}`.split(" ");
  const { stdout, code } = await command.run(line, { env: server.env, terminal: true });
  expect(code).toBe(1);
  expect(others(stdout)).not.toMatch(/\p{Cc}/u);
  expect(stdout).toMatch(/x(\ufffd|\\u009b)2J/);
});
