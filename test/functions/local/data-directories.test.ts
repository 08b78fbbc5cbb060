/** Data directories that cannot be used, and signals during the start and while work is open: how the process ends, and what stays. */
import "../../../examples/polyfill.mjs";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http2";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { ERRORS } from "../../../shared/core/errors/error-table.ts";
import { removeDirectory, temporaryDirectory } from "../../contracts/temporary-directory.ts";
import { buildCommand, type BuiltCommand, type RunningCommand } from "../../errors/command.ts";
import { startServer } from "../../harness/https/peer.ts";

const READY = /Stepwell is ready/;

let command: BuiltCommand;
let dir: string;
beforeAll(async () => {
  command = await buildCommand();
});
afterAll(() => command.remove());
beforeEach(async () => {
  dir = await temporaryDirectory();
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});

function start(dataDir: string, ...more: readonly string[]): RunningCommand {
  return command.start(["dev", "--data-dir", dataDir, "--no-register", ...more]);
}

async function startAndStop(dataDir: string): Promise<void> {
  const running = start(dataDir);
  await running.told(READY);
  expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
}

/**
 * Makes the directory read-only by a mount, or, where no mount is allowed, by its mode, which binds users other than root.
 * @returns a function that undoes it
 */
function makeReadOnly(place: string): () => void {
  const bound = (...args: readonly string[]): void => void execFileSync("mount", args, { stdio: "ignore" });
  try {
    bound("--bind", place, place);
  } catch (error) {
    if (process.getuid?.() === 0) throw error;
    chmodSync(place, 0o500);
    return () => chmodSync(place, 0o700);
  }
  bound("-o", "remount,bind,ro", place);
  return () => void execFileSync("umount", [place]);
}

test.each<readonly [string, keyof typeof ERRORS, (data: string) => void]>([
  ["a file is in its place", "RT0901", (data) => writeFileSync(data, "hi")],
  [
    "a file is in the place of a store",
    "RT0901",
    (data) => {
      mkdirSync(data);
      writeFileSync(join(data, "journal"), "hi");
    },
  ],
  [
    "a directory is in the place of the token",
    "RT0900",
    (data) => mkdirSync(join(data, "admin-token"), { recursive: true }),
  ],
  [
    "a directory is in the place of the new token",
    "RT0900",
    (data) => mkdirSync(join(data, "admin-token.new"), { recursive: true }),
  ],
  [
    "a directory is in the place of the address",
    "RT0900",
    (data) => mkdirSync(join(data, "admin-url"), { recursive: true }),
  ],
])("the start is refused with a code and exit code 3 if %s, and works once it is gone", async (_what, code, spoil) => {
  const data = join(dir, "data");
  spoil(data);
  const { code: exit, stderr } = await start(data).end();
  expect([exit, stderr]).toEqual([3, expect.stringContaining(`${code}: ${ERRORS[code].title}\n  cause  `)]);
  expect(stderr).not.toMatch(/\n {4}at /);
  rmSync(data, { recursive: true });
  await startAndStop(data);
});

test("a read-only directory is refused with RT0900, new or with stores, and its data is whole afterwards", async () => {
  const closed = join(dir, "closed");
  const data = join(closed, "data");
  await startAndStop(data);
  mkdirSync(join(closed, "empty"));
  const reopen = makeReadOnly(closed);
  try {
    for (const place of [data, join(closed, "empty"), join(closed, "new/below")]) {
      const { code, stderr } = await start(place).end();
      expect([code, stderr]).toEqual([3, expect.stringContaining(`RT0900: ${ERRORS.RT0900.title}\n  cause  `)]);
    }
  } finally {
    reopen();
  }
  await startAndStop(data);
});

test("a signal at any moment of the start ends the process, and the next start finds its data whole", async () => {
  const data = join(dir, "data");
  for (const afterMs of [20, 60, 120, 200, 300, 450, 700]) {
    const running = start(data);
    await pause(afterMs);
    const { code, stderr } = await running.end("SIGTERM");
    // Before Node has loaded the command, the signal has its usual effect, and there is no exit code.
    expect([afterMs, code === 0 || code === null, stderr]).toEqual([
      afterMs,
      true,
      expect.not.stringMatching(/ERROR|\n {4}at /),
    ]);
  }
  await startAndStop(data);
});

test("a signal while work is open ends the process with 0, and the work ends after the next start", async () => {
  let runs = 0;
  const slow = service({
    name: "Slow",
    handlers: {
      work: async (ctx: Context): Promise<number> => {
        const step = await ctx.run("once", () => ++runs);
        await ctx.sleep({ milliseconds: 1_500 });
        return step;
      },
    },
  });
  const { port, stop } = await startServer(
    createServer(createEndpointHandler({ services: [slow], logger: () => {} })),
    "http",
    0,
  );
  onTestFinished(stop);
  const data = join(dir, "data");
  const args = ["dev", "--data-dir", data, "--register", String(port)];
  const first = command.start(args);
  const told = await first.told(/A handler can be called: .*\n/);
  const url = /A handler can be called: curl (?:-X POST )?(\S+)/.exec(told)![1]!;
  const answer = await fetch(`${url}/send`, { method: "POST" });
  const { invocationId } = (await answer.json()) as { invocationId: string };
  await expect.poll(() => runs).toBe(1);
  expect(await first.end("SIGTERM")).toMatchObject({ code: 0 });
  const second = command.start(args);
  const ingress = / ingress=(\S+) /.exec(await second.told(READY))![1]!;
  const attach = await fetch(`${ingress}restate/invocation/${invocationId}/attach`);
  expect([attach.status, await attach.json(), runs]).toEqual([200, 1, 1]);
  expect(await second.end("SIGTERM")).toMatchObject({ code: 0 });
});
