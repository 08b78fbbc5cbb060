/** A function that cannot start logs one line with the code, the cause and the remedy, and never a secret. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bundleFunctions } from "../../../infra/build/bundle.mjs";
import { TABLE_FORMAT } from "../../../shared/config/table-facts.ts";
import { freshSecretBytes } from "../../../shared/wiring/environment-secret.ts";
import { scriptedAws, type ScriptedAws } from "./scripted-aws.ts";

const PATH = "/stepwell/shop";
const SECRET = Buffer.from(freshSecretBytes(32)).toString("base64");
const PEM = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

let folder: string;
let aws: ScriptedAws;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepwell-start-"));
  await bundleFunctions({ worker: "functions/worker/lambda.ts" }, folder, { quiet: true });
  // The runtime loads the function in the same way.
  await writeFile(
    join(folder, "runtime.mjs"),
    'await import("./worker/index.mjs"); console.log("started"); process.exit();',
  );
  aws = await scriptedAws();
});
afterAll(async () => {
  await aws.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  aws.denies = false;
  aws.parameters.clear();
  aws.parameters.set(`${PATH}/id-secret`, SECRET).set(`${PATH}/signing-key-1`, PEM);
  aws.items.clear();
  aws.items.set("schema", { pk: { S: "schema" }, sk: { S: "format" }, format: { N: String(TABLE_FORMAT) } });
});

interface Start {
  readonly hasStarted: boolean;
  /** The JSON lines of the log. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly everything: string;
}

async function start(variables: Readonly<Record<string, string | undefined>> = {}): Promise<Start> {
  const env = {
    PATH: process.env["PATH"],
    AWS_ENDPOINT_URL: aws.uri,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "not to be told",
    STEPWELL_AWS__TABLE: "table",
    STEPWELL_AWS__QUEUE_URL: `${aws.uri}/queue`,
    STEPWELL_AWS__PARAMETERS: PATH,
    STEPWELL_AWS__TIMERS: "ladder",
    ...variables,
  };
  const child = spawn(process.execPath, [join(folder, "runtime.mjs")], { env, stdio: ["ignore", "pipe", "pipe"] });
  const out = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (out.stderr += text));
  const [code] = (await once(child, "close")) as [number];
  const hasStarted = out.stdout.includes("started\n");
  expect(code === 0).toBe(hasStarted);
  const lines = out.stdout.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as object] : []));
  return { hasStarted, lines: lines as Start["lines"], everything: out.stdout + out.stderr };
}

const refused = (code: string, words: string) => ({
  level: "error",
  function: "worker",
  event: "function.start-failed",
  code,
  error: expect.stringContaining(words),
  remedy: expect.stringMatching(/^[A-Z].+\.$/),
  see: `docs/errors.md#${code.toLowerCase()}`,
});

test("a function that starts logs nothing", async () => {
  expect(await start()).toMatchObject({ hasStarted: true, lines: [] });
});

test("an unknown setting is logged with the likely name, and the function starts", async () => {
  const { hasStarted, lines } = await start({ STEPWELL_WORKER__LEESE: "3s" });
  expect(hasStarted).toBe(true);
  expect(lines.map(({ level, event, reason }) => [level, event, reason])).toEqual([
    [
      "warn",
      "setting.not-applied",
      expect.stringMatching(/STEPWELL_WORKER__LEESE; did you mean STEPWELL_WORKER__LEASE\?/),
    ],
  ]);
});

test("an unreadable value and a missing setting are named by their variables", async () => {
  expect((await start({ STEPWELL_WORKER__LEASE: "3 parsecs" })).lines).toMatchObject([
    refused("RT0002", 'the environment variable STEPWELL_WORKER__LEASE: "3 parsecs" is not'),
  ]);
  expect((await start({ STEPWELL_AWS__TABLE: undefined })).lines).toMatchObject([
    refused("RT0002", "the environment variable STEPWELL_AWS__TABLE sets it"),
  ]);
});

test("a missing parameter is named with its remedy", async () => {
  aws.parameters.delete(`${PATH}/id-secret`);
  expect((await start()).lines).toMatchObject([
    refused("RT0002", `the parameter ${PATH}/id-secret does not exist; put back the one under which the table`),
  ]);
  aws.parameters.set(`${PATH}/id-secret`, SECRET).delete(`${PATH}/signing-key-1`);
  expect((await start()).lines).toMatchObject([
    refused("RT0002", `the parameter ${PATH}/signing-key-1 does not exist; put it back, or raise signingKey`),
  ]);
});

test("a denied read of parameters is logged in the words of AWS", async () => {
  aws.denies = true;
  const { hasStarted, lines } = await start();
  expect(hasStarted).toBe(false);
  expect(lines).toMatchObject([
    {
      level: "error",
      event: "function.start-failed",
      error: expect.stringContaining("no ssm:GetParameter on"),
    },
  ]);
});

test("a function does not start on a table with another format or another secret", async () => {
  aws.items.set("schema", { pk: { S: "schema" }, sk: { S: "format" }, format: { N: "99" } });
  expect((await start()).lines).toMatchObject([refused("META0010", "99")]);
  aws.items.set("schema", { pk: { S: "schema" }, sk: { S: "format" }, format: { N: String(TABLE_FORMAT) } });
  aws.items.set("secret", { pk: { S: "secret" }, sk: { S: "hmac" }, digest: { S: "of another one" } });
  expect((await start()).lines).toMatchObject([refused("RT0002", "put the former one back")]);
});

test("a key or secret is never logged, whether valid or damaged", async () => {
  const damaged = PEM.replace(/\n(.{20})/, "\n!!!$1");
  aws.parameters.set(`${PATH}/signing-key-1`, damaged);
  const { lines, everything } = await start();
  expect(lines).toMatchObject([refused("RT0002", `${PATH}/signing-key-1: `)]);
  aws.parameters.set(`${PATH}/signing-key-1`, PEM).set(`${PATH}/id-secret`, SECRET.slice(0, 20));
  const short = await start();
  expect(short.lines).toMatchObject([refused("RT0002", `${PATH}/id-secret holds no secret of 32 bytes`)]);
  for (const secret of [SECRET.slice(0, 20), PEM.split("\n")[1]!, "not to be told"]) {
    expect(everything + short.everything).not.toContain(secret);
  }
});
