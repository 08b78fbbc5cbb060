/** The stage: the reference server and Stepwell's local process with the same history, and one browser tab over each. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import { REFERENCE, startServer } from "../compat/contestants.mjs";
import { openBrowser, type Tab } from "./browser.mjs";
import { makeHistory, type Ids, type Server } from "./history.ts";
import { openOrigin } from "./origin.ts";
import { SERVICES } from "../harness/browser/services.ts";
import { knowAdmin } from "../harness/local/admin-access.ts";

export interface Side {
  readonly ids: Ids;
  readonly tab: Tab;
}

export interface Stage {
  readonly theirs: Side;
  readonly ours: Side;
  stop(): Promise<void>;
}

type Closing = () => unknown;

export async function openStage(chromiumPath: string): Promise<Stage> {
  const closings: Closing[] = [];
  const stop = async () => {
    for (const close of closings.splice(0).toReversed()) await close();
  };
  try {
    const dir = await mkdtemp(join(tmpdir(), "stepwell-reference-ui-"));
    closings.push(() => rm(dir, { recursive: true, force: true }));
    const deploymentUrl = await openDeployment(closings);
    const [reference, local, browser] = await Promise.all([
      startServer(REFERENCE, dir),
      startStepwell(dir),
      openBrowser(chromiumPath),
    ]);
    closings.push(reference.stop, local.stop, browser.close);
    const side = async (server: Server): Promise<Side> => {
      const ids = await makeHistory(server, deploymentUrl);
      const origin = await openOrigin(reference.adminUrl, server.adminUrl);
      closings.push(origin.close);
      return { ids, tab: await browser.openTab(origin) };
    };
    const [theirs, ours] = await Promise.all([side(reference), side(local)]);
    return { theirs, ours, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startStepwell(dir: string): Promise<Server & { stop: Closing }> {
  const flags = { "data-dir": join(dir, "ours"), "ingress.port": "0", "admin.port": "0", "log.level": "error" };
  const { settings } = readSettings({ environment: {}, flags });
  const log = processLog(settings, () => {});
  const { ingressUrl, adminUrl, adminToken, stop } = await startLocalProcess(settings, "0.0.0", log);
  knowAdmin(adminUrl, adminToken);
  return { ingressUrl: ingressUrl.replace(/\/$/, ""), adminUrl: adminUrl.replace(/\/$/, ""), stop };
}

async function openDeployment(closings: Closing[]): Promise<string> {
  const deployment = createServer(createEndpointHandler({ services: SERVICES, logger: () => {} }));
  await new Promise<void>((resolve) => deployment.listen(0, "127.0.0.1", resolve));
  closings.push(() => {
    deployment.closeAllConnections();
    deployment.close();
  });
  return `http://127.0.0.1:${(deployment.address() as AddressInfo).port}/`;
}
