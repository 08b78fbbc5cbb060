/** The marks of suspects as they lie in the table, and the sign that a process has not ended as it should. */
import type { InvocationId } from "../../core/model/ids.ts";
import { sweeperPk } from "../store/item-keys.ts";
import { readPartition } from "../store/read-partition.ts";
import type { EngineSettings } from "../ports/engine-settings.ts";
import type { Clock } from "../ports/clock.ts";
import type { Key, Table } from "../ports/table.ts";

const LIFE_SK = "life";
const MARK = "suspect#";
/** A mark of an invocation that nobody asks for any more goes by itself. */
const KEPT_S = 86_400;
const ALL_MARKS = { from: MARK, below: "suspect$" };

export interface Mark {
  /** The invocation is the only one that is tried. */
  readonly isAlone: boolean;
  /** How many processes have ended while they tried it alone, one after the other. */
  readonly deathsAlone: number;
}

/** What marks need of the engine. */
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

  /** Resolves when it is durable. */
  async put(id: InvocationId, { isAlone, deathsAlone }: Mark): Promise<void> {
    const expiresAtS = Math.ceil(this.#clock.nowMs() / 1000) + KEPT_S;
    await this.#table.put({ ...this.#keyOf(id), isAlone, deathsAlone, expiresAtS });
  }

  async delete(id: InvocationId): Promise<void> {
    await this.#table.delete(this.#keyOf(id));
  }

  /** The marks that were left, each with the death that left it counted. */
  async left(): Promise<ReadonlyMap<InvocationId, Mark>> {
    const marks = new Map<InvocationId, Mark>();
    for (const { sk, isAlone, deathsAlone } of await readPartition(this.#table, this.#pk, ALL_MARKS)) {
      const deaths = Number(deathsAlone) + (isAlone === true ? 1 : 0);
      marks.set(sk.slice(MARK.length) as InvocationId, { isAlone: isAlone === true, deathsAlone: deaths });
    }
    return marks;
  }

  /** @returns whether the process before this one has ended without `endLife` */
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
