/** The published typed client with objects and workflows, against a local process. */
import * as clients from "@restatedev/restate-sdk-clients";
import type { Ingress } from "@restatedev/restate-sdk-clients";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { failureOf } from "./call-failure.ts";
import { CLIENT_SERVICES, counter, signup } from "./client-services.ts";

const { rpc, serde } = clients;
/** The JSON serde of the client, cast to a type that `exactOptionalPropertyTypes` accepts. */
const NUMBER = serde.json as clients.Serde<number>;

let stage: LocalStage;
let ingress: Ingress;
let keys = 0;

beforeAll(async () => {
  stage = await openLocalStage({ services: CLIENT_SERVICES });
  ingress = clients.connect({ url: stage.ingressUri });
});
afterAll(() => stage.close());

const newKey = (): string => `key ${++keys}`;

describe("an object", () => {
  it("keeps state by its key, which may contain any characters", async () => {
    for (const key of ["a/b", "%2F", "a#b?c", "clé ключ 鍵", "x".repeat(1_000)]) {
      const object = ingress.objectClient(counter, key);
      expect(await object.sum()).toBeNull();
      expect(await object.add(3)).toBe(3);
      expect(await object.add(4)).toBe(7);
      expect(await object.sum()).toBe(7);
      expect(await object.key()).toBe(key);
    }
  });

  it("is called by names and by a descriptor too", async () => {
    const key = newKey();
    const opts = rpc.opts<number, number>({ input: NUMBER, output: NUMBER });
    expect(await ingress.call<number, number>({ service: "Counter", handler: "add", key, parameter: 1, opts })).toBe(1);
    const json = { _inputSerde: serde.json, _outputSerde: serde.json };
    const descriptor = { name: "Counter", _kind: "object", _handlers: { add: json } } as never;
    expect(await (ingress.client(descriptor, key) as unknown as Adder).add(2)).toBe(3);
    const sent = await (ingress.sendClient(descriptor, key) as unknown as Adder<clients.Send<number>>).add(
      4,
      rpc.sendOpts({ idempotencyKey: newKey() }),
    );
    expect(await ingress.result(sent)).toBe(7);
  });

  it("takes sends in their order, each counted once", async () => {
    const key = newKey();
    const sender = ingress.objectSendClient(counter, key);
    const repeated = rpc.sendOpts<number>({ idempotencyKey: newKey() });
    const first = await sender.add(1, repeated);
    expect(await sender.add(100, repeated)).toEqual({ ...first, status: "PreviouslyAccepted" });
    expect(first).toMatchObject({ status: "Accepted", attachable: true });
    const opts = rpc.sendOpts<number>({ input: NUMBER });
    expect(await ingress.send({ service: "Counter", handler: "add", key, parameter: 10, opts })).toMatchObject({
      status: "Accepted",
      attachable: false,
    });
    expect(await ingress.objectClient(counter, key).add(100)).toBe(111);
    const later = await sender.add(1_000, rpc.sendOpts({ delay: 60, idempotencyKey: newKey() }));
    expect(await ingress.result(later)).toBe(1_111);
    expect(await ingress.result(first)).toBe(1);
  });

  it("answers a repeated idempotency key with the first answer, separately for each object key", async () => {
    const [one, other, idempotencyKey] = [newKey(), newKey(), newKey()];
    const opts = rpc.opts<number, number>({ idempotencyKey });
    expect(await ingress.objectClient(counter, one).add(1, opts)).toBe(1);
    expect(await ingress.objectClient(counter, one).add(5, opts)).toBe(1);
    expect(await ingress.objectClient(counter, other).add(5, opts)).toBe(5);
    expect(await ingress.objectClient(counter, one).sum()).toBe(1);
  });

  it("fails as its handler fails, and runs the next call", async () => {
    const object = ingress.objectClient(counter, newKey());
    expect(await failureOf(object.fail(418))).toMatchObject({
      status: 418,
      body: { code: 418, message: "no luck", source: "invocation" },
    });
    expect(await object.add(1)).toBe(1);
  });
});

describe("a workflow", () => {
  it("is submitted once, waited for, answered by a shared handler, and its result goes to all attached clients", async () => {
    const workflow = ingress.workflowClient(signup, newKey());
    expect(await workflow.status()).toBeNull();
    const submitted = await workflow.workflowSubmit("Ada");
    expect(submitted).toEqual({
      invocationId: expect.stringMatching(/^inv_1/),
      status: "Accepted",
      attachable: true,
    });
    expect(await workflow.workflowSubmit("Bob")).toEqual({ ...submitted, status: "PreviouslyAccepted" });
    const output = await workflow.workflowOutput();
    expect(output.ready).toBe(false);
    expect(() => output.result).toThrow("non ready workflow");
    const attached = Promise.all([workflow.workflowAttach(), ingress.result(submitted)]);
    await workflow.answer("welcome");
    expect(await attached).toEqual(["Ada: welcome", "Ada: welcome"]);
    expect(await workflow.workflowOutput()).toEqual({ ready: true, result: "Ada: welcome" });
    expect(await workflow.status()).toBe("waiting");
  });

  it("is not run again by a call, and its promise is completed once", async () => {
    const workflow = ingress.workflowClient(signup, "clé/w");
    await workflow.answer("early");
    const run = (): Promise<unknown> =>
      ingress.call({ service: "Signup", handler: "run", key: "clé/w", parameter: "Ada" as never, opts: TEXT_OPTS });
    expect(await run()).toBe("Ada: early");
    expect(await failureOf(run())).toMatchObject({
      status: 409,
      body: { message: "the workflow method was already invoked", source: "invocation" },
    });
    expect(await failureOf(workflow.answer("late"))).toMatchObject({
      status: 409,
      body: { message: "promise was already completed", source: "invocation" },
    });
  });

  it("that fails gives its failure to all clients", async () => {
    const workflow = ingress.workflowClient(signup, newKey());
    const submitted = await workflow.workflowSubmit("Eve");
    await workflow.answer("no");
    const failure = { status: 403, body: { code: 403, message: "Eve was refused", source: "invocation" } };
    expect(await failureOf(workflow.workflowAttach())).toMatchObject(failure);
    expect(await failureOf(workflow.workflowOutput())).toMatchObject(failure);
    expect(await failureOf(ingress.result(submitted))).toMatchObject(failure);
  });

  it("that was never submitted is 404", async () => {
    const workflow = ingress.workflowClient(signup, newKey());
    expect((await failureOf(workflow.workflowAttach())).status).toBe(404);
    expect((await failureOf(workflow.workflowOutput())).status).toBe(404);
  });
});

const TEXT_OPTS = rpc.opts<never, never>({ input: serde.json as never, output: serde.json as never });

interface Adder<Answer = number> {
  add(by: number, opts?: clients.SendOpts<number>): Promise<Answer>;
}
