/** A deployment that is down: what callers and operators see, and that waiting calls end once it is repaired. */
import { createServer } from "node:http2";
import type { Server } from "node:net";
import {
  DeleteFunctionCommand,
  LambdaClient,
  PublishVersionCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import "../../examples/polyfill.mjs";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { startServer, type Peer } from "../harness/https/peer.ts";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { jsonLinesOf, type FunctionName } from "./function-logs.ts";
import { documentOf, iam, roleOf } from "./identities.ts";

const plane = new ControlPlane(aws.plain);
const lambda = new LambdaClient({});
/** A function routes by a stale registry for at most this time. */
const REGISTRY_FRESH_MS = 1_000;

/** Waits until the invocation has failed with these words. */
async function shownFailing(id: string, words: RegExp): Promise<InvocationBody> {
  return await until(`${id} fails by ${words}`, async () => {
    const shown = await plane.shown(id);
    return words.test(shown.last_failure?.message ?? "") ? shown : undefined;
  });
}

async function failuresCounted(sinceMs: number): Promise<Readonly<Record<string, number>>> {
  const lines = await Promise.all([
    jsonLinesOf(aws.plain, "Ingress", sinceMs),
    jsonLinesOf(aws.plain, "Worker", sinceMs),
  ]);
  const sums: Record<string, number> = {};
  for (const { attempt_failures_total: count, code } of lines.flat()) {
    if (typeof count === "number") sums[String(code)] = (sums[String(code)] ?? 0) + count;
  }
  return sums;
}

describe("an endpoint", () => {
  const quickly = { retryPolicy: { initialInterval: 300, maxInterval: 1_000 } };
  const greeter = createEndpointHandler({
    services: [
      service({
        name: "fickle",
        handlers: { greet: async (_ctx: Context, name: string) => `hello ${name}` },
        options: quickly,
      }),
    ],
    logger: () => {},
  });
  let peer: Peer;
  /** Replaces the listener on the same port. */
  const startInstead = async (answer: Parameters<typeof createServer>[1]): Promise<void> => {
    const { port } = peer;
    await peer.stop();
    peer = await startServer(createServer(answer!) as Server, "http", port);
  };
  beforeAll(async () => {
    peer = await startServer(createServer(greeter) as Server);
    await plane.register({ uri: peer.uri });
  });
  afterAll(() => peer.stop());

  test("that first answers 502 and then refuses connections is called until it is back", async () => {
    const sinceMs = Date.now();
    await startInstead((_request, response) => response.writeHead(502).end("<html>bad gateway</html>"));
    const calling = plane.call("fickle/greet", "Bob");
    const id = await plane.send("fickle/greet", "Ada");
    expect((await shownFailing(id, /502/)).last_failure).toMatchObject({
      error_code: "RT0010",
      message: "service is temporary unavailable '502'",
    });
    await peer.stop();
    const refused = await shownFailing(id, /ECONNREFUSED/);
    expect(refused.last_failure).toMatchObject({ error_code: "RT0010" });
    expect(["running", "backing-off"]).toContain(refused.status);

    const called = await calling;
    expect([called.status, called.headers["retry-after"]]).toEqual([504, "1"]);
    expect(called.text).toContain("continues");
    const waiting = String(called.headers["x-restate-id"]);
    const next = await until("it says when it is tried next", async () => (await plane.shown(waiting)).next_retry_at);
    expect(Date.parse(next)).toBeGreaterThan(sinceMs);
    // The log lines of a function appear only after its answer.
    await until("its failures are counted", async () => {
      const { RT0010 = 0 } = await failuresCounted(sinceMs);
      return RT0010 > 3 ? true : undefined;
    });

    await startInstead(greeter);
    expect(await Promise.all([plane.result(id), plane.result(waiting)])).toEqual(["hello Ada", "hello Bob"]);
  });
});

describe("a function on Lambda", () => {
  beforeAll(() => plane.register({ arn: aws.handlerArn }));

  test("that ends its process, and one that the control plane may not call, fail with different messages", async () => {
    const crashed = await plane.send("fn/crash", null);
    await shownFailing(crashed, /the function '.*' failed \(Unhandled\): /);
    expect(await plane.change(crashed, "kill")).toBe(200);

    const names: readonly FunctionName[] = ["Ingress", "Worker"];
    const roles = await Promise.all(names.map((name) => roleOf(aws.plain.outputs[`${name}Function`]!)));
    const refusal = documentOf([{ Effect: "Deny", Action: "lambda:InvokeFunction", Resource: "*" }]);
    const PolicyName = "incident";
    for (const RoleName of roles) await iam("PutRolePolicy", { RoleName, PolicyName, PolicyDocument: refusal });
    const refused = await plane.send("fn/greet", "Ada");
    try {
      // No permission outweighs an explicit denial, so the message names the policy in place of a grant.
      await shownFailing(refused, /^An? [a-z-]+ policy denies lambda:InvokeFunction for arn:.*AccessDenied/);
    } finally {
      for (const RoleName of roles) await iam("DeleteRolePolicy", { RoleName, PolicyName });
    }
    expect(await plane.result(refused)).toBe("hello Ada");
  });

  test("that times out, and then is deleted, fails with Lambda's messages; a new address lets the open call end", async () => {
    const FunctionName = aws.handlerArn.replace(/:\d+$/, "");
    const allow = (Timeout: number) => lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout }));
    await allow(1);
    const { FunctionArn: arn, Version } = await lambda.send(new PublishVersionCommand({ FunctionName }));
    await allow(60);
    const registered = await plane.postAdmin("/deployments", { arn });
    expect(registered.status).toBe(201);
    const path = `/deployments/${(JSON.parse(registered.text) as { readonly id: string }).id}`;
    await pause(REGISTRY_FRESH_MS);

    const late = await plane.send("fn/hang", null);
    await shownFailing(late, /Task timed out after 1\.00 seconds/);
    expect(await plane.change(late, "kill")).toBe(200);
    await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: Version! }));
    const lost = await plane.send("fn/greet", "Bob");
    await shownFailing(lost, /ResourceNotFoundException/);

    const body = JSON.stringify({ arn: aws.handlerArn });
    const headers = { "content-type": "application/json" };
    expect((await plane.askAdmin({ method: "PATCH", path, headers, body })).status).toBe(200);
    expect(await plane.result(lost)).toBe("hello Bob");
    expect((await plane.askAdmin({ method: "DELETE", path: `${path}?force=true` })).status).toBe(202);
  });
});
