/** The configuration of the four functions: memory, reserved concurrency, retries, and traces. */
import { expect, test } from "vitest";
import { actionsOf, resourcesOf, statementsOf, synthesised } from "./synthesised.ts";

const template = synthesised();
const NAMES = ["Ingress", "Admin", "Worker", "Sweeper"];
const functions = resourcesOf(template, "AWS::Lambda::Function");
const idOf = (name: string) =>
  functions.find(([id]) => new RegExp(`^StepwellFunctions${name}[0-9A-F]{8}$`).test(id))![0];

test("a failed or throttled pass of the sweeper is not retried: the next pass does its work", () => {
  const [rule] = resourcesOf(template, "AWS::Events::Rule");
  const [target] = rule![1].Properties["Targets"] as readonly { readonly RetryPolicy: unknown }[];
  expect(target!.RetryPolicy).toEqual({ MaximumRetryAttempts: 0 });
  const configs = resourcesOf(template, "AWS::Lambda::EventInvokeConfig").map(([, { Properties }]) => Properties);
  expect(configs).toEqual([
    {
      FunctionName: { Ref: idOf("Sweeper") },
      Qualifier: "$LATEST",
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 300,
    },
  ]);
});

test("sweeperMemoryMb sets the memory of the sweeper alone", () => {
  const sizes = resourcesOf(synthesised({ sweeperMemoryMb: 1769 }), "AWS::Lambda::Function").map(
    ([id, { Properties }]) => [id === idOf("Sweeper"), Properties["MemorySize"]],
  );
  expect(new Set(sizes.map(String))).toEqual(new Set(["true,1769", "false,512"]));
});

test("concurrency is reserved for the named functions, and by default for none", () => {
  const reservedIn = (of: typeof template) =>
    resourcesOf(of, "AWS::Lambda::Function").flatMap(([id, { Properties }]) => {
      const count = Properties["ReservedConcurrentExecutions"];
      return count === undefined ? [] : [[id, count]];
    });
  expect(reservedIn(template)).toEqual([]);
  const told = synthesised({ reservedConcurrency: { ingress: 300, sweeper: 2 } });
  expect(Object.fromEntries(reservedIn(told))).toEqual({ [idOf("Ingress")]: 300, [idOf("Sweeper")]: 2 });
});

test("all four functions send traces to X-Ray where the setting enables it, with no right beyond that", () => {
  const tracedIn = (of: typeof template) =>
    resourcesOf(of, "AWS::Lambda::Function").filter(([, { Properties }]) => Properties["TracingConfig"] !== undefined);
  expect(tracedIn(template)).toEqual([]);
  expect(statementsOf(template).filter(({ statement }) => actionsOf(statement)[0]!.startsWith("xray:"))).toEqual([]);
  const told = synthesised({ xray: true });
  expect(tracedIn(told).map(([id]) => id)).toEqual(NAMES.map(idOf));
  for (const [, { Properties }] of tracedIn(told)) expect(Properties["TracingConfig"]).toEqual({ Mode: "Active" });
  const sending = statementsOf(told).filter(({ statement }) => actionsOf(statement)[0]!.startsWith("xray:"));
  expect(sending.map(({ id }) => NAMES.find((name) => id.includes(`${name}Role`)))).toEqual(NAMES);
  expect(new Set(sending.flatMap(({ statement }) => actionsOf(statement)))).toEqual(
    new Set(["xray:PutTraceSegments", "xray:PutTelemetryRecords"]),
  );
});
