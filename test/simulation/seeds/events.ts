/** The events of a wide seed: machines are switched off, a table is restored without its hints, a deployment goes and comes back. */
import { deleteDeployment, readRegistry, writeDeployment } from "../../../shared/engine/register/registry-items.ts";
import type { Random } from "../random.ts";
import type { Clients } from "./clients.ts";
import type { Span } from "./hardships.ts";
import type { World } from "./world.ts";

/** The share of stretches without a machine that begin with a death from another cause. */
const AT_DEATH_SHARE = 0.5;

/** Begins all events of the seed. Clients wait until the last event is over. */
export function beginEvents(world: World, clients: Clients, random: Random, fail: (complaint: string) => void): void {
  const { off = [], restore, gone = [] } = world.hardships ?? {};
  for (const span of off) clients.busyWith(switchOff(world, span, random.chance(AT_DEATH_SHARE)), fail);
  if (restore !== undefined) clients.busyWith(restored(world, clients, restore), fail);
  for (const span of gone) clients.busyWith(unregister(world, span), fail);
}

async function switchOff(world: World, { fromMs, forMs }: Span, atDeath: boolean): Promise<void> {
  await world.clock.sleep(fromMs);
  if (world.fate.isOver) return;
  world.fate.note("machine-off");
  world.trace(`the machine goes off for ${forMs} ms${atDeath ? " at the next death" : ""}`);
  if (atDeath) world.offAtDeathMs = forMs;
  else world.switchOff(forMs);
}

async function restored(world: World, clients: Clients, { fromMs, forMs }: Span): Promise<void> {
  const { clock, queue, letters, timers, functions, fate } = world;
  await clock.sleep(fromMs);
  fate.note("restored");
  world.trace(`only the table is restored, after ${forMs} ms`);
  queue.clear();
  letters.clear();
  timers.clear();
  functions?.clear();
  world.sweeps = true;
  world.switchOff(forMs);
  await clients.orderPass();
}

/** An operator removes every deployment, and registers the same deployments again later. */
async function unregister({ clock, meta, fate, trace }: World, { fromMs, forMs }: Span): Promise<void> {
  await clock.sleep(fromMs);
  const { deployments } = await readRegistry(meta, "");
  if (deployments.length === 0) return;
  fate.note("unregistered");
  trace(`no service is registered for ${forMs} ms`);
  for (const { id } of deployments) await deleteDeployment(meta, "", id, (await readRegistry(meta, "")).version);
  await clock.sleep(forMs);
  for (const one of deployments) await writeDeployment(meta, "", one, (await readRegistry(meta, "")).version);
}
