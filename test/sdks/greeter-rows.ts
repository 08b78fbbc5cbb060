/**
 * The tests of a plain service, as rows of the table in `table.test.ts`: steps, retries, errors, sleeps, calls, sends,
 * awakeables, idempotency keys and cancel.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ControlPlaneClient, JsonAnswer } from "./control-plane-client.ts";
import type { SdkStage } from "./sdk-stage.ts";

const HOUR_MS = 3_600_000;
/** The form of a UUID without its version: two of the SDKs leave those bits random. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** One call each: the input, and the output that every SDK must give. */
const CALLS: readonly {
  readonly what: string;
  readonly handler: string;
  readonly input: unknown;
  readonly output: unknown;
}[] = [
  { what: "a plain call is answered", handler: "greet", input: "Ada", output: "Hello, Ada!" },
  { what: "text of any script arrives whole", handler: "greet", input: 'Zoë "🚀"\n', output: 'Hello, Zoë "🚀"\n!' },
  { what: "a handler without steps may return an empty list", handler: "steps", input: 0, output: [] },
  { what: "each step runs once, however often it is replayed", handler: "steps", input: 3, output: [1, 2, 3] },
  { what: "a failing step is retried until it works", handler: "flaky", input: 2, output: 3 },
  {
    what: "a step gives up after its maximum number of attempts",
    handler: "surrender",
    input: 3,
    output: "given up after 3",
  },
  { what: "a failing handler is retried until it works", handler: "stumble", input: 2, output: 3 },
  { what: "a handler sleeps and goes on", handler: "nap", input: 30, output: 30 },
  { what: "a handler calls another one", handler: "relay", input: "Ada", output: "Hello, Ada!" },
  {
    what: "a handler calls several at once",
    handler: "gather",
    input: ["Ada", "Bea", "Cleo"],
    output: ["Hello, Ada!", "Hello, Bea!", "Hello, Cleo!"],
  },
  { what: "of two awaited results, the first wins", handler: "impatient", input: 20, output: "timed out" },
];

export function greeterRows({ client, mode, elsewhere }: SdkStage): void {
  describe("a service", () => {
    for (const { what, handler, input, output } of CALLS) {
      test(`${what} (${handler})`, async () => {
        expect(await client().call(`/Greeter/${handler}`, input)).toEqual(output);
      });
    }
    test("a terminal error reaches the caller with its code and is not retried", async () => {
      const { status, body } = await client().post("/Greeter/fail", "no tea");
      expect({ status, body }).toMatchObject({ status: 418, body: { code: 418, message: "no tea" } });
    });
    test("random values are the same on replay", async () => {
      const drawn = (await client().call("/Greeter/draw")) as string[];
      const [first] = drawn;
      const other = drawn.at(-1);
      expect(first).toMatch(UUID);
      expect(drawn.slice(0, -1)).toEqual(drawn.slice(0, -1).fill(first!));
      expect(other).not.toBe(first);
      // An attempt over HTTP/1.1 ends at each await, so the handler draws its first value again after a short sleep.
      if (!elsewhere) expect(drawn).toHaveLength(mode.overHttp11 ? 3 : 2);
    });
    test("the same idempotency key runs the handler once", async () => {
      const key = { "idempotency-key": randomUUID() };
      const first = await client().post("/Greeter/draw", undefined, key);
      expect(await client().post("/Greeter/draw", undefined, key)).toEqual(first);
      expect(first.status).toBe(200);
      expect((await client().post("/Greeter/draw")).body).not.toEqual(first.body);
    });
    sendRows(client);
    awakeableRows(client);
    cancelRows(client);
  });
}

function sendRows(client: () => ControlPlaneClient): void {
  test("a send is found by its id", async () => {
    expect(await client().attach(await client().send("/Greeter/greet", "Ada"))).toMatchObject(succeeded("Hello, Ada!"));
  });
  test("a handler sends with a delay and gets the id", async () => {
    const id = (await client().call("/Greeter/dispatch", "Bea")) as string;
    expect(await client().attach(id)).toMatchObject(succeeded("Hello, Bea!"));
  });
  test("a handler attaches to an invocation by its id", async () => {
    const id = (await client().call("/Greeter/dispatch", "Cleo")) as string;
    expect(await client().call("/Greeter/attach", id)).toBe("Hello, Cleo!");
  });
}

function awakeableRows(client: () => ControlPlaneClient): void {
  test("an awakeable is resolved from outside", async () => {
    const { id, awakeable } = await startListening(client());
    expect((await client().post(`/restate/awakeables/${awakeable}/resolve`, "from outside")).status).toBe(202);
    expect(await client().attach(id)).toMatchObject(succeeded("from outside"));
  });
  test("a rejected awakeable fails the handler that awaits it", async () => {
    const { id, awakeable } = await startListening(client());
    const rejected = await client().post(`/restate/awakeables/${awakeable}/reject`, undefined, {
      "content-type": "text/plain",
    });
    expect(rejected.status).toBe(202);
    expect((await client().attach(id)).status).toBe(500);
  });
  test("an awakeable is resolved by another handler", async () => {
    const { id, awakeable } = await startListening(client());
    expect((await client().post("/Greeter/wake", awakeable)).status).toBe(200);
    expect(await client().attach(id)).toMatchObject(succeeded("from inside"));
  });
}

/** Starts a handler that awaits an awakeable, and waits until it has published the id. */
async function startListening(client: ControlPlaneClient): Promise<{ id: string; awakeable: string }> {
  const token = randomUUID();
  const id = await client.send("/Greeter/listen", token);
  await expect.poll(() => client.call("/Greeter/lookup", token)).not.toBe("");
  return { id, awakeable: (await client.call("/Greeter/lookup", token)) as string };
}

function cancelRows(client: () => ControlPlaneClient): void {
  test("a sleeping handler is cancelled by another one", async () => {
    const sleeper = await client().send("/Greeter/nap", HOUR_MS);
    expect((await client().post("/Greeter/cancel", sleeper)).status).toBe(200);
    expect((await client().attach(sleeper)).status).toBe(409);
  });
  test("a handler that awaits an awakeable is cancelled from outside", async () => {
    const { id } = await startListening(client());
    expect((await client().cancel(id)).status).toBe(202);
    expect((await client().attach(id)).status).toBe(409);
  });
}

function succeeded(body: unknown): Partial<JsonAnswer> {
  return { status: 200, body };
}
