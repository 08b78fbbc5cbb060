/** A history in virtual time: processes on one table, which come and go, and faults that follow from a seed. */
import "../../examples/polyfill.mjs";
import { createEndpointHandler } from "@restatedev/restate-sdk/lambda";
import { register } from "../../shared/engine/register/register.ts";
import { call } from "../../shared/engine/ingress/call.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { lambdaDeployment, type LambdaHandler } from "../simulation/lambda-deployment.ts";
import { MemoryTable } from "../simulation/memory-table.ts";
import { drawFunctions } from "../simulation/seeds/functions.ts";
import type { Players } from "../simulation/seeds/players.ts";
import { Random } from "../simulation/random.ts";
import type { Sabotage } from "../simulation/seeds/running.ts";
import { World } from "../simulation/seeds/world.ts";
import { START_MS } from "../simulation/virtual-clock.ts";
import { ONLY_SEED } from "../drawn-runs.ts";
import { type Door, playClients, type Request } from "./clients.ts";
import { type Operation, Recorder } from "./history.ts";
import { historyServices } from "./services.ts";

const REST_MS = 300;
/** After this time no more faults strike. */
const MISFORTUNE_MAX_MS = 60_000;
/** By then the sweeper has found every lost invocation. */
const OVER_BY_MS = 7_200_000;

/** Sets the draw of the functions apart from all other draws. */
const FUNCTIONS_APART = 3_000_017;

let known: Promise<Players> | undefined;

async function players(): Promise<Players> {
  const lambda = createEndpointHandler({ services: historyServices, logger: () => {} }) as unknown as LambdaHandler;
  const found: Players = { meta: new MemoryTable(), deployment: () => lambdaDeployment(lambda) };
  const world = new World({ random: new Random(0), players: found, trace: () => {} });
  const request = {
    useHttp11: false,
    additionalHeaders: {},
    metadata: {},
    breaking: false,
    dryRun: false,
    force: false,
  };
  await register({ ...world.observer(), meta: found.meta }, { ...request, uri: "http://simulated.test:9080" });
  return found;
}

export interface Played {
  readonly operations: readonly Operation[];
  readonly mishaps: number;
  /** True if one process alone owned the store. */
  readonly ownsStore: boolean;
  /** True if clients still waited when no more work was left. */
  readonly isStuck: boolean;
}

/** Plays a history of some clients whose requests come at the same time. */
export async function playOnOneTable(seed: number, sabotage?: Sabotage): Promise<Played> {
  known ??= players();
  const random = new Random(seed);
  const world = new World({
    random,
    players: await known,
    trace: ONLY_SEED === undefined ? () => {} : (line) => console.log(line),
    sabotage,
    functions: drawFunctions(new Random(seed + FUNCTIONS_APART)),
  });
  // Handlers compute the ends of their sleeps from the time of their own machine.
  const { now } = Date;
  Date.now = () => world.clock.nowMs() + world.skew.ofDeploymentMs;
  try {
    return await play(world, random);
  } finally {
    Date.now = now;
  }
}

async function play(world: World, random: Random): Promise<Played> {
  const { clock, fate } = world;
  const recorder = new Recorder();
  const done = { clients: false, failure: undefined as unknown };
  world.onComplaint = (complaint) => void (done.failure ??= new Error(complaint));
  world.start();
  const playing = playClients({
    random,
    recorder,
    door: doorOf(world),
    name: `s${random.between(0, 1e6)}`,
    clients: random.between(2, 4),
    each: random.between(4, 10),
    pausesMs: random.pick([
      [0, 0, 0],
      [0, 20, 400],
      [0, 0, 3_000],
    ]),
    between: () => clock.sleep(random.pick([0, 0, 5, 200, 2_000])).then(() => undefined),
  });
  playing.then(
    () => (done.clients = true),
    (error: unknown) => Object.assign(done, { clients: true, failure: error }),
  );
  while (!done.clients) {
    do await new Promise<void>((resolve) => setImmediate(resolve));
    while (world.endpoints.busy > 0);
    const passedMs = clock.nowMs() - START_MS;
    if (passedMs > MISFORTUNE_MAX_MS) fate.end();
    if (passedMs > OVER_BY_MS || !clock.jump()) break;
  }
  if (done.failure !== undefined) throw done.failure;
  const { ownsStore } = world;
  return { operations: recorder.operations, mishaps: fate.struck.length, ownsStore, isStuck: !done.clients };
}

function doorOf(world: World): Door {
  return {
    isClosed: false,
    rest: () => world.clock.sleep(REST_MS).then(() => undefined),
    async ask(request) {
      try {
        return await world.request((engine) => answerOf(engine, request));
      } catch (error) {
        if (error instanceof WrongAnswer) throw error;
        return undefined;
      }
    },
  };
}

class WrongAnswer extends Error {}

async function answerOf(engine: Engine, request: Request): Promise<{ readonly answer: unknown }> {
  const { service, key, handler, input, idempotencyKey } = request;
  const ended = await call(engine, {
    target: { service, handler, ...(key !== undefined && { key }) },
    input: new TextEncoder().encode(JSON.stringify(input)),
    headers: [{ key: "content-type", value: "application/json" }],
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
  if (ended.kind !== "ended") throw new WrongAnswer(`${service}/${handler} was refused: ${ended.kind}`);
  if (ended.result.kind !== "success") throw new WrongAnswer(`${service}/${handler}: ${JSON.stringify(ended.result)}`);
  return { answer: JSON.parse(new TextDecoder().decode(ended.result.value)) as unknown };
}
