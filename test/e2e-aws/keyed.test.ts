/** Objects, workflows, promises, signals and awakeables, driven by several processes that share nothing but table and queue. */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { StateBody } from "../../shared/api/contract/state.ts";
import { aws, ControlPlane, until } from "./control-plane.ts";
import { processesOf, signal } from "./function-processes.ts";
import { approval, ledgerOf, Turns, waitingOf } from "./keyed-services.ts";
import { serve } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const doubled = new ControlPlane(aws.doubled);
const turns = new Map<string, Turns>();
const told = new Map<string, string>();

function turnsOf(key: string): Turns {
  const known = turns.get(key) ?? new Turns();
  turns.set(key, known);
  return known;
}

/** A stack of an earlier run still has the keys of that run. */
const RUN = randomUUID().slice(0, 8);

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

beforeAll(async () => {
  const services = [ledgerOf(turnsOf), approval, waitingOf((name, id) => void told.set(name, id))];
  await Promise.all([plane.register({ arn: aws.handlerArn }), plane.register({ uri: await serve(services) })]);
});

describe("an object", () => {
  test("runs its sends one at a time and in their order, with several workers", async () => {
    const ids: string[] = [];
    let workersMax = 0;
    const watchWorkers = () => {
      workersMax = Math.max(workersMax, processesOf([aws.plain.outputs["WorkerFunction"]!]).length);
    };
    for (const name of numbers(24)) {
      ids.push(await plane.send(`ledger/queue-${RUN}/add`, name));
      watchWorkers();
    }
    const last = await plane.result(ids.at(-1)!);
    watchWorkers();
    expect(last).toBe(24);
    expect(turnsOf(`queue-${RUN}`).order).toEqual(numbers(24));
    expect(turnsOf(`queue-${RUN}`).atOnceMax).toBe(1);
    // The processes of an emulator that another run started are not visible.
    if (aws.emulatorPid !== 0) expect(workersMax).toBeGreaterThan(1);
  });

  test("counts each of many simultaneous calls, and answers each caller", async () => {
    const counts = await Promise.all(numbers(12).map((name) => plane.answer(`ledger/contended-${RUN}/add`, name)));
    expect(counts.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers(12).map((at) => at + 1));
    expect(turnsOf(`contended-${RUN}`).order.toSorted((a, b) => a - b)).toEqual(numbers(12));
    expect(turnsOf(`contended-${RUN}`).atOnceMax).toBe(1);
    expect((await plane.call(`ledger/contended-${RUN}/count`, undefined)).text).toBe("12");
  });

  test("repeats a turn whose worker is killed in the middle, and goes on", async () => {
    const ids = [await plane.send(`ledger/killed-${RUN}/hang`, 0)];
    for (const name of [1, 2, 3]) ids.push(await plane.send(`ledger/killed-${RUN}/add`, name));
    await until("the turn hangs", async () => (turnsOf(`killed-${RUN}`).hung > 0 ? true : undefined));
    expect(turnsOf(`killed-${RUN}`).order).toEqual([]);
    signal(processesOf([aws.plain.outputs["WorkerFunction"]!]), "SIGKILL");
    expect(await plane.result(ids.at(-1)!)).toBe(4);
    expect(turnsOf(`killed-${RUN}`).order).toEqual([0, 1, 2, 3]);
    expect(turnsOf(`killed-${RUN}`).hung).toBe(1);
  });

  test("keeps its order even if every message comes twice and out of order", async () => {
    await doubled.register({ arn: aws.handlerArn });
    const ids: string[] = [];
    for (const amount of [1, 10, 100, 1_000]) ids.push(await doubled.send(`tally/doubled-${RUN}/add`, amount));
    expect(await Promise.all(ids.map((id) => doubled.result(id)))).toEqual([1, 11, 111, 1_111]);
  });

  test("keeps the state of each key from call to call on Lambda, until a handler clears it", async () => {
    for (const [key, total] of [
      ["a", 5],
      ["b", 5],
      ["a", 10],
    ] as const) {
      expect((await plane.call(`tally/${key}-${RUN}/add`, 5)).text).toBe(String(total));
    }
    await plane.call(`tally/b-${RUN}/reset`, undefined);
    const totals = await Promise.all(["a", "b"].map((key) => plane.call(`tally/${key}-${RUN}/total`, undefined)));
    expect(totals.map(({ text }) => text)).toEqual(["10", "0"]);
  });

  test("has its state edited by the signed admin API, only at the version that was read", async () => {
    await plane.call(`tally/edited-${RUN}/add`, 1);
    const before = await state(`edited-${RUN}`);
    expect(before.state["total"]?.utf8).toBe("1");
    const edit = (total: string) => ({
      object_key: `edited-${RUN}`,
      version: before.version,
      new_state: { total: [...Buffer.from(total)] },
    });
    const path = "/services/tally/state";
    const unsigned = { method: "POST", path, body: JSON.stringify(edit("41")) };
    expect((await plane.askAdminUnsigned(unsigned)).status).toBe(403);
    expect((await plane.postAdmin(path, edit("41"))).status).toBe(202);
    expect((await plane.call(`tally/edited-${RUN}/add`, 1)).text).toBe("42");
    expect((await plane.postAdmin(path, edit("0"))).status).toBe(409);
    expect((await state(`edited-${RUN}`)).state["total"]?.utf8).toBe("42");
  });
});

describe("a workflow", () => {
  test("waits for a promise that a shared handler completes, and answers a caller that attached by its id", async () => {
    const id = await plane.send(`approval/w1-${RUN}/run`, "holiday");
    await plane.untilStatus(id, "suspended");
    const open = await plane.ask({ path: `/restate/workflow/approval/w1-${RUN}/output` });
    expect(open.status).toBe(470);
    const attached = plane.attached(`workflow/approval/w1-${RUN}`);
    expect((await plane.call(`approval/w1-${RUN}/decide`, "granted")).text).toBe('"holiday"');
    const { status, text } = await attached;
    expect([status, JSON.parse(text)]).toEqual([200, "holiday: granted"]);
    expect(await plane.result(id)).toBe("holiday: granted");
  });

  test("is refused if its id has run, and so is a second completion of its promise", async () => {
    const id = await plane.send(`approval/w2-${RUN}/run`, "first");
    await plane.call(`approval/w2-${RUN}/decide`, "granted");
    expect(await plane.result(id)).toBe("first: granted");
    expect((await plane.call(`approval/w2-${RUN}/run`, "second")).status).toBe(409);
    expect((await plane.call(`approval/w2-${RUN}/decide`, "denied")).status).toBe(409);
    const { text } = await plane.ask({ path: `/restate/workflow/approval/w2-${RUN}/attach` });
    expect(JSON.parse(text)).toBe("first: granted");
  });
});

describe("an invocation that waits for an outside event", () => {
  test.each([
    ["resolve", JSON.stringify("here"), 200],
    ["reject", "not today", 500],
  ])("goes on when its awakeable is completed: %s", async (outcome, body, status) => {
    const id = await plane.send("waiting/awakeable", outcome);
    const awakeable = await until("its id is published", async () => told.get(outcome));
    await plane.untilStatus(id, "suspended");
    const path = `/restate/awakeables/${awakeable}/${outcome}`;
    expect((await plane.ask({ method: "POST", path, body })).status).toBe(202);
    const ended = await plane.attached(`invocation/${id}`);
    expect(ended.status).toBe(status);
    expect(ended.text).toContain(outcome === "resolve" ? body : "not today");
  });

  test("goes on when another handler sends the signal", async () => {
    const id = await plane.send("waiting/signal", undefined);
    await plane.untilStatus(id, "suspended");
    expect((await plane.call("waiting/give", { id, value: "green" })).status).toBe(200);
    expect(await plane.result(id)).toBe("green");
  });
});

async function state(key: string): Promise<StateBody> {
  const { status, text } = await plane.askAdmin({ path: `/services/tally/state?object_key=${key}` });
  expect(status).toBe(200);
  return JSON.parse(text) as StateBody;
}
