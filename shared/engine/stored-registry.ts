/** The registry over the meta store: answers come from memory for a second, and "unknown" is never said from memory. */
import type { Engine } from "./engine.ts";
import type { Registry } from "./registry.ts";
import { readRegistry, readVersion } from "./registry-items.ts";
import { routingTable } from "./routing-table.ts";
import type { RoutingTable } from "./routing-table.ts";

/** How long an answer may be given without asking whether the registry has changed. */
const FRESH_FOR_MS = 1000;

interface Snapshot {
  readonly version: number;
  readonly table: RoutingTable;
  freshUntilMs: number;
}

/** What the registry itself needs of the engine that it becomes a part of. */
export type RegistryGround = Pick<Engine, "meta" | "clock" | "settings">;

export function createStoredRegistry({ meta, clock, settings }: RegistryGround): Registry {
  const { keyPrefix, defaults, journalRetentionMaxMs } = settings;
  const maxima = journalRetentionMaxMs === undefined ? {} : { journalRetentionMaxMs };
  let held: Snapshot | undefined;
  let reading: Promise<Snapshot> | undefined;
  /** Raised by `refresh`, so that a read that began before it is not held. */
  let generation = 0;

  async function read(): Promise<Snapshot> {
    const begunAtMs = clock.nowMs();
    const begunIn = generation;
    const known = held;
    let snapshot: Snapshot;
    if (known !== undefined && (await readVersion(meta, keyPrefix)) === known.version) {
      snapshot = known;
      snapshot.freshUntilMs = begunAtMs + FRESH_FOR_MS;
    } else {
      const { version, deployments } = await readRegistry(meta, keyPrefix);
      const table = routingTable(deployments, defaults, maxima);
      snapshot = { version, table, freshUntilMs: begunAtMs + FRESH_FOR_MS };
    }
    if (begunIn === generation) held = snapshot;
    return snapshot;
  }

  /** Lookups that need the table at the same time share one read. */
  function readOnce(): Promise<Snapshot> {
    if (reading !== undefined) return reading;
    const mine = read().finally(() => {
      if (reading === mine) reading = undefined;
    });
    reading = mine;
    return mine;
  }

  /** The table as of at most a second ago. */
  async function current(): Promise<RoutingTable> {
    if (held !== undefined && clock.nowMs() < held.freshUntilMs) return held.table;
    return (await readOnce()).table;
  }

  /** The table as it is now: a read that began earlier may have missed what the caller already knows of. */
  async function reread(): Promise<RoutingTable> {
    if (reading !== undefined) await reading.catch(() => undefined);
    return (await readOnce()).table;
  }

  return {
    async route(service, handler) {
      const routing = (await current()).route(service, handler);
      return routing.found ? routing : (await reread()).route(service, handler);
    },
    async routeOn(deploymentId, service, handler) {
      const route = (await current()).routeOn(deploymentId, service, handler);
      return route ?? (await reread()).routeOn(deploymentId, service, handler);
    },
    async services() {
      return (await current()).services;
    },
    async deployments() {
      return (await current()).deployments;
    },
    refresh() {
      generation += 1;
      held = undefined;
      reading = undefined;
    },
  };
}
