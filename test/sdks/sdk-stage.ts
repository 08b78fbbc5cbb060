/** A stage for each SDK in each mode: its deployment, registered with a new control plane or with one that already runs. */
import { afterAll, beforeAll, describe, onTestFailed, beforeEach, test } from "vitest";
import { openLocalStage } from "../harness/local/local-stage.ts";
import { controlPlaneClient, type ControlPlaneClient } from "./control-plane-client.ts";
import {
  MODES,
  preparedSdks,
  startSdkDeployment,
  type Mode,
  type PreparedSdk,
  type SdkDeployment,
} from "./sdk-deployment.ts";
import { fetch } from "../harness/local/admin-access.ts";

export interface SdkStage {
  /** The name of the SDK, and of its folder. */
  readonly sdk: string;
  readonly mode: Mode;
  /** True if the tests (rows of `table.test.ts`) use a control plane that already runs, such as the reference server. */
  readonly elsewhere: boolean;
  readonly client: () => ControlPlaneClient;
}

/**
 * If a deployment's first answer is this late, the control plane may conclude that the deployment answers only after the end of a
 * request. It then sends only whole requests for a minute (`HEAD_PATIENCE_MS`). On a busy machine a process that has just started
 * can be this late.
 */
const LATE_HEAD_MS = 2_000;
const TRIES_MAX = 5;

interface ControlPlane {
  readonly client: ControlPlaneClient;
  register(uri: string, more: object): Promise<void>;
  close(): Promise<void>;
}

/** Set both to run the rows against a running control plane, such as the reference server. */
const ELSEWHERE_INGRESS = process.env["CONFORMANCE_INGRESS_URI"];
const ELSEWHERE_ADMIN = process.env["CONFORMANCE_ADMIN_URI"];

async function openControlPlane(): Promise<ControlPlane> {
  if (ELSEWHERE_INGRESS === undefined || ELSEWHERE_ADMIN === undefined) {
    const stage = await openLocalStage({});
    const client = controlPlaneClient(stage.ingressUri, stage.adminUri);
    return { client, register: (uri, more) => stage.register(uri, more), close: () => stage.close() };
  }
  return {
    client: controlPlaneClient(ELSEWHERE_INGRESS, ELSEWHERE_ADMIN),
    async register(uri, more) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ uri, ...more });
      const response = await fetch(`${ELSEWHERE_ADMIN}/deployments`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`the deployment was refused: ${await response.text()}`);
    },
    close: async () => {},
  };
}

/** @param rows a function that declares the tests; the client exists when the tests run, but not yet when `rows` is called */
export function onEachSdk(rows: (stage: SdkStage) => void): void {
  for (const sdk of preparedSdks()) {
    for (const mode of MODES) {
      const title = `${sdk.name} (${mode.mode} over ${mode.overHttp11 ? "HTTP/1.1" : "HTTP/2"})`;
      if ("start" in sdk) describe(title, () => onStage(sdk.name, mode, sdk.start, rows));
      else if ("skipped" in sdk) describe.skip(`${title}: ${sdk.skipped}`, () => onNoStage(sdk.name, mode, rows));
      else test(`${title} is built`, () => Promise.reject(new Error(sdk.failed)));
    }
  }
}

function onStage(
  sdk: string,
  mode: Mode,
  start: Extract<PreparedSdk, { start: unknown }>["start"],
  rows: (stage: SdkStage) => void,
): void {
  let deployment: SdkDeployment | undefined;
  let controlPlane: ControlPlane | undefined;
  beforeAll(async () => {
    deployment = await startSdkDeployment(start, mode.mode);
    for (let tries = 1; ; tries++) {
      controlPlane = await openControlPlane();
      await controlPlane.register(deployment.uri, { use_http_11: mode.overHttp11, force: true });
      const startedMs = performance.now();
      await controlPlane.client.call("/Greeter/greet", "Ada");
      if (performance.now() - startedMs < LATE_HEAD_MS || tries === TRIES_MAX) break;
      await controlPlane.close();
    }
  });
  beforeEach(() => {
    onTestFailed(() => console.log(`The deployment printed last:\n${deployment?.lastLines()}`));
  });
  afterAll(async () => {
    await controlPlane?.close();
    await deployment?.stop();
  });
  rows({ sdk, mode, elsewhere: ELSEWHERE_ADMIN !== undefined, client: () => controlPlane!.client });
}

/** Declares the rows so that they are counted as skipped. */
function onNoStage(sdk: string, mode: Mode, rows: (stage: SdkStage) => void): void {
  rows({
    sdk,
    mode,
    elsewhere: false,
    client: () => {
      throw new Error("there is no deployment to call");
    },
  });
}
