/**
 * `npm run localstack`: the control plane on an emulated AWS with an example; with `--app`, a CDK app of one's own; with `--test`, the
 * test suite over HTTP.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { bootstrap, clientEnvironment, deploy, emulatorContext } from "./deploy.mjs";
import { startEmulator } from "./emulator.mjs";
import { deployHandlers, register } from "./handlers.mjs";
import { deployOwnApp } from "./own-app.mjs";
import { localAddress, localApi } from "./signed-request.mjs";

const ROOT = join(import.meta.dirname, "..");
const PORT_UNLESS_TOLD = "4566";
const EXAMPLE = { name: "StepwellExample", functionName: "stepwell-example", entry: "localstack/example/greeter.ts" };
const isTest = process.argv.includes("--test");
const portAt = process.argv.indexOf("--port");
// Suites may run in parallel, so each takes a free port.
const port = portAt === -1 ? (isTest ? "0" : PORT_UNLESS_TOLD) : (process.argv[portAt + 1] ?? "");
if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
  console.error("--port takes a port, or 0 for one that is free.");
  process.exit(2);
}
const appAt = process.argv.indexOf("--app");
const ownApp = appAt === -1 ? undefined : (process.argv[appAt + 1] ?? "");
if (ownApp === "" || ownApp?.startsWith("--")) {
  console.error('--app takes the command of a CDK app, such as --app "npx tsx app.ts".');
  process.exit(2);
}
/** For an emulator whose schedules never fire: a distant wake goes through the queue in several hops. */
const ladder = process.argv.includes("--ladder") ? { settings: JSON.stringify({ "aws.timers": "ladder" }) } : {};

/** The suite mostly waits, so its files run in parallel. Each file has an emulator that no other file uses meanwhile. */
const TEST_EMULATORS = 2;

/** The certificate of the authority that signs the certificates of the suite's TLS deployments. */
const TEST_CA = join(ROOT, "test/harness/https/fixtures/test-only-ca.pem");

/** Uses the emulator at AWS_ENDPOINT_URL, or starts one emulator, or starts the emulators of the test suite. */
async function emulators() {
  const named = process.env.AWS_ENDPOINT_URL;
  if (named !== undefined && named !== "") return [{ endpoint: named, stop: async () => undefined }];
  const running = [];
  for (let left = isTest && port === "0" ? TEST_EMULATORS : 1; left > 0; left--) {
    try {
      const started = await startEmulator(Number(port), isTest ? { trusts: TEST_CA } : {});
      console.log(`${started.name} answers on ${started.endpoint}; its log is ${started.logFile}`);
      running.push(started);
    } catch (error) {
      await Promise.all(running.map(({ stop }) => stop()));
      throw error;
    }
  }
  return running;
}

/** A listener of signals alone does not keep the process running, and an emulator of others is no child of it. */
async function untilInterrupted() {
  const keepsRunning = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  clearInterval(keepsRunning);
}

/** npm runs this program in the folder of the repository, and tells the folder of the user. */
async function stayWithOwnApp(endpoint) {
  await bootstrap(endpoint);
  console.log(`Deploying ${ownApp} ...`);
  const folder = process.env.INIT_CWD ?? process.cwd();
  const stacks = Object.entries(await deployOwnApp({ endpoint, app: ownApp, folder }));
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = clientEnvironment(endpoint);
  const lines = stacks.flatMap(([stack, outputs]) =>
    Object.entries(outputs).map(([name, value]) => `  ${stack}.${name} = ${value}`),
  );
  const [ingress, admin] = ["IngressUrl", "AdminUrl"].map((name) =>
    stacks.map(([, outputs]) => outputs[name]).find(Boolean),
  );
  console.log(`
Ready. The outputs of the stacks:
${lines.join("\n")}

Call a handler of an ingress behind IAM:
  curl --aws-sigv4 aws:amz:us-east-1:execute-api --user ${id}:${secret} ${ingress ?? "<IngressUrl>"}/<service>/<handler> --json '"…"'

Give the stepwell command a port that signs for the admin API:
  AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=${id} AWS_SECRET_ACCESS_KEY=${secret} stepwell proxy --to ${admin ?? "<AdminUrl>"}

Ctrl-C ends it${process.env.AWS_ENDPOINT_URL ? ", and leaves the emulator as it is" : " and the emulator"}.`);
  await untilInterrupted();
}

async function stay(endpoint) {
  await bootstrap(endpoint);
  console.log("Deploying the control plane and the example ...");
  const context = { ...emulatorContext(EXAMPLE.functionName), ...ladder };
  const outputs = await deploy({ endpoint, name: "Stepwell", context });
  const arn = await deployHandlers({ endpoint, ...EXAMPLE });
  const admin = localApi(outputs.AdminUrl, endpoint);
  const environment = clientEnvironment(endpoint);
  const [accessKeyId, secretAccessKey] = [environment.AWS_ACCESS_KEY_ID, environment.AWS_SECRET_ACCESS_KEY];
  await register(admin, { accessKeyId, secretAccessKey }, { arn });
  const [ingressUrl, adminUrl] = [outputs.IngressUrl, outputs.AdminUrl].map((url) => localAddress(url, endpoint));
  console.log(invitation(ingressUrl, adminUrl, `${accessKeyId}:${secretAccessKey}`));
  await untilInterrupted();
}

function invitation(ingress, admin, user) {
  const json = "-H 'content-type: application/json'";
  const signed = `--aws-sigv4 aws:amz:us-east-1:execute-api --user ${user}`;
  return `
Ready. Ingress: ${ingress}   Admin: ${admin}
Try, in another terminal:

  Call a handler, which is a Lambda function:
    curl ${ingress}/greeter/greet ${json} -d '"Ada"'

  Let one sleep for a while, and ask for its result by an idempotency key:
    curl ${ingress}/greeter/remind/send ${json} -H 'idempotency-key: tea' -d '{"name":"Ada","seconds":5}'
    curl ${ingress}/restate/invocation/greeter/remind/tea/attach

  See what is registered; the admin API takes signed requests only:
    curl ${signed} ${admin}/services

  Give the stepwell command a port that signs for it:
    AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=${user.split(":")[0]} AWS_SECRET_ACCESS_KEY=${user.split(":")[1]} stepwell proxy --to ${admin}

Ctrl-C ends it${process.env.AWS_ENDPOINT_URL ? ", and leaves the emulator as it is" : " and the emulator"}.`;
}

/** @returns the exit code of the suite */
async function test(running) {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const isOurs = (at) => process.argv[at] === "--test" || (portAt !== -1 && (at === portAt || at === portAt + 1));
  const args = process.argv.filter((_, at) => at >= 2 && !isOurs(at));
  const tests = spawn(process.execPath, [vitest, "run", "--config", "test/e2e-aws/vitest.config.ts", ...args], {
    cwd: ROOT,
    stdio: "inherit",
    env: {
      ...process.env,
      ...clientEnvironment(running[0].endpoint),
      STEPWELL_E2E_EMULATORS: JSON.stringify(running.map(({ endpoint, pid = 0 }) => ({ endpoint, pid }))),
    },
  });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => tests.kill(signal));
  const [code] = await once(tests, "exit");
  return code ?? 1;
}

if (isTest && process.env.STEPWELL_SKIP_E2E_AWS === "1") {
  console.log("skipped, because STEPWELL_SKIP_E2E_AWS is 1");
  console.log("0 passed, 0 failed, 1 skipped");
  process.exit();
}
const running = await emulators().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
try {
  if (isTest) process.exitCode = await test(running);
  else if (ownApp !== undefined) await stayWithOwnApp(running[0].endpoint);
  else await stay(running[0].endpoint);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await Promise.all(running.map(({ stop }) => stop()));
}
