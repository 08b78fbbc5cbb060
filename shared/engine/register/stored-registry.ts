/** The registry over the meta store. It answers from memory for one second, but reads again before it reports a name unknown. */
import { type OpenCircuit, circuitName } from "../../core/model/circuit.ts";
import type { Engine } from "../engine.ts";
import { type Registry, REGISTRY_FRESH_MS, type Routing } from "../ports/registry.ts";
import {
  type RegistryHead,
  type Slowness,
  deleteCircuit,
  notesPk,
  putCircuit,
  readHead,
  readRegistry,
  serviceOfSlow,
  slowName,
  writeSlow,
} from "./registry-items.ts";
import type { Deployment, Route } from "../../core/model/deployment.ts";
import type { DeploymentId } from "../../core/model/ids.ts";
import type { EffectiveSettings } from "../../core/model/service.ts";
import { NO_RULES, type RuleBook, ruleBook } from "../../core/limits/rule-book.ts";
import { type SettingsMaxima, effectiveSettings } from "../../core/registry/effective-settings.ts";
import { type LatestRevision, latestRevisions } from "../../core/registry/latest-revisions.ts";

interface Snapshot extends RegistryHead {
  readonly table: RoutingTable;
  readonly rules: RuleBook;
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
    routeOn: async (...place) => (await current()).table.routeOn(...place) ?? (await reread()).table.routeOn(...place),
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
    rulesKnown: () => held?.rules ?? NO_RULES,
    rulesNow: async () => (await reread()).rules,
    rules: () => rulesIn(held, clock.nowMs()) ?? current().then(({ rules }) => rules),
    refresh() {
      generation += 1;
      held = undefined;
      reading = undefined;
    },
  };
}

/** A snapshot that stays fresh for longer than `REGISTRY_FRESH_MS` was read before the clock was set back. */
function isFresh({ freshUntilMs }: Snapshot, nowMs: number): boolean {
  return nowMs < freshUntilMs && freshUntilMs - nowMs <= REGISTRY_FRESH_MS;
}

/** @param known the former snapshot, whose routing table and rules are reused if the version is the same */
async function readSnapshot({ meta, clock, settings }: RegistryGround, known: Snapshot | undefined): Promise<Snapshot> {
  const { keyPrefix, defaults, journalRetentionMaxMs } = settings;
  const freshUntilMs = clock.nowMs() + REGISTRY_FRESH_MS;
  const head = known && (await readHead(meta, keyPrefix));
  if (known !== undefined && head?.version === known.version) return withServices({ ...known, ...head, freshUntilMs });
  const { deployments, rules, ...read } = await readRegistry(meta, keyPrefix);
  const maxima = journalRetentionMaxMs === undefined ? {} : { journalRetentionMaxMs };
  const table = routingTable(deployments, defaults, maxima);
  return withServices({ ...read, table, rules: ruleBook(rules), freshUntilMs });
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

function rulesIn(held: Snapshot | undefined, nowMs: number): RuleBook | undefined {
  return held !== undefined && isFresh(held, nowMs) ? held.rules : undefined;
}

type ByHandler = ReadonlyMap<string, Routing & { readonly found: true }>;
type ByService = ReadonlyMap<string, ByHandler>;

const NO_SERVICE: Routing = { found: false, missing: "service" };
const NO_HANDLER: Routing = { found: false, missing: "handler" };

export interface RoutingTable {
  readonly deployments: readonly Deployment[];
  /** Sorted by name. */
  readonly services: readonly LatestRevision[];
  route(service: string, handler: string): Routing;
  ownerOf(service: string): DeploymentId | undefined;
  routeOn(deploymentId: string, service: string, handler: string): Route | undefined;
}

/** Answers lookups in the registry. The table is built once per change, so that a lookup during a call allocates nothing. */
export function routingTable(
  deployments: readonly Deployment[],
  defaults: EffectiveSettings,
  maxima: SettingsMaxima,
): RoutingTable {
  const onDeployment = new Map<string, ByService>();
  for (const deployment of deployments) onDeployment.set(deployment.id, routesOf(deployment, defaults, maxima));
  const revisions = latestRevisions(deployments);
  const latest = new Map<string, ByHandler>();
  for (const [name, { deployment }] of revisions) {
    const routes = onDeployment.get(deployment.id)?.get(name);
    if (routes !== undefined) latest.set(name, routes);
  }
  return {
    deployments,
    services: [...revisions.values()].sort((a, b) => (a.service.name < b.service.name ? -1 : 1)),
    route(service, handler) {
      const routes = latest.get(service);
      if (routes === undefined) return NO_SERVICE;
      return routes.get(handler) ?? NO_HANDLER;
    },
    ownerOf: (service) => revisions.get(service)?.deployment.id,
    routeOn(deploymentId, service, handler) {
      return onDeployment.get(deploymentId)?.get(service)?.get(handler)?.route;
    },
  };
}

function routesOf(deployment: Deployment, defaults: EffectiveSettings, maxima: SettingsMaxima): ByService {
  const services = new Map<string, ByHandler>();
  for (const service of deployment.services) {
    const handlers = new Map<string, Routing & { readonly found: true }>();
    for (const handler of service.handlers) {
      const settings = effectiveSettings(service, handler, defaults, maxima);
      handlers.set(handler.name, { found: true, route: { deployment, service, handler, settings } });
    }
    services.set(service.name, handlers);
  }
  return services;
}

type Ground = Pick<Engine, "meta" | "clock" | "settings"> & Partial<Pick<Engine, "log">>;

/**
 * Writes slow notes and long notes. If many attempts of one handler become long at the same time, the process writes one note
 * for all of them.
 */
export class SlowNotes {
  readonly #ground: Ground;
  readonly #underWay = new Set<string>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /**
   * Never fails.
   * @param known names that already have a note
   * @returns false if the note exists or is being written, or the write failed
   */
  async write(
    kind: Slowness,
    service: string,
    handler: string,
    known: ReadonlySet<string> = new Set(),
  ): Promise<boolean> {
    const name = slowName(service, handler);
    const place = `${kind}#${name}`;
    if (known.has(name) || this.#underWay.has(place)) return false;
    this.#underWay.add(place);
    const { meta, clock, settings, log } = this.#ground;
    try {
      await writeSlow(meta, settings.keyPrefix, kind, name, clock.nowMs());
      if (kind === "long") log?.write("attempt.found-long", { service, handler });
      return true;
    } catch (error) {
      log?.write("handler.note-failed", { service, handler, error: String(error) });
      return false;
    } finally {
      this.#underWay.delete(place);
    }
  }
}
