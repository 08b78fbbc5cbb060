/** Calls, sends and queries over HTTP, with handlers on Lambda and with handlers that are registered by their address. */
import { beforeAll, describe, expect, test } from "vitest";
import { TerminalError, type Context } from "@restatedev/restate-sdk";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { serveHandlers } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const attempts = new Map<string, number>();
const ran: string[] = [];

function attempted(name: string): number {
  const count = (attempts.get(name) ?? 0) + 1;
  attempts.set(name, count);
  return count;
}

const URL_HANDLERS = {
  greet: async (_ctx: Context, name: string) => `hello ${name}`,
  count: async (ctx: Context, name: string) => {
    await ctx.run("count", () => void ran.push(name));
    return name;
  },
  third: async (_ctx: Context, name: string) => {
    if (attempted(name) < 3) throw new Error("not yet");
    return "at last";
  },
  moment: async () => Date.now(),
  fails: async () => {
    throw new TerminalError("never", { errorCode: 418 });
  },
  slow: async (_ctx: Context, { name, ms }: { readonly name: string; readonly ms: number }) => {
    attempted(name);
    await pause(ms);
    return "done";
  },
  waits: async (ctx: Context) => {
    await ctx.sleep({ hours: 1 });
    return "never";
  },
};

beforeAll(async () => {
  const uri = await serveHandlers("url", URL_HANDLERS);
  await Promise.all([plane.register({ arn: aws.handlerArn }), plane.register({ uri })]);
});

describe("the APIs", () => {
  test("an admin request that is not signed is refused, whatever it asks for", async () => {
    for (const path of ["/services", "/deployments", "/version"]) {
      expect((await plane.askAdminUnsigned({ path })).status).toBe(403);
    }
    const { status } = await plane.askAdminUnsigned({ method: "POST", path: "/deployments", body: "{}" });
    expect(status).toBe(403);
  });

  test("an admin request signed with another secret is refused", async () => {
    const credentials = { accessKeyId: "AKIANOBODYKNOWSTHIS1", secretAccessKey: "wrong" };
    expect((await plane.askAdmin({ path: "/services" }, credentials)).status).toBe(403);
  });

  test("a function without a version is refused", async () => {
    const bare = aws.handlerArn.replace(/:\d+$/, "");
    await expect(plane.register({ arn: bare })).rejects.toThrow(/400.*names no version/);
  });
});

describe.each(["fn", "url"])("a handler of %s", (service) => {
  test("is called and answers", async () => {
    const { status, text, headers } = await plane.call(`${service}/greet`, "Ada");
    expect([status, JSON.parse(text)]).toEqual([200, "hello Ada"]);
    expect(headers["x-restate-id"]).toMatch(/^inv_1/);
  });

  test("runs a send, and the id leads to its result", async () => {
    const id = await plane.send(`${service}/greet`, "Bob");
    expect(await plane.result(id)).toBe("hello Bob");
    const { status, text } = await plane.ask({ path: `/restate/invocation/${id}/output` });
    expect([status, JSON.parse(text)]).toEqual([200, "hello Bob"]);
  });
});

test("five runs give five results in their order", async () => {
  expect(await plane.answer("fn/fiveRuns", undefined)).toBe("12345");
});

test("a chain of calls comes back through all its callers", async () => {
  expect(await plane.answer("fn/chain", 4)).toBe(4);
});

test("a send with a delay starts when it is due, and not before", async () => {
  const sentMs = Date.now();
  const id = await plane.send("url/moment", undefined, "?delay=2s");
  expect(await plane.result(id)).toBeGreaterThanOrEqual(sentMs + 2_000);
});

test("a send with a long delay is shown as scheduled, and never starts if it is killed", async () => {
  const id = await plane.send("url/count", "delayed", "?delay=1h");
  expect(await plane.status(id)).toBe("scheduled");
  expect(await plane.change(id, "kill")).toBe(200);
  expect(ran).not.toContain("delayed");
});

test("a failing handler is retried until it succeeds", async () => {
  expect(await plane.answer("url/third", "flaky")).toBe("at last");
  expect(attempts.get("flaky")).toBe(3);
});

test("a terminal error is the answer, with its own status", async () => {
  const { status, text } = await plane.call("url/fails", undefined);
  expect(status).toBe(418);
  expect(JSON.parse(text)).toMatchObject({ code: 418, message: "never", source: "invocation" });
});

test("three calls with one idempotency key run the handler once, and the key leads to the result", async () => {
  const key = { "idempotency-key": "once" };
  const answers = await Promise.all([1, 2, 3].map(() => plane.call("url/count", "keyed", key)));
  expect(answers.map(({ status, text }) => [status, JSON.parse(text)])).toEqual(Array(3).fill([200, "keyed"]));
  expect(new Set(answers.map(({ headers }) => headers["x-restate-id"])).size).toBe(1);
  const attached = await plane.ask({ path: "/restate/invocation/url/count/once/attach" });
  expect(JSON.parse(attached.text)).toBe("keyed");
  expect(ran.filter((name) => name === "keyed")).toHaveLength(1);
});

test("a call that takes too long is answered with 504 and goes on; the next call of its handler runs in the worker", async () => {
  const first = await plane.call("url/slow", { name: "first", ms: 7_000 });
  expect(first.status).toBe(504);
  expect(JSON.parse(first.text)).toMatchObject({ code: 504, source: "ingress" });
  expect(first.headers["retry-after"]).toBeDefined();
  expect(await plane.result(String(first.headers["x-restate-id"]))).toBe("done");
  // Two attempts: the cut one, which counts as no failure, and the worker's.
  expect(attempts.get("first")).toBe(2);

  const second = await plane.call("url/slow", { name: "second", ms: 7_000 });
  expect(second.status).toBe(504);
  expect(await plane.result(String(second.headers["x-restate-id"]))).toBe("done");
  expect(attempts.get("second")).toBe(1);
});

test("a sleeping invocation is cancelled, and ends with the cancellation", async () => {
  const id = await plane.send("url/waits", undefined);
  await until("it sleeps", async () => ((await plane.status(id)) === "suspended" ? true : undefined));
  expect((await plane.askAdmin({ method: "PATCH", path: `/invocations/${id}/cancel` })).status).toBe(202);
  expect((await plane.attached(`invocation/${id}`)).status).toBe(409);
});

test("ten clients send two hundred invocations, and each invocation ends after one run", async () => {
  const names = Array.from({ length: 200 }, (_, index) => `bulk-${index}`);
  const startedMs = Date.now();
  const ids = new Map<string, string>();
  const left = [...names];
  // Ten clients: the machine cannot start functions for more.
  const client = async () => {
    for (let name = left.pop(); name !== undefined; name = left.pop())
      ids.set(name, await plane.send("url/count", name));
  };
  await Promise.all(Array.from({ length: 10 }, client));
  await until("all have run", async () => (names.every((name) => ran.includes(name)) ? true : undefined));
  console.log(`200 invocations ended after ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  for (const name of names.slice(0, 10)) expect(await plane.result(ids.get(name)!)).toBe(name);
  expect(ran.filter((name) => name.startsWith("bulk-"))).toHaveLength(200);
});
