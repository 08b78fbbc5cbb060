/** Starts the deployment of the tests with large payloads and long journals, in a process of its own. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { Deployment } from "../deployment.ts";
import type { ProtocolVersion } from "../offered-version.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** Inside `node_modules`, so that the bundle finds its packages. */
const WORKSHOP = join(ROOT, "node_modules/.cache");

export async function startSeparateDeployment(version: ProtocolVersion): Promise<Deployment> {
  await mkdir(WORKSHOP, { recursive: true });
  const dir = await mkdtemp(join(WORKSHOP, "stepwell-large-"));
  const program = join(dir, "deployment.mjs");
  await build({
    entryPoints: [join(ROOT, "test/conformance/large/deployment.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
  const execArgv = ["--import", join(ROOT, "examples/polyfill.mjs")];
  const child = fork(program, [String(version)], { execArgv, stdio: "inherit" });
  const [port] = (await once(child, "message")) as [number];
  return {
    uri: `http://127.0.0.1:${port}`,
    carrier: "h2c",
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      await rm(dir, { recursive: true });
    },
  };
}
