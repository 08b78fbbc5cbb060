/** Other users of the machine against the secrets of the local admin API: its files, the code of a sign-in, and what the log says. */
import { execFile } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { adminServer } from "../../functions/cli/http/admin-server.ts";
import { RefusedSecrets } from "../../functions/local/local-process.ts";
import { LOG_EVENTS, type LogEvent } from "../../shared/engine/ports/log-events.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { ask } from "../harness/local/raw-http.ts";
import { RecordingLog } from "../recording-log.ts";

const run = promisify(execFile);
/** A token that a stranger has put there. */
const PLANTED = "planted-planted-planted-planted-planted-pla";
const NOBODY = 65_534;
const isSuperuser = process.getuid?.() === 0;

let dir: string;
beforeEach(async () => {
  dir = await temporaryDirectory();
  mkdirSync(join(dir, "data"), { mode: 0o700 });
  // These run after what a hook returns, and the last one first: what the test started in the directory ends before.
  onTestFinished(() => removeDirectory(dir));
});
const tokenFile = (): string => join(dir, "data/admin-token");

async function started(): Promise<LocalStage> {
  const stage = await openLocalStage({ flags: { "data-dir": join(dir, "data") } });
  onTestFinished(() => stage.close());
  return stage;
}

/** The fields of each line about the event. */
const fieldsOf = ({ logged }: LocalStage, event: LogEvent): readonly string[] => {
  const { message } = LOG_EVENTS[event];
  return logged.filter((line) => line.includes(message)).map((line) => line.split(message, 2)[1]!.trim());
};

describe.skipIf(process.platform === "win32")("a token that others may know is replaced", () => {
  const write = (path: string, mode: number): void => {
    writeFileSync(path, `${PLANTED}\n`);
    chmodSync(path, mode);
  };
  test.each<readonly [string, () => void]>([
    ["a file that everyone reads", () => write(tokenFile(), 0o644)],
    ["a file that everyone writes", () => write(tokenFile(), 0o602)],
    [
      "a link to another file",
      () => {
        write(join(dir, "other"), 0o600);
        symlinkSync(join(dir, "other"), tokenFile());
      },
    ],
  ])("%s", async (_what, plant) => {
    plant();
    const stage = await started();
    expect((await ask(stage.adminPort, "GET /version", { authorization: `Bearer ${PLANTED}` })).status).toBe(401);
    expect(readFileSync(tokenFile(), "utf8").trim()).toBe(stage.local.adminToken);
    expect(stage.local.adminToken).toMatch(/^[\w-]{43}$/);
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    expect(fieldsOf(stage, "admin-token.replaced")).toHaveLength(1);
  });

  test.runIf(isSuperuser)("a file of another user", async () => {
    write(tokenFile(), 0o600);
    chownSync(tokenFile(), NOBODY, NOBODY);
    const stage = await started();
    expect(stage.local.adminToken).not.toBe(PLANTED);
    expect(fieldsOf(stage, "admin-token.replaced")).toHaveLength(1);
  });

  test("but the owner's own stays, also if its group may read it, as on a volume of Kubernetes", async () => {
    write(tokenFile(), 0o640);
    const stage = await started();
    expect(stage.local.adminToken).toBe(PLANTED);
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    expect(fieldsOf(stage, "admin-token.replaced")).toEqual([]);
  });
});

test.runIf(isSuperuser)("no command sends the token to an address that another user has noted", async () => {
  const [token, address] = [tokenFile(), join(dir, "data/admin-url")];
  writeFileSync(token, PLANTED);
  writeFileSync(address, "http://127.0.0.2:9070/");
  const choice = { adminUrl: "http://localhost:9070/", dataDir: join(dir, "data") };
  expect(await adminServer(choice, {})).toMatchObject({ token: PLANTED });
  chownSync(address, NOBODY, NOBODY);
  expect(await adminServer(choice, {})).not.toHaveProperty("token");
});

test.skipIf(process.platform === "win32")("a command takes no token from files of another user", async () => {
  writeFileSync(tokenFile(), PLANTED);
  writeFileSync(join(dir, "data/admin-url"), "http://127.0.0.1:9070/");
  const choice = { adminUrl: "http://localhost:9070/", dataDir: join(dir, "data") };
  expect(await adminServer(choice, {})).toMatchObject({ token: PLANTED });
  vi.spyOn(process, "getuid").mockReturnValue(statSync(tokenFile()).uid + 1);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await adminServer(choice, {})).not.toHaveProperty("token");
});

/** Sends a request as a user of the machine, and returns the status of the answer. */
async function statusAs(user: number, url: string): Promise<string> {
  const program = "const { status } = await fetch(process.argv[1]); console.log(status)";
  const args = ["--input-type=module", "-e", program, url];
  return (await run(process.execPath, args, { uid: user, gid: user, cwd: "/" })).stdout.trim();
}

test.runIf(isSuperuser && process.platform === "linux")(
  "a code works for the user who asked for it, and not for one who read it in the list of processes",
  async () => {
    const stage = await started();
    const token = stage.local.adminToken;
    const program = `const asked = { method: "POST", headers: { authorization: "Bearer ${token}" } }; console.log((await (await fetch(process.argv[1], asked)).json()).code)`;
    const asked = async (user: number) => {
      const args = ["--input-type=module", "-e", program, `${stage.adminUri}/-/sign-in-codes`];
      return (await run(process.execPath, args, { uid: user, gid: user, cwd: "/" })).stdout.trim();
    };
    const [OPERATOR, STRANGER] = [1_234, NOBODY];
    const link = async () => `${stage.adminUri}/-/sign-in?code=${await asked(OPERATOR)}`;
    const stolen = await link();
    expect(await statusAs(STRANGER, stolen)).toBe("403");
    // The code is used up, and the operator learns of it.
    expect(await statusAs(OPERATOR, stolen)).toBe("403");
    expect(fieldsOf(stage, "admin-token.refused")).toEqual(['secret="code of another user" from=127.0.0.1 count=1']);
    expect(await statusAs(OPERATOR, await link())).toBe("200");
    // As a tunnel of ssh, or the relay of a virtual machine.
    expect(await statusAs(0, await link())).toBe("200");
  },
);

test("the log says once a minute how many tokens and codes were refused, and has none of them", async () => {
  const stage = await started();
  const wrong = "w".repeat(43);
  for (let n = 0; n < 50; n++) await ask(stage.adminPort, "GET /version", { authorization: `Bearer ${wrong}` });
  await ask(stage.adminPort, `GET /-/sign-in?code=${wrong}`, { authorization: "" });
  // A request without a secret is no guess.
  await ask(stage.adminPort, "GET /version", { authorization: "" });
  await ask(stage.adminPort, "GET /-/sign-in", { authorization: "" });
  expect(fieldsOf(stage, "admin-token.refused")).toEqual(["secret=token from=127.0.0.1 count=1"]);
  await stage.local.stop();
  expect(fieldsOf(stage, "admin-token.refused")).toEqual([
    "secret=token from=127.0.0.1 count=1",
    "secret=code from=127.0.0.1 count=50",
  ]);
  const whole = stage.logged.join("\n");
  expect(whole).not.toContain(wrong);
  expect(whole).not.toContain(stage.local.adminToken);
});

test("the next line comes after a minute, and none without a further refusal", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = new RecordingLog();
  const refused = new RefusedSecrets(log);
  const counts = (): unknown[] => log.lines.map(({ fields }) => fields["count"]);
  for (let n = 0; n < 1_000; n++) refused.note("token", { remoteAddress: "127.0.0.1" });
  expect(counts()).toEqual([1]);
  vi.advanceTimersByTime(60_000);
  expect(counts()).toEqual([1, 999]);
  refused.note("token", {});
  expect(counts()).toEqual([1, 999]);
  vi.advanceTimersByTime(60_000);
  vi.advanceTimersByTime(600_000);
  expect(counts()).toEqual([1, 999, 1]);
  refused.note("token", {});
  expect(counts()).toEqual([1, 999, 1, 1]);
  refused.end();
});
