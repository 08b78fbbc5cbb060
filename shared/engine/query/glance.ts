/** How an invocation stands, told by reads of single items instead of its partition: what has ended mostly costs one. */
import type { DeploymentId, Nonce } from "../../core/model/ids.ts";
import type { Presented } from "../../core/query/status-words.ts";
import { readAcceptance } from "../ledger/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { type Hold, readHold } from "../ledger/hold-record.ts";
import { holdKey, invocationPk, segmentKey } from "../ledger/item-keys.ts";
import { whole } from "../ledger/large-record.ts";
import type { ListingEntry } from "./listing-stream.ts";
import { isHeld } from "../ledger/load.ts";
import type { Item, Key } from "../ports/table.ts";
import { readOutline, type SegmentOutline } from "../ledger/segment-record.ts";

const UNIT_BYTES = 4096;

export interface Glanced {
  readonly status: Presented;
  readonly deploymentId?: DeploymentId;
}

/** What the index must show of an invocation for a glance at it. */
export type Glimpsed = Pick<ListingEntry, "id"> & { readonly nonce: Nonce };

class NoReadsLeft extends Error {
  override name = "NoReadsLeft";
}

/** The glances of one page, within so many read units. */
export class Glances {
  readonly #engine: Engine;
  #unitsLeft: number;

  constructor(engine: Engine, unitsMax: number) {
    this.#engine = engine;
    this.#unitsLeft = unitsMax;
  }

  /** @returns undefined where the units ran out before it could be told */
  at(entry: Glimpsed): Promise<Glanced | undefined> {
    const driven = this.#engine.drives.find(entry.id)?.invocation;
    if (driven === undefined) return this.#affordable(() => this.#glance(entry));
    const { status } = driven.standing;
    const { pin } = driven;
    return Promise.resolve({
      status: status === "ready" ? "running" : status,
      ...(pin && { deploymentId: pin.deploymentId }),
    });
  }

  /** The deployment that the first attempt was fixed to. @returns undefined where none is known, or the units ran out */
  deploymentOf({ id, nonce }: Glimpsed): Promise<DeploymentId | undefined> {
    const { keyPrefix } = this.#engine.settings;
    return this.#affordable(async () => {
      const first = await this.#get(segmentKey(invocationPk(keyPrefix, id), nonce, 1));
      return first && (await this.#outline(first, nonce)).deploymentId;
    });
  }

  async #affordable<Told>(tell: () => Promise<Told>): Promise<Told | undefined> {
    try {
      return await tell();
    } catch (error) {
      if (error instanceof NoReadsLeft) return undefined;
      throw error;
    }
  }

  async #glance({ id, nonce }: Glimpsed): Promise<Glanced> {
    const pk = invocationPk(this.#engine.settings.keyPrefix, id);
    const last = await this.#lastSegment(pk, nonce);
    if (last === undefined) return await this.#atStart(id, pk, nonce);
    if (last.item["end"] === true) return { status: "completed" };
    const outline = await this.#outline(last.item, nonce);
    const { after, deploymentId } = outline;
    // What ended under a program that did not say so on the item.
    if (after === "completed") return { status: after };
    const found = await this.#get(holdKey(pk, nonce));
    const hold = found && readHold(found);
    const status = this.#status(outline, hold !== undefined && hold.base >= last.index ? hold : undefined);
    return { status, ...(deploymentId !== undefined && { deploymentId }) };
  }

  /** Of most there is one: the others are found in a number of reads that grows with the digits of theirs. */
  async #lastSegment(pk: string, nonce: Nonce): Promise<{ index: number; item: Item } | undefined> {
    let last: { index: number; item: Item } | undefined;
    const read = async (index: number): Promise<boolean> => {
      const item = await this.#get(segmentKey(pk, nonce, index));
      if (item !== undefined) last = { index, item };
      return item !== undefined;
    };
    let absent = 1;
    while (await read(absent)) {
      if (last?.item["end"] === true) return last;
      absent *= 2;
    }
    while (last !== undefined && last.item["end"] !== true && absent - last.index > 1) {
      const middle = Math.floor((absent + last.index) / 2);
      if (!(await read(middle))) absent = middle;
    }
    return last;
  }

  /** No attempt has ended yet; or all of it is over, and its journal has been dropped or its id is another's. */
  async #atStart(id: Glimpsed["id"], pk: string, nonce: Nonce): Promise<Glanced> {
    const first = await this.#get(segmentKey(pk, nonce, 0));
    if (first === undefined || first["n"] !== nonce || first["end"] === true) return { status: "completed" };
    const [plain] = await whole(this.#engine, [first], nonce);
    const { acceptance, lease } = readAcceptance(id, plain ?? first);
    if (isHeld(this.#engine, { lease }, this.#engine.clock.nowMs())) return { status: "running" };
    const found = await this.#get(holdKey(pk, nonce));
    if (found === undefined) return { status: acceptance.startAtMs === undefined ? "ready" : "scheduled" };
    const hold = readHold(found);
    return { status: hold.status === "scheduled" ? hold.status : this.#status({ after: "running", lease }, hold) };
  }

  #status({ after, lease }: SegmentOutline, hold: Hold | undefined): Presented {
    if (hold?.status === "backing-off" || hold?.status === "paused" || hold?.status === "pending") return hold.status;
    if (after !== "running" && (after === "suspended" || hold === undefined)) return after;
    const held = hold === undefined ? lease : { token: hold.token, untilMs: hold.untilMs };
    return isHeld(this.#engine, { lease: held }, this.#engine.clock.nowMs()) ? "running" : "ready";
  }

  async #outline(segment: Item, nonce: Nonce): Promise<SegmentOutline> {
    const [plain] = await whole(this.#engine, [segment], nonce);
    return readOutline(plain ?? segment);
  }

  async #get(key: Key): Promise<Item | undefined> {
    if (this.#unitsLeft <= 0) throw new NoReadsLeft();
    this.#unitsLeft--;
    const item = await this.#engine.table.get(key);
    // What it holds is known only now, so that large ones may take more than is left.
    if (item?.["b"] instanceof Uint8Array) this.#unitsLeft -= Math.floor(item["b"].length / UNIT_BYTES);
    return item;
  }
}
