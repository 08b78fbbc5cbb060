/** `npm run localstack -- --app` brings a CDK app of one's own to the emulator: control plane, function and registration. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { aws } from "./control-plane.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

test("the app of the guide is deployed by one line, and its handler answers at the printed address", async () => {
  // The app imports the package by its name, as it does where the package is installed.
  await run(process.execPath, [join(ROOT, "infra/build/pack.mjs")], { cwd: ROOT });
  const command = spawn("npm", ["run", "localstack", "--", "--app", "node examples/cdk-app/app.mjs"], {
    cwd: ROOT,
    env: { ...process.env, AWS_ENDPOINT_URL: aws.endpoint },
    stdio: ["ignore", "pipe", "pipe"],
    // Ctrl-C in a terminal reaches npm and the program that it runs.
    detached: true,
  });
  onTestFinished(() => {
    if (command.exitCode === null && command.signalCode === null) process.kill(-command.pid!, "SIGKILL");
  });
  let told = "";
  const ended = once(command, "close");
  const ready = new Promise<void>((resolve) => {
    for (const stream of [command.stdout, command.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        told += text;
        if (told.includes("Ctrl-C ends it")) resolve();
      });
  });
  await Promise.race([ready, ended.then(() => expect.unreachable(told))]);
  const [, line] = /^ {2}(curl --aws-sigv4 .* --json '"…"')$/m.exec(told) ?? [];
  const called = line!.replace("<service>/<handler>", "seats/reserve").replace('"…"', '"A1"');
  expect((await run("bash", ["-c", `${called} --silent --show-error`])).stdout).toBe('"seat A1 has the number 17"');

  process.kill(-command.pid!, "SIGINT");
  await ended;
  // The emulator that the command did not start goes on.
  expect((await fetch(`${aws.endpoint}/_ministack/health`)).ok).toBe(true);
});
