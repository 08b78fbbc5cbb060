/** Plays the plan: producers write, operators change subscriptions by requests to a living process, strangers join the group. */
import type { SubscriptionId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { readKafka } from "../../../shared/engine/register/kafka-items.ts";
import { changeOptions, createKafkaCluster, subscribe } from "../../../shared/engine/register/subscribe.ts";
import { followChange, removeSubscription } from "../../../shared/engine/topics/follow-subscriptions.ts";
import {
  pauseSubscription,
  resetSubscription,
  resumeSubscription,
} from "../../../shared/engine/topics/subscription-orders.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Act } from "./plan.ts";
import { FETCH_MAX_BYTES, TOPIC, type World } from "./world.ts";

const AGAIN_MAX_MS = 2_000;
const PATIENCE_MS = 60_000;

type Order = Extract<Act, { readonly do: "subscribe" | "remove" | "pause" | "resume" | "options" | "reset" }>;

export class Operator {
  readonly #world: World;
  readonly done: string[] = [];
  #busy = 0;
  #orders: Promise<void> = Promise.resolve();
  #strangers = 0;
  /** The subscription of a removal that was not answered yet, and is repeated. */
  #removing: SubscriptionId | undefined;

  constructor(world: World) {
    this.#world = world;
    for (const act of world.plan.acts) void this.#play(act);
  }

  get isBusy(): boolean {
    return this.#busy > 0;
  }

  async #play(act: Act): Promise<void> {
    const { broker, clock, random, trace } = this.#world;
    this.#busy++;
    await clock.sleep(START_MS + act.atMs - clock.nowMs());
    trace(JSON.stringify(act));
    this.done.push(act.do === "reset" ? `reset to ${act.to.kind}` : act.do);
    switch (act.do) {
      case "produce":
        broker.produce(act.partition, act.made, act.producerId);
        break;
      case "mark":
        broker.mark(act.partition, act.producerId, act.marker);
        break;
      case "compact":
        broker.topic.partitions[act.partition]!.compact(random);
        break;
      case "recreate":
        broker.recreate();
        break;
      case "stranger":
        await this.#stranger(act.forMs);
        break;
      default:
        // One operator gives the orders, one after the other.
        this.#orders = this.#orders.then(() => this.#order(act));
        await this.#orders;
    }
    this.#busy--;
  }

  /** Another consumer takes partitions of the groups for a while, and commits nothing. */
  async #stranger(forMs: number): Promise<void> {
    const { broker, clock } = this.#world;
    const { engine } = await this.#world.alive();
    const { subscriptions } = await readKafka({ meta: this.#world.meta, settings: engine.settings });
    const member = { name: `!stranger-${++this.#strangers}`, onAssigned: () => {}, onFenced: () => {} };
    for (const { id } of subscriptions) broker.join(id, member);
    await clock.sleep(forMs);
    for (const { id } of subscriptions) broker.leave(id, member);
  }

  /** Repeats the request until it is answered, because a process may die over it. */
  async #order(act: Order): Promise<void> {
    const { clock, random } = this.#world;
    const untilMs = clock.nowMs() + PATIENCE_MS;
    for (let isDone = false; !isDone;) {
      const running = await this.#world.alive();
      const patience = new AbortController();
      const late = clock.sleep(PATIENCE_MS, patience.signal).then((isOver) => {
        if (isOver) throw new Error("the request takes too long");
      });
      late.catch(() => undefined);
      try {
        await Promise.race([this.#world.within(running, () => this.#ask(running.engine, act)), late]);
        isDone = true;
        this.#removing = undefined;
      } catch {
        isDone = act.do !== "resume" && clock.nowMs() > untilMs;
        await clock.sleep(random.between(1, AGAIN_MAX_MS));
      }
      patience.abort();
    }
  }

  async #ask(engine: Engine, act: Order): Promise<void> {
    const removing = act.do === "remove" ? this.#removing : undefined;
    if (removing !== undefined) return void (await removeSubscription(engine, removing));
    if (act.do === "subscribe") return await this.#subscribe(engine);
    const { subscriptions } = await readKafka(engine);
    const id = subscriptions[0]?.id;
    if (id === undefined) return;
    if (act.do === "remove") {
      this.#removing = id;
      return void (await removeSubscription(engine, id));
    }
    await this.#change(engine, id, act);
    await followChange(engine, (one) => one.id === id);
  }

  async #change(
    engine: Engine,
    id: SubscriptionId,
    act: Exclude<Order, { do: "subscribe" | "remove" }>,
  ): Promise<void> {
    if (act.do === "pause") await pauseSubscription(engine, id, "operator");
    if (act.do === "resume") await resumeAll(engine);
    if (act.do === "reset") await resetSubscription(engine, id, act.to);
    if (act.do === "options") {
      const fetch = { "fetch.wait.max.ms": String(this.#world.random.between(2_000, 10_000)) };
      await changeOptions(engine, id, { ...this.#options(), ...fetch });
    }
  }

  async #subscribe(engine: Engine): Promise<void> {
    const { plan } = this.#world;
    await createKafkaCluster(engine, { name: "main", properties: { "bootstrap.servers": "b:1" } });
    const asked = { source: `kafka://main/${TOPIC}`, sink: `service://${plan.sink}`, options: this.#options() };
    const { id } = await subscribe(engine, asked);
    await followChange(engine, (one) => one.id === id);
  }

  #options(): Readonly<Record<string, string>> {
    const { begins, readsUncommitted } = this.#world.plan;
    return {
      "auto.offset.reset": begins,
      "fetch.wait.max.ms": "10000",
      "fetch.max.bytes": String(FETCH_MAX_BYTES),
      ...(readsUncommitted && { "isolation.level": "read_uncommitted" }),
    };
  }
}

async function resumeAll(engine: Engine): Promise<void> {
  for (const { id } of (await readKafka(engine)).subscriptions) await resumeSubscription(engine, id);
}
