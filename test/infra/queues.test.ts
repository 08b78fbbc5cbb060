/** The queues of a stack and the event sources over them, read from its template. */
import { expect, test } from "vitest";
import { variableOf } from "../../shared/config/setting-names.ts";
import { SETTINGS } from "../../shared/config/settings-table.ts";
import { resourcesOf, synthesised } from "./synthesised.ts";

const template = synthesised();
const queues = resourcesOf(template, "AWS::SQS::Queue");
const functions = resourcesOf(template, "AWS::Lambda::Function");
/** The number of functions, not counting the function that makes the environment's keys. */
const FUNCTIONS = 4;

test("every queue has a dead-letter queue, except the dead-letter queue itself", () => {
  const dead = queues.filter(([id]) => /Dlq/.test(id));
  expect(dead).toHaveLength(1);
  for (const [id, { Properties }] of queues) {
    const redrive = Properties["RedrivePolicy"] as { readonly maxReceiveCount: number } | undefined;
    if (/Dlq/.test(id)) expect(redrive).toBeUndefined();
    else expect(redrive?.maxReceiveCount).toBeGreaterThanOrEqual(5);
  }
});

test("the queues hide a message for at least the timeout of the worker", () => {
  const [, { Properties: worker }] = functions.find(([id]) => id.startsWith("StepwellFunctionsWorker"))!;
  for (const [id, { Properties }] of queues) {
    if (!/Dlq/.test(id)) expect(Properties["VisibilityTimeout"]).toBeGreaterThanOrEqual(Number(worker["Timeout"]));
  }
});

test("the queues are standard queues, which are unordered, and by default they are fair by service", () => {
  for (const [id, { Properties }] of queues) {
    expect(Properties["FifoQueue"], id).toBeUndefined();
    expect(Properties["ContentBasedDeduplication"], id).toBeUndefined();
  }
  expect(SETTINGS["aws.fair-queue"].fallback).toBe("service");
  synthesised({ settings: { "aws.fair-queue": "none" } }).resourcePropertiesCountIs(
    "AWS::Lambda::Function",
    { Environment: { Variables: { [variableOf("aws.fair-queue")]: "none" } } },
    FUNCTIONS,
  );
});

test("a limited number of workers read the queues in batches, and a failed message does not fail its batch", () => {
  template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    BatchSize: 10,
    ScalingConfig: { MaximumConcurrency: 100 },
  });
  synthesised({ workerConcurrencyMax: 7 }).hasResourceProperties("AWS::Lambda::EventSourceMapping", {
    ScalingConfig: { MaximumConcurrency: 7 },
  });
});

test("slow services have their own queue, with their own workers: by default half as many, and at least two", () => {
  const workersOf = (of: typeof template): object =>
    Object.fromEntries(
      resourcesOf(of, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => [
        (Properties["EventSourceArn"] as { "Fn::GetAtt": [string, string] })["Fn::GetAtt"][0].slice(0, -8),
        (Properties["ScalingConfig"] as { MaximumConcurrency: number }).MaximumConcurrency,
      ]),
    );
  const [main, slow] = ["StepwellWakesQueue", "StepwellWakesSlowQueue"];
  expect(workersOf(template)).toEqual({ [main]: 100, [slow]: 50 });
  expect(workersOf(synthesised({ workerConcurrencyMax: 3 }))).toEqual({ [main]: 3, [slow]: 2 });
  expect(workersOf(synthesised({ slowWorkerConcurrencyMax: 300 }))).toEqual({ [main]: 100, [slow]: 300 });
});

test("every function gets the address of the slow queue, so that each sender can choose the lane", () => {
  const [[slowId]] = queues.filter(([id]) => /SlowQueue/.test(id)) as [(typeof queues)[number]];
  template.resourcePropertiesCountIs(
    "AWS::Lambda::Function",
    { Environment: { Variables: { [variableOf("aws.slow-queue-url")]: { Ref: slowId } } } },
    FUNCTIONS,
  );
});
