/** I4: a driver reads arrivals after its park, so that no invocation stays parked with an arrival that satisfies its await. */
import { advance } from "../../../shared/core/invocation/advance.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { load } from "../../../shared/engine/store/load.ts";
import type { Mortal } from "./mortal.ts";
import type { Note, WatchedTable } from "./watched-table.ts";

interface Park {
  readonly id: InvocationId;
  readonly token: unknown;
  readonly parker: Mortal;
  readonly struck: number;
  readonly atMs: number;
  /** True if the time of the driver was up: it leaves the invocation to the message of the arrival. */
  readonly isLeft: boolean;
  /** The sort keys of the arrivals that were stored when the park was written. */
  readonly arrived: ReadonlySet<string>;
}

export class ParkRule {
  readonly #table: WatchedTable;
  readonly #observer: Engine;
  readonly #hasMessage: (id: InvocationId) => boolean;
  readonly #engineOf: (mortal: Mortal) => Engine | undefined;
  readonly #parks = new Map<string, Park>();

  /** @param hasMessage whether a message of the invocation is in a queue, or is being worked on */
  constructor(
    table: WatchedTable,
    observer: Engine,
    engineOf: (mortal: Mortal) => Engine | undefined,
    hasMessage: (id: InvocationId) => boolean,
  ) {
    this.#hasMessage = hasMessage;
    this.#table = table;
    this.#observer = observer;
    this.#engineOf = engineOf;
  }

  /** @param note the write of a lease record */
  note({ pk, sk, before, after, writer }: Note): void {
    // An extension of the items' life leaves the park as it is.
    if (before?.["token"] === after?.["token"] && before?.["untilMs"] === after?.["untilMs"]) return;
    this.#parks.delete(pk);
    const waits = after?.["status"] === "suspended" || after?.["status"] === "backing-off";
    if (writer === undefined || !waits || after["untilMs"] !== 0) return;
    const nonce = sk.slice("hold#".length);
    const engine = this.#engineOf(writer);
    const id = pk.replace("inv#", "") as InvocationId;
    this.#parks.set(pk, {
      id,
      token: after["token"],
      parker: writer,
      struck: writer.struck,
      // Uses the clock of the parking process, which may be behind.
      atMs: (engine ?? this.#observer).clock.nowMs(),
      isLeft: engine?.activeInvocations.find(id)?.isStopping === true,
      arrived: new Set(this.#table.keysOf(pk, `arr#${nonce}#`)),
    });
  }

  /**
   * Judges each park once, after the driver that wrote it has left the invocation. A park is not judged if a fault has struck
   * the process of the driver since.
   */
  async check(): Promise<readonly string[]> {
    const complaints: string[] = [];
    for (const [pk, { id, token, parker, struck, atMs, isLeft, arrived }] of this.#parks) {
      const engine = this.#engineOf(parker);
      const isDisturbed = parker.isDead || parker.struck !== struck;
      if (!isDisturbed && (engine?.activeInvocations.find(id) !== undefined || parker.isFrozen)) continue;
      this.#parks.delete(pk);
      if (isDisturbed || arrived.size === 0 || (isLeft && this.#hasMessage(id))) continue;
      const loaded = await load(this.#observer, id);
      if (loaded === undefined || loaded.leaseRecord?.token !== token) continue;
      const { nonce } = loaded.invocation.acceptance;
      const arrivals = [...loaded.arrivals].filter(([key]) => arrived.has(`arr#${nonce}#${key}`)).map(([, one]) => one);
      const { step } = advance(loaded.invocation, { kind: "poll", atMs, arrivals });
      if (step.kind !== "park") complaints.push(`${pk} was parked although an arrival satisfied its await (I4)`);
    }
    return complaints;
  }
}
