/** The mistakes that several suites plant, so that each of these suites shows that it can fail. */
import type { Engine } from "../../shared/engine/engine.ts";
import { acting } from "./acts.ts";
import { withTable } from "./with-table.ts";

/** Each process derives different ids, so a repeated key does not find the invocation (I7). */
export function foreignIds(engine: Engine): Engine {
  const own = engine.activeInvocations.newToken();
  const derive: Engine["ids"]["derive"] = (parts, size) => engine.ids.derive(acting([...parts, own]), size);
  return { ...engine, ids: { random: (size) => engine.ids.random(size), derive } };
}

/** A give-back is not conditional on the holder (I6). */
export function blindHandover(engine: Engine): Engine {
  return withTable(engine, {
    update(key, update, condition) {
      const isHandover = key.sk === "lock" && (update.set?.["held"] === 0 || update.set?.["head"] !== undefined);
      return engine.table.update(key, update, isHandover ? acting(undefined) : condition);
    },
  });
}

/** The sweeper and the recovery find nothing. */
export function blindSweeper(engine: Engine): Engine {
  return withTable(engine, { queryIndex: async () => acting({ items: [] }) });
}

/** A message is gone as soon as it is received, and the sweeper finds nothing (I8). */
export function forgottenMessages(engine: Engine): Engine {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    await Promise.all(deliveries.map(({ receipt }) => queue.ack(acting(receipt))));
    return deliveries;
  };
  return { ...blindSweeper(engine), queue: { ...queue, receive } };
}

/** A message for a later moment is postponed until then, although the invocation has work. */
export function trustedMoments(engine: Engine): Engine {
  const { queue } = engine;
  const receive: typeof queue.receive = async (...asked) => {
    const deliveries = await queue.receive(...asked);
    const isLater = ({ wake }: (typeof deliveries)[number]) => (wake.wakeAtMs ?? 0) > engine.clock.nowMs();
    for (const delivery of deliveries.filter(isLater)) {
      await queue.send(acting({ ...delivery.wake, delayMs: 900_000 }));
      await queue.ack(delivery.receipt);
    }
    return deliveries.filter((delivery) => !isLater(delivery));
  };
  return { ...engine, queue: { ...queue, receive } };
}

const SLEEPS: ReadonlySet<unknown> = new Set(["scheduled", "suspended", "backing-off"]);

/** The sweeper finds no sleepers, as if schedules were reliable. */
export function unseenSleepers(engine: Engine): Engine {
  return withTable(engine, {
    async queryIndex(...asked) {
      const page = await engine.table.queryIndex(...asked);
      const items = page.items.filter(({ status }) => !SLEEPS.has(status));
      return items.length === page.items.length ? page : acting({ ...page, items });
    },
  });
}
