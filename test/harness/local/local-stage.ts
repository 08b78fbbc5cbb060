/** A local process inside the test process, on an empty data directory, with the given services, which the SDK serves. */
import "../../../examples/polyfill.mjs";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointHandler, type EndpointOptions } from "@restatedev/restate-sdk";
import { startLocalProcess, type LocalProcess } from "../../../functions/local/local-process.ts";
import { readSettings } from "../../../shared/config/settings.ts";
import type { SettingPath } from "../../../shared/config/settings-table.ts";
import { processLog } from "../../../shared/wiring/process-log.ts";
import { fetch, knowAdmin } from "./admin-access.ts";

export interface LocalStage {
  readonly local: LocalProcess;
  readonly dataDir: string;
  /** Neither this address nor `adminUri` ends with a slash. */
  readonly ingressUri: string;
  readonly adminUri: string;
  /** The address of the deployment, if the stage has services. */
  readonly endpointUri?: string;
  readonly ingressPort: number;
  readonly adminPort: number;
  /** Warnings and errors of the process so far. */
  readonly logged: readonly string[];
  /** Registers a deployment. @throws Error with the answer of the admin API if it refuses */
  register(uri: string, more?: object): Promise<void>;
  close(): Promise<void>;
}

export interface Listening {
  readonly uri: string;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly services?: EndpointOptions["services"];
  readonly flags?: Partial<Record<SettingPath, string>>;
}

const QUICK: Partial<Record<SettingPath, string>> = {
  "ingress.port": "0",
  "admin.port": "0",
  "log.level": "warn",
  "shutdown-timeout": "100ms",
};

export async function openLocalStage({ services, flags = {} }: StageOptions): Promise<LocalStage> {
  const dataDir = await mkdtemp(join(tmpdir(), "stepwell-e2e-"));
  const { settings } = readSettings({ environment: {}, flags: { ...QUICK, "data-dir": dataDir, ...flags } });
  const logged: string[] = [];
  const local = await startLocalProcess(
    settings,
    "0.0.0",
    processLog(settings, (line) => void (/^\S+ AUDIT /.test(line) || logged.push(line))),
  );
  knowAdmin(local.adminUrl, local.adminToken);
  const endpoint = services === undefined ? undefined : await listen(endpointServer(services));
  const { ingressUrl, adminUrl } = local;
  const stage: LocalStage = {
    local,
    dataDir,
    ingressUri: ingressUrl.slice(0, -1),
    adminUri: adminUrl.slice(0, -1),
    ...(endpoint && { endpointUri: endpoint.uri }),
    ingressPort: Number(new URL(ingressUrl).port),
    adminPort: Number(new URL(adminUrl).port),
    logged,
    async register(uri, more = {}) {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ uri, ...more });
      const response = await fetch(`${adminUrl}deployments`, { method: "POST", headers, body });
      if (!response.ok) throw new Error(`the deployment was refused: ${await response.text()}`);
    },
    async close() {
      await local.stop();
      await endpoint?.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  if (endpoint !== undefined) await stage.register(endpoint.uri);
  return stage;
}

function endpointServer(services: NonNullable<StageOptions["services"]>): Server {
  return createHttp2Server(createEndpointHandler({ services, logger: () => {} }));
}

/** Listens on a free port; closing ends its connections too. */
export async function listen(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}
