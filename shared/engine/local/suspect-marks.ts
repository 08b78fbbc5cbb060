/** The marks of suspects in the table, and the item by which a process finds that the previous one did not end cleanly. */
import type { InvocationId } from "../../core/model/ids.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import { sweeperPk } from "../store/item-keys.ts";
import { readPartition } from "../store/read-partition.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Key, Table } from "../ports/table.ts";

const LIFE_SK = "life";
const MARK = "suspect#";
/** A mark expires by itself, in case no process reads it any more. */
const KEPT_S = DAY_S;
/**
 * If this many processes in a row died while they had put the invocation off, their deaths had another cause. The deaths in
 * `deathsAlone` then probably had another cause too, so `deathsAlone` becomes 0.
 */
const PUT_OFFS_MAX = 3;
const ALL_MARKS = { from: MARK, below: "suspect$" };

export interface Mark {
  /** The invocation is tried alone. */
  readonly isAlone: boolean;
  /** How many processes in a row have ended while they tried the invocation alone. */
  readonly deathsAlone: number;
  /** How many processes in a row have ended while they had put the invocation off; their deaths have another cause. */
  readonly putOffs: number;
}

/** The parts of the engine that marks need. */
export interface MarksGround {
  readonly table: Table;
  readonly clock: Clock;
  readonly settings: EngineSettings;
}

export class Marks {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #pk: string;

  constructor({ table, clock, settings }: MarksGround) {
    this.#table = table;
    this.#clock = clock;
    this.#pk = sweeperPk(settings.keyPrefix);
  }

  /** Resolves when the mark is durable. */
  async put(id: InvocationId, { isAlone, deathsAlone, putOffs }: Mark): Promise<void> {
    const expiresAtS = Math.ceil(this.#clock.nowMs() / 1000) + KEPT_S;
    await this.#table.put({ ...this.#keyOf(id), isAlone, deathsAlone, putOffs, expiresAtS });
  }

  async delete(id: InvocationId): Promise<void> {
    await this.#table.delete(this.#keyOf(id));
  }

  /**
   * Reads the marks that the previous process left. If that process tried an invocation alone, the returned
   * mark also counts the death of that process in `deathsAlone`; the stored mark does not.
   */
  async left(): Promise<ReadonlyMap<InvocationId, Mark>> {
    const marks = new Map<InvocationId, Mark>();
    for (const { sk, isAlone, deathsAlone, putOffs } of await readPartition(this.#table, this.#pk, ALL_MARKS)) {
      const id = sk.slice(MARK.length) as InvocationId;
      const spared = Number(putOffs);
      const deaths = spared < PUT_OFFS_MAX ? Number(deathsAlone) + (isAlone === true ? 1 : 0) : 0;
      marks.set(id, { isAlone: isAlone === true, deathsAlone: deaths, putOffs: spared % PUT_OFFS_MAX });
    }
    return marks;
  }

  /** @returns whether the previous process has ended without `endLife` */
  async beginLife(): Promise<boolean> {
    const key = { pk: this.#pk, sk: LIFE_SK };
    const put = await this.#table.put(key, { kind: "absent" });
    return !put.written;
  }

  async endLife(): Promise<void> {
    await this.#table.delete({ pk: this.#pk, sk: LIFE_SK });
  }

  #keyOf(id: InvocationId): Key {
    return { pk: this.#pk, sk: MARK + id };
  }
}
