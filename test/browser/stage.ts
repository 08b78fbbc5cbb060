/** The stage of one test file: a real local process, a deployment with the real SDK, and a browser. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { afterAll, afterEach, expect, inject } from "vitest";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { SERVICES } from "../harness/browser/services.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { openBrowser, type Tab, type TabOptions } from "./tab.mjs";
import { fetch, knowAdmin, signInUrl } from "../harness/local/admin-access.ts";

declare module "vitest" {
  export interface ProvidedContext {
    readonly chromiumPath: string;
    readonly screensFolder: string;
  }
}

type Services = Parameters<typeof createEndpointHandler>[0]["services"];

export interface Stage {
  /** Without a slash at the end. */
  readonly adminUrl: string;
  readonly ingressUrl: string;
  /** The running deployment, which is not registered yet. */
  readonly deploymentUrl: string;
  /** Registers the deployment. @returns its id */
  register(): Promise<string>;
  openTab(options?: TabOptions): Promise<Tab>;
  /** A request to the admin API. @throws Error if its status is no success */
  ask(method: string, path: string, body?: unknown): Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** A request to the ingress. @throws Error if its status is no success */
  call(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<any>; // oxlint-disable-line typescript/no-explicit-any
  /** Sends, and waits for the status. @returns the id */
  send(path: string, body: unknown, status: string): Promise<string>;
  untilStatus(id: string, status: string): Promise<void>;
}

const POLL_EVERY_MS = 25;

/**
 * Opens the stage for the tests of a file; it closes after the last one. After each test, the tabs must be free of
 * complaints; then they are closed.
 */
export async function openStage(services: Services = SERVICES): Promise<Stage> {
  const closings: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
  });
  const tabs: Tab[] = [];
  afterEach(async () => {
    const complaints = tabs.flatMap((tab) => tab.complaints);
    for (const tab of tabs.splice(0)) await tab.close();
    expect(complaints).toEqual([]);
  });
  const dir = await mkdtemp(join(tmpdir(), "stepwell-browser-"));
  closings.push(() => rm(dir, { recursive: true, force: true }));
  const deploymentUrl = await openDeployment(services, closings);
  const flags = { "data-dir": dir, "ingress.port": "0", "admin.port": "0", "log.level": "error" };
  const { settings } = readSettings({ environment: {}, flags });
  const local = await startLocalProcess(
    settings,
    "0.0.0",
    processLog(settings, () => {}),
  );
  closings.push(() => local.stop());
  knowAdmin(local.adminUrl, local.adminToken);
  const browser = await openBrowser(inject("chromiumPath"), signInUrl);
  closings.push(() => browser.close());
  const [adminUrl, ingressUrl] = [local.adminUrl, local.ingressUrl].map((url) => url.replace(/\/$/, ""));
  const stage: Stage = {
    adminUrl: adminUrl!,
    ingressUrl: ingressUrl!,
    deploymentUrl,
    async register() {
      return (await stage.ask("POST", "/deployments", { uri: deploymentUrl, use_http_11: true })).id as string;
    },
    async openTab(options) {
      const tab = await browser.openTab(local.adminUrl, options);
      tabs.push(tab);
      return tab;
    },
    ask: (method, path, body) => request(method, `${adminUrl}${path}`, body),
    call: (path, body, headers) => request("POST", `${ingressUrl}${path}`, body, headers),
    async send(path, body, status) {
      const { invocationId } = await stage.call(path, body);
      await stage.untilStatus(invocationId, status);
      return invocationId as string;
    },
    async untilStatus(id, status) {
      for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs;) {
        if ((await stage.ask("GET", `/invocations/${id}`)).status === status) return;
        await sleep(POLL_EVERY_MS);
      }
      throw new Error(`${id} has not become ${status}`);
    },
  };
  return stage;
}

async function openDeployment(services: Services, closings: (() => unknown)[]): Promise<string> {
  const deployment = createServer(createEndpointHandler({ services, logger: () => {} }));
  await new Promise<void>((resolve) => deployment.listen(0, "127.0.0.1", resolve));
  closings.push(() => {
    deployment.closeAllConnections();
    deployment.close();
  });
  return `http://127.0.0.1:${(deployment.address() as AddressInfo).port}/`;
}

async function request(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text}`);
  return text === "" ? undefined : (JSON.parse(text) as unknown);
}
