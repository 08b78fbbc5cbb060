/** Counts the open invocations that need a deployment: the pinned ones, and those that no other deployment serves. */
import { CLOCK_SKEW_MAX_MS } from "../../core/model/time-units.ts";
import type { Deployment } from "../../core/model/deployment.ts";
import type { DeploymentId, InvocationId, Nonce } from "../../core/model/ids.ts";
import { latestRevisions } from "../../core/registry/latest-revisions.ts";
import { atMost } from "../bulkheads/at-most.ts";
import type { Engine } from "../engine.ts";
import { StatusProbe } from "../query/status-probe.ts";
import { idOf, listedItems, oldestListedMs, openItems, readNoted, type Noted } from "../store/index-walk.ts";
import { invocationPk, placeAt } from "../store/item-keys.ts";
import { load } from "../store/load.ts";
import type { Item } from "../ports/table.ts";

export interface Needs {
  /** Invocations that are pinned to the deployment. */
  readonly pinned: number;
  /** Invocations without a pin, whose handler only this deployment offers. */
  readonly unserved: number;
  /** The services of the unserved invocations, sorted by name. */
  readonly services: readonly string[];
  /** True if the count ended at a limit, so that there may be more. */
  readonly isAtLeast: boolean;
}

/** The limits of one count. For an operator, a partial count is enough. */
export interface NeedLimits {
  readonly entriesMax: number;
  readonly looksMax: number;
  readonly foundMax: number;
}

const LIMITS: NeedLimits = { entriesMax: 200_000, looksMax: 20_000, foundMax: 1_000 };
/** If no sweeper has run yet, the listing is read backwards until this many days in a row have no acceptance. */
const EMPTY_DAYS_MAX = 31;
const TOGETHER = 100;
/** The limit of loads at a time, because the system refuses many new sockets at once to a Lambda function. */
const LOADS_AT_ONCE = 8;

/**
 * Reads the whole open index, looks at each acceptance that the sweeper has not reached, and loads each open invocation whose
 * pin the index does not show, within the limits. The count may miss invocations that are accepted meanwhile.
 * @param deployments all registered deployments
 */
export async function neededBy(
  engine: Engine,
  deployments: readonly Deployment[],
  id: DeploymentId,
  limits: NeedLimits = LIMITS,
): Promise<Needs> {
  // The sweeper's progress is read before the open index, so that every open invocation that the progress covers is in that
  // index.
  const noted = await readNoted(engine);
  const count = new NeedCount(engine, id, servedOnlyBy(deployments, id), limits);
  const seen = new Set<string>();
  for await (const group of grouped(openItems(engine))) {
    for (const { pk } of group) seen.add(pk);
    await count.addOpen(group);
    if (count.isOver) return count.needs;
  }
  for await (const group of grouped(await youngItems(engine, noted))) {
    await count.addListed(group, seen);
    if (count.isOver) return count.needs;
  }
  await count.addUnread([...noted.except].filter((one) => !seen.has(invocationPk(engine.settings.keyPrefix, one))));
  return count.needs;
}

async function youngItems(engine: Engine, { belowMs }: Noted): Promise<AsyncIterable<Item>> {
  const nowMs = engine.clock.nowMs();
  const fromMs = belowMs > 0 ? belowMs : await oldestListedMs(engine, nowMs, EMPTY_DAYS_MAX);
  return listedItems(engine, { from: placeAt(fromMs), below: placeAt(nowMs + CLOCK_SKEW_MAX_MS) });
}

async function* grouped(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let group: Item[] = [];
  for await (const item of items) {
    if (group.push(item) < TOGETHER) continue;
    yield group;
    group = [];
  }
  yield group;
}

/** @returns a predicate that is true for a handler which no deployment offers any more once this one is removed */
function servedOnlyBy(deployments: readonly Deployment[], id: DeploymentId) {
  const [now, then] = [latestRevisions(deployments), latestRevisions(deployments.filter((one) => one.id !== id))];
  const serves = (latest: typeof now, service: string, handler: string): boolean =>
    latest.get(service)?.service.handlers.some(({ name }) => name === handler) === true;
  return (service: string, handler: string): boolean =>
    serves(now, service, handler) && !serves(then, service, handler);
}

/** True if an invocation may be pinned although its entry in the open index names no deployment. */
export function isUntold({ status, deploymentId }: Item): boolean {
  return deploymentId === undefined && (status === "running" || status === "ready");
}

class NeedCount {
  readonly #engine: Engine;
  readonly #id: DeploymentId;
  readonly #isServedOnlyHere: (service: string, handler: string) => boolean;
  readonly #limits: NeedLimits;
  readonly #probe: StatusProbe;
  readonly #services = new Set<string>();
  #pinned = 0;
  #unserved = 0;
  #entries = 0;
  #looks = 0;

  constructor(
    engine: Engine,
    id: DeploymentId,
    isServedOnlyHere: (service: string, handler: string) => boolean,
    limits: NeedLimits,
  ) {
    this.#engine = engine;
    this.#id = id;
    this.#isServedOnlyHere = isServedOnlyHere;
    this.#limits = limits;
    this.#probe = new StatusProbe(engine, Infinity);
  }

  get isOver(): boolean {
    const { entriesMax, looksMax, foundMax } = this.#limits;
    return this.#entries >= entriesMax || this.#looks >= looksMax || this.#pinned + this.#unserved >= foundMax;
  }

  get needs(): Needs {
    const services = [...this.#services].toSorted();
    return { pinned: this.#pinned, unserved: this.#unserved, services, isAtLeast: this.isOver };
  }

  /**
   * Entries show the pin, except that the entry of a running invocation may be older than the pin, and that the sweeper notes an
   * invocation as ready without a load. If such an entry names no deployment, the invocation is loaded.
   */
  async addOpen(holds: readonly Item[]): Promise<void> {
    this.#entries += holds.length;
    const open = holds.filter(({ status }) => status !== "completed");
    for (const item of open)
      if (!isUntold(item)) this.#add(item["deploymentId"], String(item["service"]), String(item["handler"]));
    await this.addUnread(open.filter(isUntold).map(idOf));
  }

  async addListed(entries: readonly Item[], seen: ReadonlySet<string>): Promise<void> {
    this.#entries += entries.length;
    const unseen = entries.filter(({ pk }) => !seen.has(pk));
    this.#looks += unseen.length;
    const probed = await this.#probe.at(unseen.map((item) => ({ id: idOf(item), nonce: item["n"] as Nonce })));
    const isOpen = (at: number): boolean => probed[at]?.status !== "completed" && probed[at]?.status !== "gone";
    await this.addUnread(unseen.filter((_, at) => isOpen(at)).map(idOf));
  }

  /** Loads the invocations whose pin only the journal shows. */
  async addUnread(ids: readonly InvocationId[]): Promise<void> {
    this.#looks += ids.length;
    await atMost(LOADS_AT_ONCE, ids, async (id) => {
      const invocation = (await load(this.#engine, id))?.invocation;
      if (invocation === undefined || invocation.phase.status === "completed") return;
      const { service, handler } = invocation.acceptance.target;
      this.#add(invocation.pin?.deploymentId, service, handler);
    });
  }

  #add(deploymentId: unknown, service: string, handler: string): void {
    if (deploymentId === this.#id) this.#pinned++;
    if (deploymentId !== undefined || !this.#isServedOnlyHere(service, handler)) return;
    this.#unserved++;
    this.#services.add(service);
  }
}
