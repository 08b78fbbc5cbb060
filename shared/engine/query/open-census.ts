/** Counts the open invocations by status, and picks those that may need an operator, in one walk over the open index. */
import { ATTENTION_KINDS, type AttentionKind, SILENT_AFTER_MS, suspicionOf } from "../../core/query/attention.ts";
import { isPresented, PRESENTED, type Presented } from "../../core/query/status-words.ts";
import { circuitName } from "../../core/model/circuit.ts";
import type { DeploymentId, InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Item } from "../ports/table.ts";
import { idOf } from "../store/index-walk.ts";
import { openPk, shardsOf } from "../store/item-keys.ts";
import { FailingTargets } from "./failing-targets.ts";
import { summaryOf } from "./open-listing.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";

export interface OpenOfService {
  readonly open: number;
  /** Those whose last attempt failed, and that are tried again. */
  readonly failing: number;
  readonly paused: number;
}

/** Only services that were registered have invocations, so the registry bounds the number of counts. */
export class ServiceCounts {
  readonly all = new Map<string, OpenOfService>();

  add(service: string, status: Presented): void {
    const { open, failing, paused } = this.all.get(service) ?? { open: 0, failing: 0, paused: 0 };
    this.all.set(service, {
      open: open + 1,
      failing: failing + (status === "backing-off" ? 1 : 0),
      paused: paused + (status === "paused" ? 1 : 0),
    });
  }
}

export interface Suspect {
  readonly id: InvocationId;
  readonly createdAtMs: number;
  readonly lookAtMs: number;
}

export interface OpenCensus {
  readonly counts: ReadonlyMap<Presented, number>;
  /** The number of invocations that may need an operator, including those that are not in `suspects`. */
  readonly suspected: ReadonlyMap<AttentionKind, number>;
  /** The suspects by kind. If one kind has too many, the map contains the suspects that were accepted first. */
  readonly suspects: ReadonlyMap<AttentionKind, readonly Suspect[]>;
  /** Those that are paused or back off, by target. */
  readonly failing: FailingTargets;
  readonly services: ServiceCounts;
  /** True if the walk stopped before the end of the index; each count is then a lower bound. */
  readonly isPartial: boolean;
}

/** About forty entries cost one read unit, so a census costs at most about 5,000 read units. */
const ENTRIES_MAX = 200_000;
const PAGE = 1_000;
/**
 * The most suspects of one kind that a census keeps. It keeps more than `attention` shows, because some suspects turn out
 * not to need an operator.
 */
const SUSPECTS_MAX = 16;

/**
 * Costs a read of the open index and nothing else. An invocation that was accepted within the last minutes, and neither
 * parked nor driven by this process, is not counted: no index shows that it is open (ADR 0013).
 */
export async function takeCensus(engine: Engine): Promise<OpenCensus> {
  const census = new Census(engine.clock.nowMs(), new FailingTargets(engine));
  const { settings, table } = engine;
  let read = 0;
  for (const shard of shardsOf(settings)) {
    const pk = openPk(settings.keyPrefix, shard);
    for (let after: string | undefined; read <= ENTRIES_MAX;) {
      const page = await table.queryIndex("open", pk, { limit: PAGE, ...(after !== undefined && { after }) });
      read += page.items.length;
      for (const item of page.items) addItem(engine, census, item);
      after = page.next;
      if (after === undefined) break;
    }
  }
  for (const active of engine.activeInvocations.all()) addDriven(census, active);
  return census.result(read > ENTRIES_MAX);
}

/** The memory of a driver is newer than the entry, so `addDriven` counts what this process drives. */
function addItem(engine: Engine, census: Census, item: Item): void {
  const id = idOf(item);
  if (engine.activeInvocations.find(id) !== undefined) return;
  const word = String(item["status"]);
  const status = isPresented(word) ? word : "running";
  // This process does not drive the invocation. If this process is a sole owner, no process drives it.
  const isLeft = status === "running" && knowsEveryDriver(engine.settings);
  const row = summaryOf(item);
  census.failing.add(row);
  census.services.add(row.service, status);
  const entry = {
    id,
    createdAtMs: Number(item["createdAtMs"] ?? 0),
    lookAtMs: Number(item["lookAtMs"] ?? Infinity),
  };
  census.add(isLeft ? "ready" : status, entry, isHeldBack(engine, item));
}

/** True if the circuit of the next attempt is open, as far as the registry in memory shows. */
function isHeldBack({ registry }: Engine, item: Item): boolean {
  const circuits = registry.circuits();
  if (circuits.size === 0) return false;
  const { service, deploymentId } = item as Record<string, unknown>;
  const owner = typeof deploymentId === "string" ? deploymentId : registry.ownerOf(String(service));
  if (owner === undefined) return false;
  return circuits.has(circuitName({ deploymentId: owner as DeploymentId, service: String(service) }));
}

function addDriven(census: Census, { id, invocation, attempt }: ActiveInvocation): void {
  const { status } = invocation.phase;
  if (status === "completed") return;
  census.count(status === "ready" ? "running" : status);
  census.services.add(invocation.acceptance.target.service, status);
  const { exchange } = attempt;
  if (exchange?.silent === true)
    census.suspect("silent", { id, createdAtMs: exchange.heardAtMs - SILENT_AFTER_MS, lookAtMs: exchange.heardAtMs });
}

class Census {
  readonly #nowMs: number;
  readonly #counts = new Map<Presented, number>(
    PRESENTED.filter((status) => status !== "completed").map((status) => [status, 0]),
  );
  readonly #suspected = new Map<AttentionKind, number>();
  readonly #suspects = new Map<AttentionKind, Suspect[]>(ATTENTION_KINDS.map((kind) => [kind, []]));

  readonly failing: FailingTargets;
  readonly services = new ServiceCounts();

  constructor(nowMs: number, failing: FailingTargets) {
    this.#nowMs = nowMs;
    this.failing = failing;
  }

  add(status: Presented, suspect: Suspect, isHeldBack: boolean): void {
    this.count(status);
    const kind = suspicionOf({ status, ...suspect, isHeldBack }, this.#nowMs);
    if (kind !== undefined) this.suspect(kind, suspect);
  }

  count(status: Presented): void {
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1);
  }

  suspect(kind: AttentionKind, suspect: Suspect): void {
    this.#suspected.set(kind, (this.#suspected.get(kind) ?? 0) + 1);
    const kept = this.#suspects.get(kind)!;
    // Sorting now and then keeps the memory small, and costs less than keeping the order all the time.
    if (kept.push(suspect) >= 8 * SUSPECTS_MAX) this.#suspects.set(kind, oldest(kept));
  }

  result(isPartial: boolean): OpenCensus {
    const suspects = new Map([...this.#suspects].map(([kind, kept]) => [kind, oldest(kept)]));
    const { failing, services } = this;
    return { counts: this.#counts, suspected: this.#suspected, suspects, failing, services, isPartial };
  }
}

function oldest(kept: readonly Suspect[]): Suspect[] {
  return kept.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1)).slice(0, SUSPECTS_MAX);
}
