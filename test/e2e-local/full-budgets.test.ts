/** One caller fills the memory budgets of both listeners, while other callers and operators send requests. */
import { once } from "node:events";
import { connect, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import { expect, test } from "vitest";
import { openLocalStage, type LocalStage } from "../harness/local/local-stage.ts";
import { accessOf, fetch } from "../harness/local/admin-access.ts";

const KIB = 1024;
const BINARY = { "content-type": "application/octet-stream" };
const binary = { input: restate.serde.binary, output: restate.serde.binary };
const handlers = { echo: restate.handlers.handler(binary, async (_context, body: Uint8Array) => body) };
const services = [restate.service({ name: "Echo", handlers })];

async function heldBytes({ adminUri }: LocalStage, budget: string): Promise<number> {
  const text = await (await fetch(`${adminUri}/metrics`)).text();
  return Number(new RegExp(`^stepwell_budget_held_bytes\\{budget="${budget}"\\} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Begins requests whose bodies never end. */
function begun(
  uri: string,
  path: string,
  streams: number,
  headers: IncomingHttpHeaders,
): { readonly all: ClientHttp2Stream[]; close(): void } {
  const session = connect(uri, { maxSessionMemory: 100 });
  session.on("error", () => undefined);
  const all = Array.from({ length: streams }, () => {
    const stream = session.request({ ":method": "POST", ":path": path, ...BINARY, ...headers });
    stream.on("error", () => undefined).write(Buffer.alloc(60 * KIB));
    return stream;
  });
  return { all, close: () => session.destroy() };
}

test("endless bodies hold at most their share, are refused in time, and delay neither other callers nor the admin API", async () => {
  const flags = { "ingress.bodies-size-limit": "1MiB", "admin.bodies-size-limit": "256KiB" };
  const stage = await openLocalStage({ services, flags });
  const onIngress = begun(stage.ingressUri, "/Echo/echo", 200, { origin: "https://a.example" });
  const onAdmin = begun(stage.adminUri, "/query", 50, accessOf(stage.adminUri));
  const refusals = [onIngress, onAdmin].map(({ all }) =>
    Promise.race(all.map((stream) => once(stream, "response") as Promise<[IncomingHttpHeaders]>)),
  );
  await expect.poll(() => heldBytes(stage, "ingress-bodies")).toBeGreaterThan(450 * KIB);
  const body = new Uint8Array(200 * KIB);
  const good = await fetch(`${stage.ingressUri}/Echo/echo`, { method: "POST", headers: BINARY, body });
  expect([good.status, (await good.arrayBuffer()).byteLength]).toEqual([200, 200 * KIB]);
  expect((await fetch(`${stage.adminUri}/health`)).status).toBe(200);
  expect(await heldBytes(stage, "ingress-bodies")).toBeLessThanOrEqual(750 * KIB);
  expect(await heldBytes(stage, "admin-bodies")).toBeLessThanOrEqual(200 * KIB);
  const [[ingress], [admin]] = await Promise.all([refusals[0]!, refusals[1]!]);
  expect(ingress).toMatchObject({
    ":status": 503,
    "retry-after": "1",
    "x-restate-error-source": "ingress",
    "access-control-allow-origin": "https://a.example",
  });
  expect(admin).toMatchObject({ ":status": 503, "retry-after": "1" });
  onIngress.close();
  onAdmin.close();
  await expect.poll(() => heldBytes(stage, "ingress-bodies")).toBe(0);
  await stage.close();
});
