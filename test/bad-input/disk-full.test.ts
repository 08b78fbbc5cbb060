/** A full disk: new work is refused, accepted work is kept, and the same process goes on when there is space. */
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { createServer as createHttp2Server } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { createEndpointHandler } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { INGRESS_SERVICES } from "../harness/local/ingress-services.ts";
import { listen, type Listening } from "../harness/local/local-stage.ts";
import { buildCommand, type BuiltCommand, type RunningCommand } from "../errors/command.ts";
import { openSmallDisk, type SmallDisk } from "./small-disk.ts";
import { fetch, knowAdminAt } from "../harness/local/admin-access.ts";

const READY = /ingress=(\S+?)\/? admin=(\S+?)\/? /;
const REFUSALS_WANTED = 20;

let disk: SmallDisk;
let command: BuiltCommand;
let endpoint: Listening;
beforeAll(async () => {
  disk = openSmallDisk();
  command = await buildCommand();
  endpoint = await listen(createHttp2Server(createEndpointHandler({ services: INGRESS_SERVICES, logger: () => {} })));
});
afterAll(async () => {
  await command.remove();
  await endpoint.close();
  disk.remove();
});

interface Plane {
  readonly running: RunningCommand;
  readonly ingress: string;
  readonly admin: string;
}

async function start(data = "data"): Promise<Plane> {
  const dir = `${disk.dir}/${data}`;
  const running = command.start(["dev", "--data-dir", dir, "--no-register"], {
    STEPWELL_WORKER__LEASE: "1s",
  });
  const [, ingress = "", admin = ""] = READY.exec(await running.told(READY))!;
  knowAdminAt(admin, dir);
  return { running, ingress, admin };
}

function register({ admin }: Plane, uri: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${admin}/deployments`, { method: "POST", headers, body: JSON.stringify({ uri }) });
}

/** @returns the status and the body */
async function echo({ ingress }: Plane, key: string, body: Buffer): Promise<{ status: number; answer: Buffer }> {
  const headers = { "content-type": "application/octet-stream", "idempotency-key": key };
  const response = await fetch(`${ingress}/Greeter/echo`, { method: "POST", headers, body: new Uint8Array(body) });
  return { status: response.status, answer: Buffer.from(await response.arrayBuffer()) };
}

async function readinessOf({ admin }: Plane): Promise<{ status: number; failed: readonly object[] }> {
  const response = await fetch(`${admin}/ready`);
  const { checks } = (await response.json()) as { checks: readonly { ok: boolean }[] };
  return { status: response.status, failed: checks.filter(({ ok }) => !ok) };
}

async function outputOf({ ingress }: Plane, key: string): Promise<Buffer> {
  const response = await fetch(`${ingress}/restate/invocation/Greeter/echo/${key}/attach`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** The result of the invocation that slept while the disk was full. */
async function sleeperOf({ ingress }: Plane): Promise<unknown> {
  const response = await fetch(`${ingress}/restate/invocation/Greeter/sleep/sleeper/attach`);
  return response.json();
}

test("a full disk refuses new work, loses nothing, and recovers when there is space again", async () => {
  console.log(`the disk is made small by: ${disk.way}`);
  const plane = await start();
  expect((await register(plane, endpoint.uri)).ok).toBe(true);
  const accepted = new Map<string, Buffer>();
  const call = async (key: string, sizeBytes: number) => {
    const body = randomBytes(sizeBytes);
    const { status, answer } = await echo(plane, key, body);
    if (status !== 200) return { status, answer };
    expect(answer.equals(body)).toBe(true);
    accepted.set(key, body);
    return { status, answer };
  };
  for (let n = 0; n < 50; n++) expect((await call(`before-${n}`, 2000)).status).toBe(200);
  const sent = await fetch(`${plane.ingress}/Greeter/sleep/send`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "sleeper" },
    body: "1500",
  });
  expect(sent.status).toBe(202);

  expect(await readinessOf(plane)).toEqual({ status: 200, failed: [] });
  disk.fill(plane.running.pid);
  const refusals: { status: number; answer: Buffer }[] = [];
  for (let n = 0; refusals.length < REFUSALS_WANTED; n++) {
    const outcome = await call(`during-${n}`, 30_000);
    if (outcome.status !== 200) refusals.push(outcome);
  }
  for (const { status, answer } of refusals) {
    expect(status).toBe(503);
    expect(JSON.parse(answer.toString())).toMatchObject({
      code: 503,
      source: "ingress",
      message: expect.stringMatching(
        /^the journal store could not .*: (No space left on device|File too large)(; it needs \d+ MiB of room, and \d+ MiB are free)?, so it is not known/,
      ),
    });
  }
  const registration = await register(plane, `${endpoint.uri}/other`);
  expect(registration.status).toBe(503);
  expect(await registration.json()).toMatchObject({ message: expect.stringMatching(/^the meta store could not /) });
  // An answer is good for half a second.
  await expect
    .poll(() => readinessOf(plane))
    .toMatchObject({
      status: 503,
      failed: expect.arrayContaining([
        {
          name: "journal-store",
          ok: false,
          reason: expect.stringMatching(/^the journal store could not be opened again/),
        },
      ]),
    });
  expect(await (await fetch(`${plane.admin}/metrics`)).text()).toContain('stepwell_store_writable{store="journal"} 0');
  expect((await fetch(`${plane.admin}/health`)).status).toBe(200);
  expect((await fetch(`${plane.ingress}/restate/health`)).status).toBe(200);

  disk.free(plane.running.pid);
  let after = await call("after", 2000);
  for (let tries = 0; after.status !== 200 && tries < 200; tries++) {
    await sleep(100);
    after = await call("after", 2000);
  }
  expect(after.status).toBe(200);
  await expect.poll(() => readinessOf(plane)).toEqual({ status: 200, failed: [] });
  for (const [key, body] of accepted) expect((await outputOf(plane, key)).equals(body), key).toBe(true);
  expect(await sleeperOf(plane)).toBe("slept");

  const { stderr } = await plane.running.end("SIGKILL");
  expect(stderr).not.toMatch(/unhandled|uncaught/i);
  const again = await start();
  for (const [key, body] of accepted) expect((await outputOf(again, key)).equals(body), key).toBe(true);
  expect(await sleeperOf(again)).toBe("slept");
  expect(await again.running.end("SIGTERM")).toMatchObject({ code: 0 });
  rmSync(`${disk.dir}/data`, { recursive: true });
});

test("a disk with a little room again is enough, whatever the memory of the store holds", async () => {
  const plane = await start("large-log");
  expect((await register(plane, endpoint.uri)).ok).toBe(true);
  // The calls store each megabyte twice, and the memory of the store becomes a table at sixteen.
  const bodies = Array.from({ length: 6 }, () => randomBytes(1_000_000));
  for (const [n, body] of bodies.entries()) expect((await echo(plane, `large-${n}`, body)).status).toBe(200);
  disk.fill(plane.running.pid);
  await expect.poll(async () => (await echo(plane, "refused", randomBytes(100_000))).status).toBe(503);
  disk.freeLittle(plane.running.pid);
  await expect.poll(async () => (await echo(plane, "after", Buffer.from("after"))).status).toBe(200);
  for (const [n, body] of bodies.entries()) expect((await outputOf(plane, `large-${n}`)).equals(body)).toBe(true);
  expect(await plane.running.end("SIGTERM")).toMatchObject({ code: 0 });
  disk.free(plane.running.pid);
});

test("a start on a full disk fails with an error that names the disk, and a start succeeds once there is space", async () => {
  const args = ["dev", "--data-dir", `${disk.dir}/fresh`, "--no-register"];
  if (disk.way === "tmpfs") disk.fill(process.pid);
  const { code, stderr } = await command.start(args, {}, disk.under).end();
  expect([code, stderr]).toEqual([3, expect.stringMatching(/^RT0902: The disk of the data directory is full\n/)]);
  if (disk.way === "tmpfs") disk.free(process.pid);
  const running = command.start(args);
  await running.told(READY);
  expect(await running.end("SIGTERM")).toMatchObject({ code: 0 });
});
