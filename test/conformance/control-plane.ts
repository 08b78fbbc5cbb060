/** The control plane under test: one in this process on an empty directory, or one that runs elsewhere. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startLocalProcess } from "../../functions/local/local-process.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { processLog } from "../../shared/wiring/process-log.ts";
import type { Deployment } from "./deployment.ts";
import { fetch, knowAdmin } from "../harness/local/admin-access.ts";

export interface ControlPlane {
  /** The address of the ingress, without a trailing slash. */
  readonly ingressUri: string;
  /** The address of the admin API, without a trailing slash. */
  readonly adminUri: string;
  register(deployment: Deployment): Promise<void>;
  stop(): Promise<void>;
}

/** Set both to run the tests against a control plane elsewhere, such as the reference server. */
const RUNNING_INGRESS = process.env["CONFORMANCE_INGRESS_URI"];
const RUNNING_ADMIN = process.env["CONFORMANCE_ADMIN_URI"];

/**
 * How long an attempt keeps its exchange open if its deployment allows that: not at all, to the end of the attempt, or until a
 * short wait leads to a half-close.
 */
export type Openness = "closed" | "open" | "half-closing";

const FLAGS: Readonly<Record<Openness, Readonly<Record<string, string>>>> = {
  closed: { "worker.invoker.open-exchanges": "false" },
  open: { "worker.invoker.open-exchanges": "true" },
  "half-closing": { "worker.invoker.open-exchanges": "true", "worker.invoker.inactivity-timeout": "3ms" },
};

/** @param openness the openness of attempts; a control plane elsewhere ignores it */
export async function startControlPlane(openness: Openness = "open"): Promise<ControlPlane> {
  if (RUNNING_INGRESS === undefined || RUNNING_ADMIN === undefined) return startOwn(openness);
  return controlPlane(RUNNING_INGRESS, RUNNING_ADMIN, async () => {});
}

async function startOwn(openness: Openness): Promise<ControlPlane> {
  const dataDir = await mkdtemp(join(tmpdir(), "stepwell-conformance-"));
  const flags = {
    "data-dir": dataDir,
    "ingress.port": "0",
    "admin.port": "0",
    "log.level": "error",
    ...FLAGS[openness],
  };
  const { settings } = readSettings({ environment: {}, flags });
  const log = processLog(settings, (line) => void process.stderr.write(line));
  const local = await startLocalProcess(settings, "0.0.0", log);
  knowAdmin(local.adminUrl, local.adminToken);
  return controlPlane(local.ingressUrl.replace(/\/$/, ""), local.adminUrl.replace(/\/$/, ""), async () => {
    await local.stop();
    await rm(dataDir, { recursive: true });
  });
}

function controlPlane(ingressUri: string, adminUri: string, stop: () => Promise<void>): ControlPlane {
  return { ingressUri, adminUri, register: (deployment) => register(adminUri, deployment), stop };
}

/** @throws Error with the answer of the admin API if the API refuses the deployment */
async function register(adminUri: string, { uri, carrier }: Deployment): Promise<void> {
  const response = await fetch(`${adminUri}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri, use_http_11: carrier === "http1.1", force: true }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`the deployment was refused with ${response.status}: ${answer}`);
}
