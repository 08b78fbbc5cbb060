/** One seed of topics, played until no record waits, and judged at every step. */
import { writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import { deployment, handler, service } from "../../core/registry/sample-deployment.ts";
import { answerOf } from "../../harness/engine/script-context.ts";
import { readJournal } from "../../harness/engine/script-journal.ts";
import { breathe } from "../breathe.ts";
import type { Deployment } from "../in-process-endpoints.ts";
import { MemoryTable } from "../memory-table.ts";
import type { Fault } from "../seeds/fate.ts";
import { Random } from "../random.ts";
import { START_MS } from "../virtual-clock.ts";
import { Operator } from "./operator.ts";
import { OrderRule } from "./order-rule.ts";
import { drawPlan, PLAN_MS } from "./plan.ts";
import { type Sabotage, World } from "./world.ts";

export interface Run {
  readonly complaints: readonly string[];
  readonly steps: number;
  readonly struck: readonly Fault[];
  /** The kinds of acts, each as often as it was done, and the number of accepted records. */
  readonly acts: readonly string[];
  readonly accepted: number;
}

export interface Given {
  readonly seed: number;
  readonly sabotage?: Sabotage;
  readonly trace?: (line: string) => void;
}

const STEPS_MAX = 40_000;
/** A record that waits this long after the last fault waits for ever. */
const QUIET_BY_MS = PLAN_MS + 900_000;
const LOOK_EVERY_MS = 2_000;
const HARMLESS: ReadonlySet<Fault> = new Set<Fault>(["slow", "freezes", "sent-twice"]);

let registered: Promise<MemoryTable> | undefined;

async function registry(): Promise<MemoryTable> {
  const meta = new MemoryTable();
  const keyed = { type: "object", handlers: [handler("take", { type: "exclusive" })] } as const;
  await writeDeployment(meta, "", deployment(1, [service("S", ["take"]), service("O", [], keyed)]), 0);
  return meta;
}

export async function run({ seed, sabotage, trace = () => {} }: Given): Promise<Run> {
  const random = new Random(seed);
  const plan = drawPlan(random);
  const order = new OrderRule();
  registered ??= registry();
  const making = { random, plan, meta: (await registered).fork(), deployment: taking(order), trace, sabotage };
  const world = new World(making);
  const { now } = Date;
  Date.now = () => world.clock.nowMs();
  try {
    trace(JSON.stringify(plan));
    return await play(world, order);
  } finally {
    Date.now = now;
  }
}

/** A deployment whose handlers note the invocation that they serve. */
function taking(order: OrderRule): Deployment {
  return async (request) => ({
    head: { status: 200, headers: { "content-type": request.headers["content-type"] ?? "" }, httpVersion: "h2" },
    body: await answerOf((ctx) => {
      order.note(ctx.id);
      return "";
    }, readJournal(request)),
  });
}

async function play(world: World, order: OrderRule): Promise<Run> {
  const { clock, fate, judge, meta, table } = world;
  const operator = new Operator(world);
  const complaints = (): string[] => [...judge.complaints, ...order.complaints, ...world.refusals];
  world.start();
  let [steps, lookAtMs] = [0, 0];
  let left: string | undefined = "the plan is not played";
  for (; steps < STEPS_MAX && left !== undefined; steps++) {
    await breathe(world);
    judge.check(meta, table);
    order.check(judge, world.plan.sink === "O/take");
    if (complaints().length > 0) break;
    const passedMs = clock.nowMs() - START_MS;
    if (passedMs > PLAN_MS * 1.5) fate.end();
    if (passedMs >= lookAtMs) {
      left = operator.isBusy ? "the operator is busy" : leftIn(world, order);
      lookAtMs = passedMs + LOOK_EVERY_MS;
    }
    if (passedMs > QUIET_BY_MS || !clock.jump()) break;
  }
  const found = complaints();
  if (found.length === 0 && left !== undefined) found.push(`${left}, after ${steps} steps`);
  if (found.length === 0) found.push(...(await closed(world)));
  return { complaints: found, steps, struck: fate.struck, acts: operator.done, accepted: judge.accepted.size };
}

function leftIn(world: World, order: OrderRule): string | undefined {
  const { judge } = world;
  const missing = judge.missing();
  if (missing !== undefined) return missing;
  for (const id of judge.accepted.keys()) if (!order.hasRun(id)) return `${id} never ran`;
  for (const { engine } of world.running) if (engine.activeInvocations.size > 0) return "something is driven";
  return undefined;
}

/** Ends the reading of every process. @returns what the processes still hold */
async function closed(world: World): Promise<string[]> {
  const { clock, running, judge, meta, table, fate } = world;
  fate.end();
  const over = Promise.all([...running].map((one) => world.within(one, one.stop)));
  let isOver = false;
  over.then(
    () => (isOver = true),
    () => (isOver = true),
  );
  const untilMs = clock.nowMs() + 120_000;
  for (let still = 0; still < 3 && clock.nowMs() < untilMs;) {
    await breathe(world);
    judge.check(meta, table);
    if (isOver) still++;
    if (!clock.jump()) break;
  }
  const complaints = [...judge.complaints];
  if (!isOver) complaints.push("a process does not stop reading");
  for (const { mortal, records, engine } of running) {
    if ((records?.held ?? 0) > 0) complaints.push(`${mortal.name} holds room for ${records!.held} bytes`);
    if (engine.bulkheads.recordTurns.waiting > 0) complaints.push(`${mortal.name} has records that wait for a turn`);
  }
  // A process that dies or whose write fails between two writes may leave a position behind, which nobody reads.
  if (fate.struck.every((fault) => HARMLESS.has(fault))) complaints.push(...judge.leftovers(table));
  return complaints;
}
