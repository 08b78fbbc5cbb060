/**
 * Routes of the admin API for operators: previews of serializers, completion of awakeables, parts of a journal, with the real
 * SDK.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { fetch } from "../harness/local/admin-access.ts";

/** The bytes of this serializer are not UTF-8, so only the deployment can show the values. */
const flipped: restate.Serde<unknown> = {
  contentType: "application/x-flipped",
  serialize: (value) => new TextEncoder().encode(JSON.stringify(value)).map((byte) => byte ^ 0x80),
  deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes.map((byte) => byte ^ 0x80))) as unknown,
  preview: {
    toJsonString: (value) => JSON.stringify(value),
    fromJsonString: (text) => {
      const value = JSON.parse(text) as unknown;
      if (value === "huge") return "x".repeat(5 * 1024 * 1024);
      return value;
    },
  },
};

const SERVICES = [
  restate.service({
    name: "Odd",
    handlers: {
      echo: restate.handlers.handler(
        { input: flipped, output: flipped },
        async (_ctx: restate.Context, value: unknown) => value,
      ),
      plain: async (_ctx: restate.Context, value: unknown) => value,
      waits: async (ctx: restate.Context) => await ctx.awakeable<string>().promise,
      steps: async (ctx: restate.Context) => {
        for (let at = 0; at < 5; at++) await ctx.run(`step ${at}`, () => "x".repeat(20_000));
      },
    },
  }),
];

const OWN = { "x-requested-with": "test" };
let stage: LocalStage;
beforeAll(async () => {
  stage = await openLocalStage({ services: SERVICES });
});
afterAll(() => stage.close());

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = OWN) =>
  fetch(`${stage.adminUri}${path}`, { method: "POST", body, headers });

const serde = (operation: string, name: string, service = "Odd") =>
  `/internal/services/${service}/serdes/${operation}/${encodeURIComponent(name)}`;

async function shown(id: string, query = ""): Promise<InvocationBody> {
  return (await (await fetch(`${stage.adminUri}/invocations/${id}${query}`)).json()) as InvocationBody;
}

async function sent(handler: string): Promise<string> {
  const response = await fetch(`${stage.ingressUri}/Odd/${handler}/send`, { method: "POST" });
  return ((await response.json()) as { invocationId: string }).invocationId;
}

async function until(id: string, status: string): Promise<InvocationBody> {
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs;) {
    const body = await shown(id);
    if (body.status === status) return body;
    await sleep(25);
  }
  throw new Error(`${id} has not become ${status}`);
}

/** The awakeable for which an invocation waits, suspended or on its open exchange. */
async function awakeableOf(id: string): Promise<string> {
  for (const endMs = Date.now() + SEEN_WITHIN_MS; Date.now() < endMs;) {
    const found = (await shown(id)).waits_for?.[0]?.awakeable_id;
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error(`${id} waits for no awakeable`);
}

test("a payload goes to bytes and back by the serializer of the deployment", async () => {
  const encoded = await post(serde("encode", "echo/input"), '{"a":1}');
  expect([encoded.status, encoded.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  expect([...bytes]).toEqual([...Buffer.from('{"a":1}')].map((byte) => byte ^ 0x80));
  const decoded = await post(serde("decode", "echo/output"), bytes);
  expect([decoded.status, decoded.headers.get("content-type"), await decoded.text()]).toEqual([
    200,
    "application/json",
    '{"a":1}',
  ]);
});

test("the service names its previewable serializers in its metadata", async () => {
  const { metadata } = (await (await fetch(`${stage.adminUri}/services/Odd`)).json()) as { metadata: object };
  expect(metadata).toEqual({
    "dev.restate.serde.preview.echo/input": "true",
    "dev.restate.serde.preview.echo/output": "true",
  });
});

test("the deployment itself refuses bytes that its serializer cannot read", async () => {
  const { status, text } = await refused(post(serde("decode", "echo/input"), "no such bytes"));
  expect([status, JSON.parse(text)]).toEqual([422, { message: expect.any(String) }]);
});

test("a serializer without a preview, and an unknown service, are not found", async () => {
  expect((await refused(post(serde("decode", "plain/input"), "1"))).status).toBe(404);
  const unknown = await refused(post(serde("decode", "echo/input", "Nobody"), "1"));
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining("'Nobody' is unknown")]);
  const elsewhere = await refused(post(`${serde("decode", "echo/input")}?deployment=dp_none`, "1"));
  expect([elsewhere.status, elsewhere.text]).toEqual([404, expect.stringContaining("'dp_none'")]);
});

test("an answer that is too large is refused", async () => {
  const { status, text } = await refused(post(serde("encode", "echo/input"), '"huge"'));
  expect([status, text]).toEqual([502, expect.stringContaining("answered with more than 4194304 bytes")]);
});

test.each([serde("decode", "echo/input"), "/internal/awakeables/sign_1/resolve"])(
  "a page of another origin cannot use %s",
  async (path) => {
    expect((await post(path, "1", {})).status).toBe(400);
  },
);

test("an operator resolves and rejects awakeables", async () => {
  const [first, second] = [await sent("waits"), await sent("waits")];
  const resolved = await post(`/internal/awakeables/${await awakeableOf(first)}/resolve`, '"yes"');
  const rejected = await post(`/internal/awakeables/${await awakeableOf(second)}/reject`, "not today");
  expect([resolved.status, rejected.status]).toEqual([202, 202]);
  expect((await until(first, "completed")).outcome).toBe("succeeded");
  expect((await until(second, "completed")).completion_failure).toMatchObject({ code: 500, message: "not today" });
  expect((await post("/internal/awakeables/nonsense/resolve", "1")).status).toBe(400);
});

test("a part of the journal is shown by indexes, and an entry that is asked for alone shows more of its value", async () => {
  const id = await sent("steps");
  const whole = await until(id, "completed");
  const part = await shown(id, "?from=2&limit=3");
  expect(part.entries).toEqual(whole.entries.slice(2, 5));
  expect(part.entry_count).toBe(whole.entries.length);
  const at = whole.entries.find(({ type }) => type === "Notification: Run")!.index;
  const [cut] = (await shown(id, `?values=true&from=${at}&limit=2`)).entries;
  const [full] = (await shown(id, `?values=true&from=${at}&limit=1`)).entries;
  expect([cut!.value!.cut, full!.value!.cut]).toEqual([true, undefined]);
  expect((await fetch(`${stage.adminUri}/invocations/${id}?limit=-1`)).status).toBe(400);
});

test("the view of an invocation shows its attempts and its usage", async () => {
  const { attempt_spans: spans, usage, entries } = await until(await sent("steps"), "completed");
  expect(spans[0]).toMatchObject({ attempt: 1, entry: 1 });
  expect(spans.at(-1)!.ended_at >= spans[0]!.started_at).toBe(true);
  // Each of the 5 values takes 20 write units, and the acceptance and its entry in the listing take at least one unit each.
  expect(usage!.bytes).toBeGreaterThan(100_000);
  expect(usage!.write_units).toBeGreaterThanOrEqual(5 * 20 + 2);
  expect(usage!.exchanges).toBe(spans.length);
  expect(entries.length).toBeGreaterThan(10);
});

async function refused(asked: Promise<Response>): Promise<{ readonly status: number; readonly text: string }> {
  const response = await asked;
  return { status: response.status, text: await response.text() };
}

test("a send for an operator goes to the scope that it names, with its limit key", async () => {
  const response = await post("/internal/services/Odd/handlers/plain/send?scope=t1&limit_key=a/b", "1", {
    ...OWN,
    "content-type": "application/json",
  });
  const { invocationId } = (await response.json()) as { readonly invocationId: string };
  expect(await shown(invocationId)).toMatchObject({ scope: "t1", limit_key: "a/b", target: "Odd/plain" });
  const listed = await fetch(`${stage.adminUri}/invocations?scope=t1`);
  expect(await listed.json()).toMatchObject({ invocations: [{ id: invocationId, scope: "t1", limit_key: "a/b" }] });
});
