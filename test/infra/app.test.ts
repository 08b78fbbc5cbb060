/** The app of the repository as `cdk` runs it: the context of the command, and the feature flags. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const TOPIC = "arn:aws:sns:eu-west-1:111122223333:on-call";
const run = promisify(execFile);

let folder: string;
let appFile: string;
beforeAll(async () => {
  // The folder is inside the repository, so that the bundle finds its packages.
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  folder = await mkdtemp(join(ROOT, ".cache/app-test-"));
  appFile = join(folder, "app.mjs");
  await build({
    entryPoints: [join(ROOT, "infra/app.ts")],
    outfile: appFile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning",
  });
  for (const name of ["ingress", "admin", "worker", "sweeper", "keys"]) {
    await mkdir(join(folder, "code", name), { recursive: true });
    await writeFile(join(folder, "code", name, "index.mjs"), "export const handler = async () => ({});\n");
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Flag {
  readonly userValue?: unknown;
  readonly recommendedValue?: unknown;
  readonly unconfiguredBehavesLike?: { readonly v2?: unknown };
}

/** @param chosen the `-c` values of the command, beside those of `cdk.json` */
async function synthesised(chosen: Readonly<Record<string, string>> = {}) {
  const out = await mkdtemp(join(tmpdir(), "stepwell-cdk-out-"));
  try {
    const { context } = JSON.parse(await readFile(join(ROOT, "cdk.json"), "utf8")) as { readonly context: object };
    const all = { ...context, "code-folder": join(folder, "code"), ...chosen };
    const env = { ...process.env, CDK_OUTDIR: out, CDK_CONTEXT_JSON: JSON.stringify(all) };
    await run(process.execPath, [appFile], { cwd: ROOT, env });
    const read = async (name: string) => JSON.parse(await readFile(join(out, name), "utf8")) as never;
    const { Resources } = (await read("Stepwell.template.json")) as {
      readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: never }>>;
    };
    const { artifacts } = (await read("manifest.json")) as { readonly artifacts: Readonly<Record<string, never>> };
    const { properties } = artifacts["aws-cdk-lib/feature-flag-report"] as unknown as {
      readonly properties: { readonly flags: Readonly<Record<string, Flag>> };
    };
    const of = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type);
    return { of, flags: Object.values(properties.flags) };
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

test("every feature flag of the CDK is set, so that `cdk` prints no notice about flags", async () => {
  const { flags } = await synthesised();
  expect(flags.length).toBeGreaterThan(50);
  expect(flags.filter(({ userValue }) => userValue === undefined)).toEqual([]);
  const { flags: told } = await synthesised({ "@aws-cdk/core:explicitStackTags": "true" });
  expect(told.filter(({ userValue }) => userValue === "true")).toHaveLength(1);
});

test("alarms reach a topic, and the dashboard is left out, if the command says so", async () => {
  const plain = await synthesised();
  expect(plain.of("AWS::CloudWatch::Dashboard")).toHaveLength(1);
  expect(plain.of("AWS::CloudWatch::Alarm").map(({ Properties }) => Properties["AlarmActions"] ?? [])).toEqual(
    plain.of("AWS::CloudWatch::Alarm").map(() => []),
  );
  const told = await synthesised({ "alarm-topic": TOPIC, dashboard: "false" });
  expect(told.of("AWS::CloudWatch::Dashboard")).toEqual([]);
  const alarms = told.of("AWS::CloudWatch::Alarm");
  expect(alarms.length).toBeGreaterThan(0);
  for (const { Properties } of alarms) expect(Properties["AlarmActions"]).toEqual([TOPIC]);
});

test("the command also sets reserved concurrency, an access log and traces", async () => {
  const told = await synthesised({
    "reserved-ingress": "300",
    "reserved-sweeper": "2",
    "ingress-access-log": "true",
    xray: "true",
  });
  const functions = told.of("AWS::Lambda::Function");
  const reserved = functions.flatMap(({ Properties }) => Properties["ReservedConcurrentExecutions"] ?? []);
  expect(reserved.toSorted((one, other) => one - other)).toEqual([2, 300]);
  expect(functions.filter(({ Properties }) => Properties["TracingConfig"] !== undefined)).toHaveLength(4);
  const logged = told.of("AWS::ApiGatewayV2::Stage").filter(({ Properties }) => Properties["AccessLogSettings"]);
  expect(logged).toHaveLength(2);
  await expect(synthesised({ "reserved-sweeper": "two" })).rejects.toThrow("reservedConcurrency: sweeper");
});
