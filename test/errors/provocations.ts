/** Provocations of error codes at the admin API and at the command line: refused registrations and refused starts. */
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { LambdaEndpoints } from "../../shared/adapters/lambda/lambda-endpoints.ts";
import type { ErrorCode } from "../../shared/core/errors/error-table.ts";
import { startService } from "../adapters/scripted-service.ts";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { damageDeployment } from "./damaged-registry.ts";
import { GREETER, startFrameDeployment } from "./frame-deployment.ts";
import { openStage, type ErrorStage } from "./stage.ts";

const ARN = "arn:aws:lambda:eu-west-1:123456789012:function:greeter:1";
export const TWO_HANDLERS = { ...GREETER, handlers: [{ name: "greet" }, { name: "wave" }] };

/** The registration that is to be refused. */
export interface Registration {
  /** A URI or an ARN. */
  readonly address: string;
  readonly force?: true;
}

/** A deployment that answers its discovery with this manifest. */
async function announcing(manifest: object): Promise<Registration> {
  const deployment = await startFrameDeployment();
  deployment.manifest = manifest;
  return { address: deployment.uri };
}

/** Each function prepares the earlier registrations that its code needs. */
export const REFUSED_REGISTRATIONS: Partial<Record<ErrorCode, (stage: ErrorStage) => Promise<Registration>>> = {
  async META0003() {
    const deployment = await startFrameDeployment();
    await deployment.stop();
    return { address: deployment.uri };
  },
  async META0004(stage) {
    const deployment = await startFrameDeployment();
    await stage.register(deployment.uri);
    return { address: deployment.uri };
  },
  META0005: () => announcing(manifestOf([{ ...GREETER, name: "restateGreeter" }])),
  async META0006(stage) {
    const { address } = await announcing(manifestOf([TWO_HANDLERS]));
    await stage.register(address);
    return announcing(manifestOf([GREETER]));
  },
  META0012: () => announcing(manifestOf([GREETER], { minProtocolVersion: 1, maxProtocolVersion: 4 })),
  META0013: () => announcing({ services: [] }),
  async META0014() {
    return { address: (await startFrameDeployment(undefined, "http1.1 in the clear")).uri };
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
    return { address: ARN };
  },
  /** An update puts two deployments at one address. */
  async META0017(stage) {
    const [first, second] = [await startFrameDeployment(), await startFrameDeployment()];
    const { body } = await stage.register(first.uri);
    await stage.register(second.uri);
    await stage.admin("PUT", `deployments/${String(body["id"])}`, { uri: second.uri });
    return { address: second.uri, force: true };
  },
};

function store(dataDir: string, kind: "meta" | "journal", file: string, content: string): void {
  mkdirSync(join(dataDir, kind), { recursive: true });
  writeFileSync(join(dataDir, kind, file), content);
}

/**
 * Makes the command load a module in which each mkdir fails with a system error. A test cannot cause the errors itself: root
 * passes each check of permissions, and a test does not fill a disk.
 */
function failingMkdir(code: string, words: string): Readonly<Record<string, string>> {
  const program = `
    import files from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    files.mkdir = async (path) => {
      throw Object.assign(new Error("${code}: ${words}, mkdir '" + path + "'"), { code: "${code}", syscall: "mkdir" });
    };
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}

/** The environment of the command for codes that a data directory and flags alone cannot cause. */
export const REFUSED_START_ENVIRONMENTS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  RT0900: failingMkdir("EACCES", "permission denied"),
  RT0902: failingMkdir("ENOSPC", "no space left on device"),
};

/**
 * Each function prepares a data directory or flags with which a start is refused.
 * @returns flags of `stepwell dev` in addition to `--data-dir`
 */
export const REFUSED_STARTS: Partial<Record<ErrorCode, (dataDir: string) => Promise<readonly string[]>>> = {
  async META0005(dataDir) {
    const stage = await openStage({ "data-dir": dataDir });
    await stage.register((await startFrameDeployment()).uri);
    await damageDeployment(stage);
    await stage.local.stop();
    return [];
  },
  async META0010(dataDir) {
    store(dataDir, "meta", "VERSION", JSON.stringify({ format: 99, kind: "meta" }));
    return [];
  },
  async META0011(dataDir) {
    store(dataDir, "meta", "something", "left behind");
    return [];
  },
  async RT0002(dataDir) {
    writeFileSync(join(dataDir, "stepwell.toml"), "[worker.invoker]\nabort_timeout = 5\n");
    return ["--config-file", join(dataDir, "stepwell.toml")];
  },
  async RT0004() {
    const holder = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void holder.close());
    await once(holder, "listening");
    return ["--admin-port", String((holder.address() as AddressInfo).port)];
  },
  async RT0005(dataDir) {
    await openStage({ "data-dir": dataDir });
    return [];
  },
  async RT0900() {
    return [];
  },
  async RT0901(dataDir) {
    writeFileSync(join(dataDir, "meta"), "");
    return [];
  },
  async RT0902() {
    return [];
  },
  async RT0009(dataDir) {
    store(dataDir, "journal", "VERSION", JSON.stringify({ format: 99, kind: "journal" }));
    return [];
  },
};
