/** Exchanges that the functions keep open to a deployment over HTTP/2 and TLS, counted at the deployment (ADR 0008). */
import { createSecureServer } from "node:http2";
import type { Server } from "node:net";
import "../../examples/polyfill.mjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { startServer, testCredentials } from "../harness/https/peer.ts";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";

const plane = new ControlPlane(aws.plain);
/** The requests with an attempt, and how many of their streams are open. */
const seen = { attempts: 0, open: 0 };
const executed: number[] = [];
const awakeables: string[] = [];

const steps = service({
  name: "steps",
  handlers: {
    work: async (ctx: Context, { count, stepMs }: { count: number; stepMs: number }) => {
      let sum = 0;
      for (let at = 1; at <= count; at++)
        sum += await ctx.run(`step ${at}`, async () => {
          await pause(stepMs);
          executed.push(at);
          return at;
        });
      return sum;
    },
    wait: async (ctx: Context) => {
      const { id, promise } = ctx.awakeable<string>();
      await ctx.run("publish", () => void awakeables.push(id));
      return await promise;
    },
  },
});

beforeAll(async () => {
  const handler = createEndpointHandler({ services: [steps], logger: () => {} });
  const server = createSecureServer(testCredentials, (request, response) => {
    if (request.url.startsWith("/invoke/")) {
      seen.attempts++;
      seen.open++;
      response.on("close", () => seen.open--);
    }
    handler(request, response);
  });
  const peer = await startServer(server as Server, "https");
  afterAll(() => peer.stop());
  await plane.register({ uri: peer.uri });
});

async function attemptsOf<T>(work: () => Promise<T>): Promise<{ readonly attempts: number; readonly result: T }> {
  const before = seen.attempts;
  const result = await work();
  return { attempts: seen.attempts - before, result };
}

test("five steps take one attempt", async () => {
  const { attempts, result } = await attemptsOf(() => plane.answer("steps/work", { count: 5, stepMs: 0 }));
  expect([attempts, result]).toEqual([1, 15]);
});

test("a handler that waits for something outside is suspended at once, and holds no stream", async () => {
  const id = await plane.send("steps/wait", undefined);
  await plane.untilStatus(id, "suspended");
  await until("no stream is open", async () => (seen.open === 0 ? true : undefined));
  await plane.ask({
    method: "POST",
    path: `/restate/awakeables/${awakeables[0]}/resolve`,
    body: '"hello"',
    headers: { "content-type": "application/json" },
  });
  expect(await plane.result(id)).toBe("hello");
});

test("if a driving function has no time for all steps, the handler goes on in another attempt and repeats no step", async () => {
  executed.length = 0;
  const { attempts, result } = await attemptsOf(() => plane.answer("steps/work", { count: 25, stepMs: 300 }));
  expect(result).toBe(325);
  expect(executed).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
  console.log(`attempts of a call with 25 steps of 300 ms: ${attempts}`);
  // Without open exchanges there would be 26.
  expect(attempts).toBeLessThanOrEqual(4);
});
