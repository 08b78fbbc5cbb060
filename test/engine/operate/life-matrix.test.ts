/** Every operation on an invocation in every status: the HTTP status of the admin API, and the status afterwards. */
import { describe, expect, test } from "vitest";
import { adminApp } from "../../../shared/api/admin/admin-app.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import { freshId } from "../../../shared/engine/accept/invocation-ids.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { invocationUseCases } from "../../../shared/wiring/use-cases.ts";
import { type Actor, type Stage, sendOn } from "../../harness/engine/engine-fixture.ts";
import { Gate } from "../../harness/engine/gate.ts";
import { keyed, objectOf, sendKeyed, workflowOf } from "../../harness/engine/object-stage.ts";
import { AttemptFails, type Handler } from "../../harness/engine/script-context.ts";
import { stages } from "../../harness/engine/stages.ts";

const open = stages();
const OPERATIONS = ["cancel", "kill", "pause", "resume", "purge", "purge-journal", "restart-as-new"] as const;
type Operation = (typeof OPERATIONS)[number];

const STATES = [
  "scheduled",
  "pending",
  "running",
  "backing-off",
  "suspended",
  "paused",
  "completed",
  "completed workflow",
  "unknown",
] as const;
type State = (typeof STATES)[number];

/** In the order of the operations: the HTTP status, and the status of the invocation afterwards. */
const MATRIX: Readonly<Record<State, readonly (readonly [number, string])[]>> = {
  scheduled: cells("200 gone, 200 gone, 202 paused, 425 scheduled, 409 scheduled, 409 scheduled, 425 scheduled"),
  pending: cells("200 gone, 200 gone, 202 paused, 425 pending, 409 pending, 409 pending, 425 pending"),
  running: cells("202 cancelled, 200 killed, 202 paused, 200 suspended, 409 suspended, 409 suspended, 409 suspended"),
  "backing-off": cells(
    "202 cancelled, 200 killed, 202 paused, 200 suspended, 409 backing-off, 409 backing-off, 409 backing-off",
  ),
  suspended: cells("202 cancelled, 200 killed, 202 paused, 200 suspended, 409 suspended, 409 suspended, 409 suspended"),
  paused: cells("202 cancelled, 200 killed, 200 paused, 200 suspended, 409 paused, 409 paused, 409 paused"),
  completed: cells("409 done, 409 done, 409 done, 409 done, 200 gone, 200 done, 200 done"),
  "completed workflow": cells("409 done, 409 done, 409 done, 409 done, 200 gone, 200 done, 422 done"),
  unknown: cells("404 gone, 404 gone, 404 gone, 404 gone, 404 gone, 404 gone, 404 gone"),
};

function cells(row: string): readonly (readonly [number, string])[] {
  return row.split(", ").map((cell) => {
    const [status = "", after = ""] = cell.split(" ");
    return [Number(status), after] as const;
  });
}

interface Scene {
  readonly stage: Stage;
  readonly actor: Actor;
  readonly id: InvocationId;
  /** Lets a running attempt end. */
  readonly goOn: () => void;
}

const waits: Handler = (ctx) => ctx.get(ctx.awakeable().result);

async function play(state: State): Promise<Scene> {
  const gate = new Gate();
  const tried = new Map<string, number>();
  const isFirst = (id: string) => tried.set(id, (tried.get(id) ?? 0) + 1).get(id) === 1;
  const handlers: Record<string, Handler> = {
    waits,
    gated: async (ctx) => (await gate.passed, await waits(ctx)),
    stumbles: (ctx) => {
      if (isFirst(ctx.id)) throw new Error("not yet");
      return waits(ctx);
    },
    rests: (ctx) => {
      if (isFirst(ctx.id)) throw new AttemptFails("hold it", { behavior: 1 });
      return waits(ctx);
    },
    ends: () => "done",
    run: () => "done",
  };
  const retry = { initialIntervalMs: 500_000, maxIntervalMs: 500_000 };
  const stage = await open(handlers, { services: [objectOf(["waits"]), workflowOf()], retry });
  const actor = stage.actor();
  actor.startWorker();
  const id = await begin(stage, actor, state);
  await stage.pulse.pass(1_000);
  return { stage, actor, id, goOn: () => gate.open() };
}

async function begin({ pulse }: Stage, actor: Actor, state: State): Promise<InvocationId> {
  const sent = async (handler: string, more = {}) => (await sendOn(actor, handler, "", more)).invocationId;
  switch (state) {
    case "scheduled":
      return await sent("waits", { startAtMs: pulse.nowMs() + 3_600_000 });
    case "pending":
      await pulse.during(sendKeyed(actor, keyed("O", "k", "waits")));
      return (await pulse.during(sendKeyed(actor, keyed("O", "k", "waits")))).invocationId;
    case "running":
      return await sent("gated");
    case "backing-off":
      return await sent("stumbles");
    case "suspended":
      return await sent("waits");
    case "paused":
      return await sent("rests");
    case "completed":
      return await sent("ends");
    case "completed workflow":
      return (await pulse.during(sendKeyed(actor, keyed("W", "w", "run")))).invocationId;
    case "unknown":
      return freshId(actor.engine);
  }
}

async function standingOf({ actor, id }: Scene): Promise<string> {
  const view = await inspect(actor.engine, id);
  if (view === undefined) return "gone";
  if (view.status !== "completed") return view.status;
  return view.failure?.message.toLowerCase() ?? "done";
}

const BEFORE: Partial<Record<State, string>> = { completed: "done", "completed workflow": "done", unknown: "gone" };

describe.each(STATES)("an invocation that is %s", (state) => {
  const row = OPERATIONS.map((operation, at) => [operation, ...MATRIX[state][at]!] as const);

  test.each<readonly [Operation, number, string]>(row)(
    "answers %s with %i, and is %s afterwards",
    async (operation, status, after) => {
      const scene = await play(state);
      const { stage, actor, id } = scene;
      expect(await standingOf(scene)).toBe(BEFORE[state] ?? state);
      const app = adminApp(actor.engine, {
        version: "1",
        runsOn: "one-process",
        metricsText: async () => "",
        invocations: invocationUseCases,
      });
      const request = {
        method: "PATCH",
        path: `/invocations/${id}/${operation}`,
        query: "",
        headers: {},
        body: new Uint8Array(0),
      };
      const answer = await stage.pulse.within(2_000, app(request));
      expect(answer.status).toBe(status);
      scene.goOn();
      await stage.pulse.pass(3_000);
      expect(await standingOf(scene)).toBe(after);
    },
  );
});

test("a second pause of an invocation that an operator paused is answered with done", async () => {
  const scene = await play("running");
  await pause(scene.actor.engine, scene.id);
  scene.goOn();
  await scene.stage.pulse.pass(1_000);
  expect(await standingOf(scene)).toBe("paused");
  expect(await pause(scene.actor.engine, scene.id)).toBe("done");
});
