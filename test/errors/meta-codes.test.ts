/** Each META code, provoked from outside, with the answer that it gets: the line of it that docs/errors.md shows. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LambdaEndpoints } from "../../shared/adapters/lambda/lambda-endpoints.ts";
import type { CodedError } from "../../shared/core/errors/coded-error.ts";
import { ERROR_CODES, ERRORS } from "../../shared/core/errors/error-table.ts";
import type { ErrorCode } from "../../shared/core/errors/error-table.ts";
import { refusesStart } from "../../shared/core/errors/error-entry.ts";
import { refusalText } from "../../shared/wiring/start-refusals.ts";
import { startService } from "../adapters/scripted-service.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { removeDirectory, temporaryDirectory } from "../contracts/temporary-directory.ts";
import { GREETER, startFrameDeployment } from "./frame-deployment.ts";
import { openStage } from "./stage.ts";
import type { Answer, ErrorStage } from "./stage.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:greeter:1";
const TWO_HANDLERS = { ...GREETER, handlers: [{ name: "greet" }, { name: "wave" }] };

/** Registers what answers its discovery with this manifest. */
async function registering(stage: ErrorStage, manifest: object, more: object = {}): Promise<Answer> {
  const deployment = await startFrameDeployment();
  deployment.manifest = manifest;
  return await stage.register(deployment.uri, { ...more });
}

/** Two deployments that an update has brought to one address. @returns that address */
async function twins(stage: ErrorStage): Promise<string> {
  const [first, second] = [await startFrameDeployment(), await startFrameDeployment()];
  const { body } = await stage.register(first.uri);
  await stage.register(second.uri);
  await stage.admin("PUT", `deployments/${String(body["id"])}`, { uri: second.uri });
  return second.uri;
}

const REFUSED: Partial<Record<ErrorCode, (stage: ErrorStage) => Promise<Answer>>> = {
  async META0003(stage) {
    const deployment = await startFrameDeployment();
    await deployment.stop();
    return await stage.register(deployment.uri);
  },
  async META0004(stage) {
    const deployment = await startFrameDeployment();
    await stage.register(deployment.uri);
    return await stage.register(deployment.uri);
  },
  META0005: (stage) => registering(stage, manifestOf([{ ...GREETER, name: "restateGreeter" }])),
  async META0006(stage) {
    await registering(stage, manifestOf([TWO_HANDLERS]));
    return await registering(stage, manifestOf([GREETER]));
  },
  META0009: (stage) =>
    stage.admin("POST", "subscriptions", { source: "kafka://main/orders", sink: "service://Greeter/greet" }),
  META0012: (stage) => registering(stage, manifestOf([GREETER], { minProtocolVersion: 1, maxProtocolVersion: 4 })),
  META0013: (stage) => registering(stage, { services: [] }),
  async META0014(stage) {
    const deployment = await startFrameDeployment(undefined, "http1.1 in the clear");
    return await stage.register(deployment.uri);
  },
  async META0015(stage) {
    const body = JSON.stringify(manifestOf([GREETER]));
    const headers = { "content-type": "application/vnd.restate.endpointmanifest.v4+json" };
    const lambda = await startService(() => ({ body: { statusCode: 200, headers, body, isBase64Encoded: false } }));
    const { endpoint, credentials } = lambda.options;
    const endpoints = new LambdaEndpoints({ endpoint, credentials });
    onTestFinished(async () => {
      endpoints.close();
      await lambda.stop();
    });
    stage.local.engine.endpoints.open = (request) => endpoints.open(request);
    return await stage.admin("POST", "deployments", { arn: ARN });
  },
  async META0016(stage) {
    const deployment = await startFrameDeployment();
    deployment.manifest = manifestOf([TWO_HANDLERS]);
    const { body } = await stage.register(deployment.uri);
    deployment.manifest = manifestOf([GREETER]);
    return await stage.admin("PUT", `deployments/${String(body["id"])}`);
  },
  META0017: async (stage) => stage.register(await twins(stage), { force: true }),
};

/** What lies in the data directory before the start. */
const REFUSING_START: Partial<Record<ErrorCode, (metaDir: string) => void>> = {
  META0010: (metaDir) => writeFileSync(join(metaDir, "VERSION"), JSON.stringify({ format: 99, kind: "meta" })),
  META0011: (metaDir) => writeFileSync(join(metaDir, "something"), "left behind"),
};

/** Without what differs from run to run. */
function steady(text: string): string {
  return text
    .replaceAll(/(127\.0\.0\.1):\d+/g, "$1:9080")
    .replaceAll(/\b(dp|sub)_1\w{22}/g, "$1_…")
    .replaceAll(/\/\S*\/meta\b/g, "<data-dir>/meta");
}

const seen = (code: string): string => `./seen/${code}.txt`;

test.each(Object.entries(REFUSED))("%s refuses a request", async (name, provoke) => {
  const code = name as ErrorCode;
  const { status, body } = await provoke(await openStage());
  const { outcome, title } = ERRORS[code];
  expect(status).toBe(outcome.kind === "reject" && outcome.status);
  expect(body).toEqual({ message: expect.stringContaining(`[${code}] ${title}: `), restate_code: code });
  await expect(`${status} ${steady(JSON.stringify(body))}\n`).toMatchFileSnapshot(seen(code));
});

test.each(Object.entries(REFUSING_START))("%s refuses the start", async (name, prepare) => {
  const code = name as ErrorCode;
  const dir = await temporaryDirectory();
  onTestFinished(() => removeDirectory(dir));
  const metaDir = join(dir, "meta");
  mkdirSync(metaDir, { recursive: true });
  prepare(metaDir);
  const refusal: unknown = await openStage({ "data-dir": dir }).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ code });
  expect(refusesStart(ERRORS[code].outcome)).toBe(true);
  const [line] = refusalText(refusal as CodedError).split("\n");
  await expect(`${steady(line!)}\n`).toMatchFileSnapshot(seen(code));
});

test("each META code has a provocation here", () => {
  const provoked = [...Object.keys(REFUSED), ...Object.keys(REFUSING_START)];
  expect(new Set(provoked)).toEqual(new Set(ERROR_CODES.filter((code) => code.startsWith("META"))));
});
