/**
 * Deploys two control planes and a function with handlers to each emulator; prints at the end what the suite has used.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFunctions } from "../../infra/build/bundle.mjs";
import { assemblyOf, bootstrap, clientEnvironment, deploy, emulatorContext } from "../../localstack/deploy.mjs";
import { deployHandlers } from "../../localstack/handlers.mjs";
import { NAMES_TESTS } from "../rotation.ts";
import { chromiumPath, installPackages } from "../harness/browser/chromium.mjs";
import { localApi, send } from "../../localstack/signed-request.mjs";

const CACHE = join(import.meta.dirname, "../../.cache/e2e-aws");
const HANDLERS = "stepwell-e2e-handlers";
const COUNTS = join(CACHE, "counts");
const COUNTED = ["function deployed", "request", "schedule fired"];
/** A part of the rotation may have no long sleep, so schedules need not fire. */
const MUST_COUNT = ["function deployed", "request"];

/** Settings that shorten the delays to seconds, and that allow deployments on the loopback. */
const SHORT = {
  "worker.lease": "3s",
  "worker.queue-delay": "4s",
  "worker.check-interval": "5s",
  "sweeper.listing-age": "2s",
  "aws.ingress-time": "5s",
  // On a busy machine an attempt of a healthy service may take two seconds; the service must not count as slow for that.
  "aws.slow-from": "3s",
  "aws.allowed-addresses": "loopback",
  "default-retry-policy.initial-interval": "200ms",
};

/** No broker is there: the emulator reads no topics. */
const CLUSTERS = [{ name: "main", bootstrapServers: ["127.0.0.1:9092"] }];

export async function setup(project) {
  installPackages(join(import.meta.dirname, "../browser"), "playwright-core");
  project.provide("chromiumPath", chromiumPath());
  const emulators = JSON.parse(process.env.STEPWELL_E2E_EMULATORS ?? "[]");
  const endpoints = emulators.map(({ endpoint }) => endpoint);
  if (endpoints.length === 0) throw new Error("run this suite by `npm run localstack -- --test`");
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(COUNTS, "");
  await timed("bootstrapped", async () => {
    for (const endpoint of endpoints) await bootstrap(endpoint);
  });
  const name = "StepwellE2eHandlers";
  const entry = "test/e2e-aws/handlers/lambda.ts";
  const handlers = await timed("the handlers are deployed", async () => {
    const first = deployHandlers({ endpoint: endpoints[0], name, functionName: HANDLERS, entry });
    const more = await first.then(() => deployedAgain(endpoints, name));
    return [await first, ...more.map(({ HandlerArn }) => HandlerArn)];
  });
  const plain = await timed("the control plane is deployed", () =>
    controlPlanes(endpoints, "StepwellE2e", SHORT, { "kafka-clusters": JSON.stringify(CLUSTERS) }),
  );
  await tellColdStart("admin", plain[0].admin, { path: "/version", credentials: plain[0].credentials });
  await tellColdStart("ingress", plain[0].ingress, { path: "/restate/health" });
  const doubledCode = join(CACHE, "doubled");
  const names = ["ingress", "admin", "worker", "sweeper"];
  const doubledEntries = Object.fromEntries(names.map((n) => [n, `test/e2e-aws/doubled/${n}.ts`]));
  await bundleFunctions({ ...doubledEntries, keys: "functions/keys/lambda.ts" }, doubledCode);
  const doubled = await timed("the control plane on ladders and a doubling queue is deployed", () =>
    controlPlanes(endpoints, "StepwellDoubled", { ...SHORT, "aws.timers": "ladder" }, { "code-folder": doubledCode }),
  );
  // Functions: five of each of the two control planes, the one that reads topics, and the one with the handlers.
  writeFileSync(COUNTS, "function deployed\n".repeat(12 * endpoints.length));
  const deployed = emulators.map(({ endpoint, pid }, at) => ({
    endpoint,
    emulatorPid: pid,
    countsFile: COUNTS,
    handlerArn: handlers[at],
    plain: plain[at],
    doubled: doubled[at],
  }));
  project.provide("emulators", deployed);
}

export function teardown() {
  const lines = readFileSync(COUNTS, "utf8").split("\n");
  const counts = new Map(COUNTED.map((what) => [what, lines.filter((line) => line === what).length]));
  console.log([...counts].map(([what, count]) => `${what}: ${count}`).join(", "));
  const missing = MUST_COUNT.filter((what) => counts.get(what) === 0);
  // A file that is run by hand may make no request of its own.
  if (missing.length === 0 || NAMES_TESTS) return;
  // Vitest prints what a teardown throws, and ends as if it had not.
  process.exitCode = 1;
  throw new Error(`the suite proves nothing, because these never happened: ${missing.join(", ")}`);
}

/** Deploys the assembly of the first emulator to each further emulator. @returns the outputs of the stack on each of these */
async function deployedAgain(endpoints, name) {
  const outputs = [];
  for (const endpoint of endpoints.slice(1)) outputs.push(await deploy({ endpoint, name, app: assemblyOf(name) }));
  return outputs;
}

async function controlPlanes(endpoints, name, settings, more = {}) {
  const context = {
    ...emulatorContext(HANDLERS),
    "worker-concurrency": "4",
    settings: JSON.stringify(settings),
    ...more,
  };
  const first = await deploy({ endpoint: endpoints[0], name, context });
  const all = [first, ...(await deployedAgain(endpoints, name))];
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = clientEnvironment(endpoints[0]);
  return all.map((outputs, at) => ({
    outputs,
    credentials: { accessKeyId, secretAccessKey },
    ingress: localApi(outputs.IngressUrl, endpoints[at]),
    admin: localApi(outputs.AdminUrl, endpoints[at]),
  }));
}

/** Prints how long a function that has never run takes for its first and its second answer. */
async function tellColdStart(name, api, request) {
  const tookMs = [];
  for (const _ of ["cold", "warm"]) {
    const startedMs = performance.now();
    const { status, text } = await send(api, request);
    if (status !== 200) throw new Error(`the ${name} function answered ${status}: ${text}`);
    tookMs.push(Math.round(performance.now() - startedMs));
  }
  console.log(`the ${name} function answers cold after ${tookMs[0]} ms, warm after ${tookMs[1]} ms`);
}

async function timed(what, work) {
  const startedMs = Date.now();
  const made = await work();
  console.log(`${what} after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  return made;
}
