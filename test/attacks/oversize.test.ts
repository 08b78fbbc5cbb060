/** A message above the limit fails its own invocation alone, with the code of the limit; other services of its deployment go on. */
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { fetch } from "../harness/local/admin-access.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { itemsOfTurn, tellRotation } from "../rotation.ts";
import { ReportingProcess } from "./reporting-process.ts";
import { FIXTURES, ServerProcess } from "./server-process.ts";

const LOOK_EVERY_MS = 50;
/** The waits include the work of the deployment on its own large messages, on a machine that does other things, too. */
const NEIGHBOUR_MAX_MS = 6_000;
const NEIGHBOUR_EVERY_MS = 50;

/** Each commit takes one. */
const TRANSPORTS = ["h2c", "TLS", "HTTP/1.1"];
const transports = itemsOfTurn(TRANSPORTS, TRANSPORTS.length);
tellRotation("attacks", "transports of large messages", transports.length, TRANSPORTS.length);

describe.each(transports)("over %s", (transport) => {
  let dir: string;
  let server: ServerProcess;
  let deployment: ReportingProcess;
  let begins = 0;
  beforeAll(async () => {
    dir = await mkdtemp(join(inject("workshop").dir, "oversize-"));
    server = await ServerProcess.on(dir, inject("workshop").command);
    await server.start();
    deployment = await ReportingProcess.start(join(inject("workshop").dir, "large-deployment.js"), transport, FIXTURES);
    deployment.onMessage(() => void (begins += 1));
    const init = { method: "POST", headers: { "content-type": "application/json" } };
    const body = JSON.stringify(deployment.registration);
    expect((await fetch(`${server.site.adminUri}/deployments`, { ...init, body })).status).toBe(201);
  }, SEEN_WITHIN_MS);
  afterAll(async () => {
    await Promise.all([server.kill(), deployment.end()]);
    await rm(dir, { recursive: true, force: true });
  });

  const send = async (handler: string, key: string): Promise<string> => {
    const answer = await fetch(`${server.site.ingressUri}/Large/${key}/${handler}/send`, { method: "POST" });
    return ((await answer.json()) as { invocationId: string }).invocationId;
  };
  const shown = async (id: string): Promise<InvocationBody | undefined> => {
    const answer = await fetch(`${server.site.adminUri}/invocations/${id}`);
    return answer.status === 200 ? ((await answer.json()) as InvocationBody) : undefined;
  };
  const ended = async (id: string): Promise<string> => {
    for (const untilMs = performance.now() + SEEN_WITHIN_MS; performance.now() < untilMs; await pause(LOOK_EVERY_MS)) {
      const { status, last_failure: failure } = (await shown(id)) ?? {};
      if (status === "paused" || status === "completed") return `${status} ${failure?.error_code ?? ""}`.trim();
    }
    return "neither paused nor completed";
  };

  /** Calls the other service of the deployment again and again, until the work is done. @returns the longest wait */
  const besideNeighbour = async <Done>(work: () => Promise<Done>): Promise<readonly [Done, number]> => {
    let slowestMs = 0;
    let isOver = false;
    const calling = (async () => {
      while (!isOver) {
        const fromMs = performance.now();
        const answer = await fetch(`${server.site.ingressUri}/Other/ok`, { method: "POST" });
        expect(await answer.text()).toBe('"ok"');
        slowestMs = Math.max(slowestMs, Math.round(performance.now() - fromMs));
        await pause(NEIGHBOUR_EVERY_MS);
      }
    })();
    try {
      return [await work(), slowestMs];
    } finally {
      isOver = true;
      await calling;
      console.log(`${transport}: the neighbour waited ${slowestMs} ms at most`);
      expect(slowestMs).toBeLessThan(NEIGHBOUR_MAX_MS);
    }
  };

  test.each([
    ["a result of 40 MiB", "result", "paused RT0003"],
    ["the result of a step of 40 MiB", "step", "paused RT0003"],
    ["an argument of 40 MiB", "argument", "paused RT0003"],
    ["a state of 40 MiB", "state", "paused RT0003"],
    ["a journal of 160 MiB", "journal", "paused RT0012"],
  ])("%s", async (_what, handler, end) => {
    const [told] = await besideNeighbour(async () => await ended(await send(handler, handler)));
    expect(told).toBe(end);
  });

  test.each(["kill", "pause", "cancel"])("a %s in the middle of a large message", async (order) => {
    await besideNeighbour(async () => {
      for (let at = 0; at < 3; at++) {
        const before = begins;
        const id = await send("fits", `${order}${at}`);
        while (begins === before) await pause(1);
        await pause(at * 20);
        const answer = await fetch(`${server.site.adminUri}/invocations/${id}/${order}`, { method: "PATCH" });
        // The result may have come before the order.
        expect([200, 202, 409]).toContain(answer.status);
        if ((await ended(id)).startsWith("paused"))
          await fetch(`${server.site.adminUri}/invocations/${id}/resume`, { method: "PATCH" });
        for (const untilMs = performance.now() + SEEN_WITHIN_MS; (await ended(id)) !== "completed";)
          if (performance.now() > untilMs) throw new Error(`${id} is ${await ended(id)}`);
      }
    });
  });
});
