/** Limits over functions that share nothing but table and queue: places, their line, and rates. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { beforeAll, expect, test } from "vitest";
import { aws, ControlPlane, until } from "./control-plane.ts";
import { processesOf, signal } from "./function-processes.ts";
import { serve } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
/** A stack of an earlier run still has the pools of that run. */
const RUN = randomUUID().slice(0, 8);
const SERVICE = `Limited${RUN}`;
const HELD_MS = 300;

const running = new Map<string, { now: number; most: number; ended: number; startedAtMs: number[] }>();

function of(handler: string) {
  const known = running.get(handler) ?? { now: 0, most: 0, ended: 0, startedAtMs: [] };
  running.set(handler, known);
  return known;
}

const held = (handler: string) => async () => {
  const count = of(handler);
  count.startedAtMs.push(Date.now());
  count.most = Math.max(count.most, ++count.now);
  await delay(HELD_MS);
  count.now--;
  count.ended++;
};

async function rule(pattern: string, limits: object): Promise<void> {
  const answer = await plane.askAdmin({
    method: "PUT",
    path: "/limits/rules",
    body: JSON.stringify([{ pattern, limits }]),
    headers: { "content-type": "application/json" },
  });
  expect(answer).toMatchObject({ status: 200 });
  // The functions remember the rules for a second.
  await delay(1_500);
}

const ended = (handler: string, count: number) =>
  until(`${count} of ${handler} have ended`, async () => (of(handler).ended >= count ? true : undefined));

beforeAll(async () => {
  const names = ["places", "killed", "rate"];
  const handlers = Object.fromEntries(names.map((name) => [name, held(name)]));
  await plane.register({ uri: await serve([restate.service({ name: SERVICE, handlers })]) });
});

test("of twelve sends under a limit of two, two run at a time, and all end", async () => {
  await rule(`handler:${SERVICE}/places`, { concurrency: 2 });
  await Promise.all(Array.from({ length: 12 }, () => plane.send(`${SERVICE}/places`, null)));
  await ended("places", 12);
  expect(of("places")).toMatchObject({ now: 0, most: 2, ended: 12 });
  const [row] = await plane.rows<{ pattern: string; concurrency: number }>(
    `SELECT pattern, concurrency FROM sys_rules WHERE pattern = 'handler:${SERVICE}/places'`,
  );
  expect(row).toEqual({ pattern: `handler:${SERVICE}/places`, concurrency: 2 });
});

test("workers that are killed while they have places keep none waiting for good", async () => {
  await rule(`handler:${SERVICE}/killed`, { concurrency: 2 });
  await Promise.all(Array.from({ length: 6 }, () => plane.send(`${SERVICE}/killed`, null)));
  await until("one runs", async () => (of("killed").now > 0 ? true : undefined));
  signal(processesOf([aws.plain.outputs["WorkerFunction"]!]), "SIGKILL");
  await ended("killed", 6);
});

test("eight sends at two a second begin over at least three seconds", async () => {
  await rule(`handler:${SERVICE}/rate`, { rate: "2/1s", burst: 1 });
  await Promise.all(Array.from({ length: 8 }, () => plane.send(`${SERVICE}/rate`, null)));
  await ended("rate", 8);
  const { startedAtMs } = of("rate");
  expect(Math.max(...startedAtMs) - Math.min(...startedAtMs)).toBeGreaterThan(3_000);
});
