/**
 * Subscriptions on AWS, as far as the emulator goes: it has aliases of functions, and no event source mappings of Kafka. So the
 * test calls the alias of the topics function with an event, as Lambda does.
 */
import { InvokeCommand, LambdaClient, ListAliasesCommand } from "@aws-sdk/client-lambda";
import type { Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SubscriptionBody } from "../../shared/api/contract/topics.ts";
import { eventRecord, kafkaEvent } from "../functions/topics/recorded-event.ts";
import type { KafkaEvent } from "../../shared/wiring/deliver-records.ts";
import { aws, ControlPlane, until } from "./control-plane.ts";
import { serveHandlers } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const FunctionName = aws.plain.outputs["TopicsFunction"]!;
const lambda = new LambdaClient({
  region: "us-east-1",
  endpoint: aws.endpoint,
  credentials: aws.plain.credentials,
});
const ran: string[] = [];

beforeAll(async () => {
  const note = async (ctx: Context, value: string) => {
    await ctx.run("note", () => void ran.push(value));
  };
  await plane.register({ uri: await serveHandlers("fromTopic", { note }) });
});
afterAll(() => lambda.destroy());

async function asked(method: string, path: string, body?: unknown) {
  const { status, text } = await plane.askAdmin({
    method,
    path,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { status, body: (text === "" ? undefined : JSON.parse(text)) as SubscriptionBody };
}

async function aliases(): Promise<readonly string[]> {
  const { Aliases = [] } = await lambda.send(new ListAliasesCommand({ FunctionName }));
  return Aliases.map(({ Name }) => Name!);
}

async function deliver(alias: string, event: KafkaEvent): Promise<unknown> {
  const asked = { FunctionName: `${FunctionName}:${alias}`, Payload: JSON.stringify(event) };
  const { Payload, FunctionError } = await lambda.send(new InvokeCommand(asked));
  const answer: unknown = JSON.parse(new TextDecoder().decode(Payload));
  return FunctionError === undefined ? answer : { FunctionError, ...(answer as object) };
}

test("a subscription gets an alias, its records invoke the handler once, and its end removes the alias", async () => {
  const wanted = { source: "kafka://main/orders", sink: "service://fromTopic/note" };
  const { status, body } = await asked("POST", "/subscriptions", wanted);
  expect([status, body]).toMatchObject([201, { id: expect.any(String) }]);
  const alias = `${body.id}-0`;
  expect(await aliases()).toEqual([alias]);
  // The refusal of the emulator, which reads no topics, reaches the operator.
  const shown = await asked("GET", `/subscriptions/${body.id}`);
  expect(shown.body).toMatchObject({
    status: "failing",
    last_error: { message: expect.stringMatching(/event.?source/i) },
  });

  const event = kafkaEvent(
    eventRecord(0, 0, "a", '"one"'),
    eventRecord(0, 1, "a", '"two"'),
    eventRecord(1, 5, "b", '"three"'),
  );
  expect(await deliver(alias, event)).toEqual({ accepted: 3 });
  expect(await deliver(alias, event)).toEqual({ accepted: 0 });
  await until("all handlers have run", async () => (ran.length >= 3 ? true : undefined));
  expect(ran.toSorted()).toEqual(["one", "three", "two"]);

  await asked("PATCH", `/subscriptions/${body.id}`, { paused: true });
  expect(await deliver(alias, kafkaEvent(eventRecord(0, 2, "a", '"four"')))).toMatchObject({
    FunctionError: "Unhandled",
    errorMessage: expect.stringContaining("is paused"),
  });
  expect((await asked("DELETE", `/subscriptions/${body.id}`)).status).toBe(202);
  expect(await aliases()).toEqual([]);
});
