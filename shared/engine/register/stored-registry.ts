/** The registry over the meta store. It answers from memory for one second, but reads again before it reports a name unknown. */
import { circuitName, type OpenCircuit } from "../../core/model/circuit.ts";
import type { Engine } from "../engine.ts";
import type { Registry, Routing } from "../ports/registry.ts";
import { deleteCircuit, putCircuit } from "./circuit-items.ts";
import { notesPk, readHead, readRegistry, serviceOfSlow, slowName } from "./registry-items.ts";
import type { RegistryHead, Slowness } from "./registry-items.ts";
import { SlowNotes } from "./slow-notes.ts";
import { routingTable } from "./routing-table.ts";
import type { RoutingTable } from "./routing-table.ts";

/** How long memory may answer without a read of the registry's version. */
const FRESH_FOR_MS = 1000;

interface Snapshot extends RegistryHead {
  readonly table: RoutingTable;
  /** Services with a handler that has a slow note or a long note. */
  readonly slowServices: ReadonlySet<string>;
  readonly freshUntilMs: number;
}

const NO_CIRCUITS: ReadonlyMap<string, OpenCircuit> = new Map();

/** The parts of the engine that the registry needs. */
export type RegistryGround = Pick<Engine, "meta" | "clock" | "settings"> & Partial<Pick<Engine, "log">>;

export function createStoredRegistry(ground: RegistryGround): Registry {
  const { clock } = ground;
  let held: Snapshot | undefined;
  let reading: Promise<Snapshot> | undefined;
  /** The number of refreshes: the result of a read that began before the last refresh is not kept. */
  let generation = 0;
  const notes = new SlowNotes(ground);

  async function read(): Promise<Snapshot> {
    const begunIn = generation;
    const snapshot = await readSnapshot(ground, held);
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

  /** A snapshot that is at most a second old. */
  async function current(): Promise<Snapshot> {
    if (held !== undefined && isFresh(held, clock.nowMs())) return held;
    return await readOnce();
  }

  /** A snapshot from a read that begins now: an earlier read may miss a change that the caller relies on. */
  async function reread(): Promise<Snapshot> {
    if (reading !== undefined) await reading.catch(() => undefined);
    return await readOnce();
  }

  async function note(kind: Slowness, service: string, handler: string): Promise<void> {
    if (await notes.write(kind, service, handler, held?.[kind])) held = withNote(held, kind, service, handler);
  }

  return {
    known: (service, handler) => knownIn(held, clock.nowMs(), service, handler),
    async route(service, handler) {
      const routing = routed(await current(), service, handler);
      return routing.found ? routing : routed(await reread(), service, handler);
    },
    async routeOn(deploymentId, service, handler) {
      const route = (await current()).table.routeOn(deploymentId, service, handler);
      return route ?? (await reread()).table.routeOn(deploymentId, service, handler);
    },
    services: async () => (await current()).table.services,
    deployments: async () => (await current()).table.deployments,
    noteSlow: (service, handler) => note("slow", service, handler),
    noteLong: (service, handler) => note("long", service, handler),
    isSlow: (service) => held?.slowServices.has(service) === true,
    ownerOf: (service) => held?.table.ownerOf(service),
    circuits: () => held?.circuits ?? NO_CIRCUITS,
    async setCircuit(circuit, before) {
      const isSet = await storeCircuit(ground, circuit, before);
      if (isSet && held !== undefined) held = withCircuit(held, circuit, before);
      return isSet;
    },
    refresh() {
      generation += 1;
      held = undefined;
      reading = undefined;
    },
  };
}

/** A snapshot that stays fresh for longer than `FRESH_FOR_MS` was read before the clock was set back. */
function isFresh({ freshUntilMs }: Snapshot, nowMs: number): boolean {
  return nowMs < freshUntilMs && freshUntilMs - nowMs <= FRESH_FOR_MS;
}

/** @param known the former snapshot, whose routing table is reused if the version is the same */
async function readSnapshot({ meta, clock, settings }: RegistryGround, known: Snapshot | undefined): Promise<Snapshot> {
  const { keyPrefix, defaults, journalRetentionMaxMs } = settings;
  const freshUntilMs = clock.nowMs() + FRESH_FOR_MS;
  const head = known && (await readHead(meta, keyPrefix));
  if (known !== undefined && head?.version === known.version) return withServices({ ...known, ...head, freshUntilMs });
  const { deployments, ...read } = await readRegistry(meta, keyPrefix);
  const maxima = journalRetentionMaxMs === undefined ? {} : { journalRetentionMaxMs };
  return withServices({ ...read, table: routingTable(deployments, defaults, maxima), freshUntilMs });
}

function withNote(held: Snapshot | undefined, kind: Slowness, service: string, handler: string): Snapshot | undefined {
  return held && withServices({ ...held, [kind]: new Set([...held[kind], slowName(service, handler)]) });
}

function withServices(read: Omit<Snapshot, "slowServices">): Snapshot {
  return { ...read, slowServices: new Set([...read.slow, ...read.long].map(serviceOfSlow)) };
}

async function storeCircuit(
  { meta, settings }: RegistryGround,
  circuit: OpenCircuit | undefined,
  before: OpenCircuit | undefined,
): Promise<boolean> {
  const pk = notesPk(settings.keyPrefix);
  if (circuit !== undefined) return await putCircuit(meta, pk, circuit, before);
  if (before !== undefined) await deleteCircuit(meta, pk, before);
  return true;
}

function withCircuit(held: Snapshot, circuit: OpenCircuit | undefined, before: OpenCircuit | undefined): Snapshot {
  const circuits = new Map(held.circuits);
  if (before !== undefined) circuits.delete(circuitName(before));
  if (circuit !== undefined) circuits.set(circuitName(circuit), circuit);
  return { ...held, circuits };
}

function routed({ table, slow }: Snapshot, service: string, handler: string): Routing {
  const routing = table.route(service, handler);
  if (slow.size === 0 || !routing.found) return routing;
  return slow.has(slowName(service, handler)) ? { ...routing, slow: true } : routing;
}

function knownIn(held: Snapshot | undefined, nowMs: number, service: string, handler: string): Routing | undefined {
  if (held === undefined || nowMs >= held.freshUntilMs) return undefined;
  const routing = routed(held, service, handler);
  return routing.found ? routing : undefined;
}
