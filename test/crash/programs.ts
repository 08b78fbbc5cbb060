/** The control plane and the deployment as programs, bundled as the product is, and their directory. */
import { mkdir, mkdtemp } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { builtInTexts } from "../../infra/build/built-in-texts.mjs";
import { knowAdminAt } from "../harness/local/admin-access.ts";

const ROOT = join(import.meta.dirname, "../..");
const POLYFILL = join(ROOT, "examples/polyfill.mjs");
/** Inside `node_modules`, so that a bundle finds its packages. */
const WORKSHOP = join(ROOT, "node_modules/.cache");

export interface Site {
  /** The directory with all files of the test. */
  readonly dir: string;
  readonly dataDir: string;
  readonly ledgerPath: string;
  readonly ingressUri: string;
  readonly adminUri: string;
  /** Arguments of `node`. */
  readonly controlPlane: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly deployment: readonly string[];
  readonly deploymentPort: number;
  /** A service of the deployment. */
  readonly service: string;
}

export interface Programs {
  /** The entry of the deployment's program, below the root of the repository. */
  readonly deployment?: string;
  /** A service of the deployment, whose presence shows that the deployment is registered. */
  readonly service?: string;
  /** The highest version that the deployment offers; if absent, the deployment offers all versions of the SDK. */
  readonly protocolVersion?: number;
  /** Variables of the control plane's process: settings, and what its preloaded module reads. */
  readonly environment?: Readonly<Record<string, string>>;
  /** A module that the process of the control plane loads before its program, below the root of the repository. */
  readonly preload?: string;
}

/** Bundles both programs into a new directory and finds free ports, which stay the same over all restarts. */
export async function prepareSite({
  deployment = "test/crash/deployment.ts",
  service = "Player",
  protocolVersion,
  preload,
  environment = {},
}: Programs = {}): Promise<Site> {
  await mkdir(WORKSHOP, { recursive: true });
  const dir = await mkdtemp(join(WORKSHOP, "stepwell-crash-"));
  await Promise.all([bundle(dir, "stepwell", "functions/cli/stepwell.ts"), bundle(dir, "deployment", deployment)]);
  const [ingressPort, adminPort, deploymentPort] = (await freePorts(3)) as [number, number, number];
  const dataDir = join(dir, "data");
  const ledgerPath = join(dir, "ledger.jsonl");
  const adminUri = `http://127.0.0.1:${adminPort}`;
  knowAdminAt(adminUri, dataDir);
  const ports = ["--ingress-port", String(ingressPort), "--admin-port", String(adminPort)];
  const offered = protocolVersion === undefined ? [] : [String(protocolVersion)];
  const preloaded = preload === undefined ? [] : ["--import", join(ROOT, preload)];
  const register = ["--register", `http://127.0.0.1:${deploymentPort}`];
  return {
    dir,
    dataDir,
    ledgerPath,
    ingressUri: `http://127.0.0.1:${ingressPort}`,
    adminUri,
    controlPlane: [
      ...preloaded,
      join(dir, "stepwell.js"),
      "dev",
      "--data-dir",
      dataDir,
      ...ports,
      ...register,
      "--json",
    ],
    environment,
    deployment: ["--import", POLYFILL, join(dir, "deployment.js"), String(deploymentPort), ledgerPath, ...offered],
    deploymentPort,
    service,
  };
}

/** Bundles with the options of `build.mjs`, so that the tests kill the program that users run. */
async function bundle(dir: string, out: string, entry: string): Promise<void> {
  await build({
    define: await builtInTexts(),
    entryPoints: [{ in: join(ROOT, entry), out }],
    outdir: dir,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    sourcemap: true,
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    logLevel: "error",
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once("listening", resolve))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
