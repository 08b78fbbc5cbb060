/** A control plane and its handlers in one stack, whose table is lost and restored under another name. */
import {
  DescribeTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateContinuousBackupsCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { RemovalPolicy } from "aws-cdk-lib";
import { beforeAll, expect, test } from "vitest";
import { localApi } from "../../localstack/signed-request.mjs";
import { TABLE_FACTS } from "../../shared/config/table-facts.ts";
import { aws, ControlPlane, pause, until, type SentInvocation } from "./control-plane.ts";
import { startFunctions, stopFunctions } from "./stopped-functions.ts";
import { synthesiseShop } from "./deployments/shop-stack.ts";
import { assembly, bundleWhole, deployAssembly } from "./deployments/stacks.mjs";
import { timed } from "./deployments/timed.ts";
import { schedules, sweep, wipeHints } from "./hints.ts";

const STACK = "StepwellE2eWhole";
const RESTORED = `${STACK}-restored`;
const FUNCTION = "stepwell-e2e-whole";
const SETTINGS = {
  "worker.lease": "3s",
  "worker.queue-delay": "4s",
  "sweeper.listing-age": "2s",
  "aws.ingress-time": "5s",
} as const;

const dynamodb = new DynamoDBClient({});
let plane: ControlPlane;

beforeAll(async () => {
  const codeFolder = await timed("the product and the handlers are bundled", bundleWhole);
  const props = {
    ingressAuth: "open" as const,
    settings: SETTINGS,
    environmentName: STACK,
    handlerArns: [`arn:aws:lambda:us-east-1:000000000000:function:${FUNCTION}*`],
    scheduleArns: ["arn:aws:scheduler:us-east-1:000000000000:schedule/*"],
    workerConcurrencyMax: 4,
    sslOnly: false,
    alarms: false,
    removalPolicy: RemovalPolicy.DESTROY,
  };
  for (const [name, table] of Object.entries({ whole: {}, restored: { tableName: RESTORED } })) {
    synthesiseShop(assembly(name), {
      stackName: STACK,
      functionName: FUNCTION,
      version: "1",
      codeFolder,
      controlPlane: { props, ...table },
    });
  }
});

async function deployed(name: string): Promise<ControlPlane> {
  const outputs = await timed(`the stack on ${name} is deployed`, () => deployAssembly(aws.endpoint, name, STACK));
  const [ingress, admin] = [outputs["IngressUrl"]!, outputs["AdminUrl"]!].map((url) => localApi(url, aws.endpoint));
  return new ControlPlane({ outputs, credentials: aws.plain.credentials, ingress: ingress!, admin: admin! });
}

test("handlers are registered at the control plane that is deployed with them in one stack", async () => {
  plane = await deployed("whole");
  expect(await plane.answer("shop/version", undefined)).toBe("1");
});

test("after a restored table replaces the lost one: open work ends, completed work is kept, later work is gone", async () => {
  const { TableName: lost } = plane.stack.outputs;
  const ended = await orderNumber("ended");
  const order = await plane.send("shop/order", undefined);
  const naps = await Promise.all([plane.send("shop/nap", 10_000), plane.send("shop/nap", 15_000)]);
  const delayed = await plane.send("shop/version", undefined, "?delay=6s");
  expect(await plane.answer("shelf/blue/put", undefined)).toBe(1);
  await Promise.all([order, ...naps].map((id) => plane.untilStatus(id, "suspended")));

  await dynamodb.send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: lost!,
      TargetTableName: RESTORED,
      UseLatestRestorableTime: true,
    }),
  );
  const later = await plane.send("shop/version", undefined);
  expect(await plane.result(later)).toBe("1");
  await stopFunctions(plane.stack);
  expect((await plane.call("shop/version", undefined)).status).toBeGreaterThanOrEqual(429);
  await wipeHints(plane.stack);
  expect(await schedules(plane.stack)).toEqual([]);

  plane = await deployed("restored");
  expect(plane.stack.outputs["TableName"]).toBe(RESTORED);
  const describing = dynamodb.send(new DescribeTableCommand({ TableName: lost! }));
  await expect(describing).rejects.toThrow(/not found/i);

  const startedMs = Date.now();
  await startFunctions(plane.stack);
  console.log(`the sweeper found ${JSON.stringify(await sweep(plane.stack, { everything: true }))}`);
  await plane.send("shop/pay", order);
  const open = [order, ...naps, delayed];
  await until("all have ended", async () => {
    await sweep(plane.stack);
    await pause(1_000);
    const statuses = await Promise.all(open.map((id) => plane.status(id)));
    return statuses.every((status) => status === "completed") ? true : undefined;
  });
  console.log(
    `${open.length} open invocations ended ${((Date.now() - startedMs) / 1000).toFixed(1)} s after the deployment`,
  );
  const results = await Promise.all(open.map((id) => plane.result(id)));
  expect(results).toEqual(["begun by 1, paid, ended by 1", "awake", "awake", "1"]);
  expect(await orderNumber("ended")).toBe(ended);
  expect(await plane.answer("shelf/blue/put", undefined)).toBe(2);
  expect((await plane.askAdmin({ path: `/invocations/${later}` })).status).toBe(404);
});

test("the restored table gets the settings that its stack cannot set", async () => {
  const TimeToLiveSpecification = { Enabled: true, AttributeName: TABLE_FACTS.expiryAttribute };
  await dynamodb.send(new UpdateTimeToLiveCommand({ TableName: RESTORED, TimeToLiveSpecification }));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await dynamodb.send(new UpdateContinuousBackupsCommand({ TableName: RESTORED, PointInTimeRecoverySpecification }));
  expect(await plane.answer("shop/version", undefined)).toBe("1");
});

/** @returns an invocation id that follows from the key and the environment's secret; the id changes if the secret changes */
async function orderNumber(key: string): Promise<string> {
  const { text } = await plane.ask({
    method: "POST",
    path: "/shop/version/send",
    headers: { "idempotency-key": key },
  });
  return (JSON.parse(text) as SentInvocation).invocationId;
}
