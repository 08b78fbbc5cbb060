/** Counts what a pass or a slice has done, and the open invocations that its walks have passed. */
import type { Status } from "../../core/invocation/invocation.ts";
import type { Engine } from "../engine.ts";
import type { Item } from "../ports/table.ts";
import { idOf } from "../store/index-walk.ts";
import { knowsEveryDriver } from "../ports/store-ownership.ts";

/**
 * In the walk `everything`, a pass or a slice reads the arrivals of at most this many entries that are not due: entries whose
 * age has doubled since the previous walk. An entry that this limit leaves out is read once its age has doubled again.
 */
export const READS_MAX = 5_000;

export class Counts {
  woken = 0;
  extended = 0;
  postponed = 0;
  readsLeft = READS_MAX;
  #alone: Promise<unknown> = Promise.resolve();
  /** True if the walk over the listing stopped because too many looks failed. */
  isStuck = false;
  /** True if an extension failed. */
  isExtensionMissing = false;
  /** The earliest due moment of the parked invocations that were found due; `Infinity` if there is none. */
  dueSinceMs: number;
  /** The walks `due` and `everything` add to this one count; present if both began together in this pass. */
  open?: OpenCount;
  /** The count of the walk that an operator has ordered; present if it began in this pass. */
  orderedOpen?: OpenCount;

  /** @param dueSinceMs the value that earlier passes of the same walk have found */
  constructor(dueSinceMs = Infinity) {
    this.dueSinceMs = dueSinceMs;
  }

  /** Runs the looks one after the other, so that only one invocation is in memory. */
  async alone<T>(look: () => Promise<T>): Promise<T> {
    const looked = this.#alone.then(() => look());
    this.#alone = looked.catch(() => undefined);
    return await looked;
  }
}

/** The statuses of open invocations, in the order of the API. */
export const OPEN_STATUSES = [
  "scheduled",
  "pending",
  "ready",
  "running",
  "backing-off",
  "suspended",
  "paused",
] as const satisfies readonly Status[];
export type OpenStatus = (typeof OPEN_STATUSES)[number];

/** Stands for the services without a count of their own. */
export const OTHER = "other";

/** The most services with a count of their own during a walk, so that the memory of a count has a bound. */
const KNOWN_MAX = 1_000;
/** Names come from deployments and may have 64 KiB; services with the same first characters share a count. */
const NAME_MAX_CHARACTERS = 100;

/** The open invocations of one service. */
export class ServiceCount {
  readonly byStatus: Record<OpenStatus, number> = Object.fromEntries(
    OPEN_STATUSES.map((status) => [status, 0]),
  ) as never;
  /** The moment since which the longest-waiting invocation has waited for a driver; Infinity if no invocation waits for one. */
  readySinceMs = Infinity;

  get total(): number {
    return Object.values(this.byStatus).reduce((sum, count) => sum + count, 0);
  }

  addAll({ byStatus, readySinceMs }: ServiceCount): void {
    for (const status of OPEN_STATUSES) this.byStatus[status] += byStatus[status];
    this.readySinceMs = Math.min(this.readySinceMs, readySinceMs);
  }
}

/** Costs no read, because the walk has the entries, and an entry shows service and status. */
export class OpenCount {
  readonly #engine: Engine;
  readonly #services = new Map<string, ServiceCount>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * A sole owner skips the entry of an invocation that it drives, because the memory of the driver is newer than the entry;
   * `counted` adds the invocation from that memory. If a sole owner does not drive an invocation whose entry says `running`,
   * the invocation waits for a driver and counts as `ready`.
   * @param item an entry of the open index
   */
  add(item: Item): void {
    const { activeInvocations, settings } = this.#engine;
    const knowsDrivers = knowsEveryDriver(settings);
    if (knowsDrivers && activeInvocations.find(idOf(item)) !== undefined) return;
    const status = String(item["status"]);
    if (!isOpen(status)) return;
    const count = this.#of(String(item["service"]));
    const isLeft = knowsDrivers && status === "running";
    count.byStatus[isLeft ? "ready" : status]++;
    if (!isLeft && status !== "ready") return;
    // The former driver worked until the process before this one ended, so the invocation has waited since this process
    // began.
    const sinceMs = isLeft ? activeInvocations.beganAtMs : this.#readySinceMs(item);
    count.readySinceMs = Math.min(count.readySinceMs, sinceMs);
  }

  /**
   * Call it once, at the end of the walk.
   * @param servicesMax at most this many services, those with the most open invocations, have a count of their own
   * @returns the counts by service, the largest first, and the rest as `other`, which may be empty
   */
  counted(servicesMax: number): ReadonlyMap<string, ServiceCount> {
    this.#addDriven();
    const largestFirst = [...this.#services].sort(
      ([a, one], [b, other]) => other.total - one.total || (a < b ? -1 : 1),
    );
    const named = largestFirst.filter(([service]) => service !== OTHER);
    const counts = new Map(named.slice(0, servicesMax));
    const rest = new ServiceCount();
    for (const [service, count] of largestFirst) if (!counts.has(service)) rest.addAll(count);
    return counts.set(OTHER, rest);
  }

  #addDriven(): void {
    const { activeInvocations, settings } = this.#engine;
    if (!knowsEveryDriver(settings)) return;
    for (const { invocation } of activeInvocations.all()) {
      const { status } = invocation.phase;
      if (!isOpen(status)) continue;
      this.#of(invocation.acceptance.target.service).byStatus[status === "ready" ? "running" : status]++;
    }
  }

  #of(service: string): ServiceCount {
    const name = service.slice(0, NAME_MAX_CHARACTERS);
    const known = this.#services.get(name);
    if (known !== undefined) return known;
    if (name !== OTHER && this.#services.size >= KNOWN_MAX) return this.#of(OTHER);
    const fresh = new ServiceCount();
    this.#services.set(name, fresh);
    return fresh;
  }

  /**
   * A driver that parks an invocation as ready sets the next look one interval later. An invocation without a deployment
   * was noted by the sweeper instead, and has waited since its acceptance.
   */
  #readySinceMs({ createdAtMs, deploymentId, lookAtMs }: Item): number {
    if (typeof createdAtMs === "number" && deploymentId === undefined) return createdAtMs;
    return Number(lookAtMs) - this.#engine.settings.checkIntervalMs;
  }
}

function isOpen(status: string): status is OpenStatus {
  return (OPEN_STATUSES as readonly string[]).includes(status);
}
