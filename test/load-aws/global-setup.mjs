/**
 * Deploys the targets of the load: a control plane with a queue that doubles, delays and loses messages, and a function with
 * handlers.
 */
import { join } from "node:path";
import { bundleFunctions } from "../../infra/build/bundle.mjs";
import { bootstrap, clientEnvironment, deploy, emulatorContext } from "../../localstack/deploy.mjs";
import { deployHandlers } from "../../localstack/handlers.mjs";
import { localApi } from "../../localstack/signed-request.mjs";

const CACHE = join(import.meta.dirname, "../../.cache/load-aws");
const HANDLERS = "stepwell-load-handlers";

/** The times are short, because a run takes minutes. The listing age exceeds the lease, as it does by default. */
const SHORT = {
  "worker.lease": "8s",
  "worker.check-interval": "20s",
  "sweeper.listing-age": "30s",
  "aws.allowed-addresses": "loopback",
  "default-retry-policy.initial-interval": "200ms",
};

export async function setup(project) {
  const endpoint = process.env.STEPWELL_LOAD_ENDPOINT;
  if (endpoint === undefined) throw new Error("run this suite by `npm run test:load-aws`");
  await bootstrap(endpoint);
  const handlerArn = await deployHandlers({
    endpoint,
    name: "StepwellLoadHandlers",
    functionName: HANDLERS,
    entry: "test/load-aws/handlers/lambda.ts",
  });
  const code = join(CACHE, "faulty");
  const entries = ["ingress", "admin", "worker", "sweeper"].map((name) => [name, `test/load-aws/faulty/${name}.ts`]);
  await bundleFunctions({ ...Object.fromEntries(entries), keys: "functions/keys/lambda.ts" }, code);
  const settings = JSON.stringify(SHORT);
  const context = { ...emulatorContext(HANDLERS), "worker-concurrency": "4", "code-folder": code, settings };
  const outputs = await deploy({ endpoint, name: "StepwellLoad", context });
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = clientEnvironment(endpoint);
  const plain = {
    outputs,
    credentials: { accessKeyId, secretAccessKey },
    ingress: localApi(outputs.IngressUrl, endpoint),
    admin: localApi(outputs.AdminUrl, endpoint),
  };
  const emulatorPid = Number(process.env.STEPWELL_LOAD_EMULATOR_PID);
  // This suite uses modules of test/e2e-aws. They count their requests in a file, and this suite discards the counts.
  project.provide("emulators", [{ endpoint, emulatorPid, countsFile: "/dev/null", handlerArn, plain, doubled: plain }]);
}
