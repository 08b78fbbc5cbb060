/**
 * The guard finds a look that ends its process: each pass leaves a record while it runs, and after a death the next pass records each
 * look before the look begins.
 */
import type { InvocationId } from "../../core/model/ids.ts";
import { DAY_S } from "../../core/model/time-units.ts";
import type { Engine } from "../engine.ts";
import { sweeperPk } from "../store/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";

/** `extend` reads an invocation page by page; `look` loads the whole invocation, up to a bound. */
export type Phase = "extend" | "look";

export interface Guard {
  /** True after a death: the looks run one by one, and each is recorded before it begins. */
  readonly isCautious: boolean;
  mark(id: InvocationId, phase: Phase): Promise<void>;
  /** Removes the mark after the looks, so that a later death of the process is not blamed on the last marked invocation. */
  clear(): Promise<void>;
  /** True if a process died in this phase of this invocation within the last day. */
  isDeadly(id: InvocationId, phase: Phase): boolean;
}

/** No guard. For a process that keeps its walks in memory, because no other process continues them after its death. */
export const NO_GUARD: Guard = {
  isCautious: false,
  mark: async () => {},
  clear: async () => {},
  isDeadly: () => false,
};

const DEADLY = "deadly#";
/** A deadly look is tried again after this time, because by then the function may have more memory or a new version. */
const DEADLY_S = DAY_S;

export type DeadlyLooks = ReadonlySet<string>;

/** @param items the items of the sweeper's partition */
export function deadlyLooks(items: readonly Item[], nowMs: number): DeadlyLooks {
  const existing = items.filter(({ sk, expiresAtS }) => sk.startsWith(DEADLY) && Number(expiresAtS) * 1000 > nowMs);
  return new Set(existing.map(({ sk }) => sk.slice(DEADLY.length)));
}

/**
 * @param record the key of the item in which the looks are recorded
 * @param token the token of this process; if the item has another token, the guard does not write to it
 */
export function guardOver(
  engine: Engine,
  record: Key,
  { token, deadly, isCautious }: { readonly token: string; readonly deadly: DeadlyLooks; readonly isCautious: boolean },
): Guard {
  const mine = { kind: "equal", attribute: "token", value: token } as const;
  return {
    isCautious,
    async mark(id, phase) {
      await engine.table.update(record, { set: { trying: nameOf(id, phase) } }, mine);
    },
    async clear() {
      await engine.table.update(record, { remove: ["trying"] }, mine);
    },
    isDeadly: (id, phase) => deadly.has(nameOf(id, phase)),
  };
}

/**
 * Stores the deadly look of a walk whose process died. It is the look that the walk recorded last.
 * @param dead the item of that walk
 * @param deadly the deadly looks known before
 * @returns `deadly` and the new one
 */
export async function learnDeadly(engine: Engine, dead: Partial<Item>, deadly: DeadlyLooks): Promise<DeadlyLooks> {
  const { trying } = dead;
  if (typeof trying !== "string") return deadly;
  const key = { pk: sweeperPk(engine.settings.keyPrefix), sk: `${DEADLY}${trying}` };
  await engine.table.put({ ...key, expiresAtS: Math.ceil(engine.clock.nowMs() / 1000) + DEADLY_S });
  const [phase, invocationId] = trying.split(" ");
  engine.log.write("sweeper.died", {
    invocationId,
    phase,
  });
  return new Set([...deadly, trying]);
}

function nameOf(id: InvocationId, phase: Phase): string {
  return `${phase} ${id}`;
}

const PASSING_SK = "passing";
/** If a recorded pass began less than this long ago, it may still run: an operator may order a pass while another one runs. */
const ALIVE_MS = 240_000;

export interface PassRecord {
  readonly guard: Guard;
  /** Removes the record, if this pass has written it. */
  end(): Promise<void>;
}

/** @param items the items of the sweeper's partition */
export async function beginRecord(engine: Engine, items: readonly Item[]): Promise<PassRecord> {
  const nowMs = engine.clock.nowMs();
  const key: Key = { pk: sweeperPk(engine.settings.keyPrefix), sk: PASSING_SK };
  const token = engine.activeInvocations.newToken();
  const known = deadlyLooks(items, nowMs);
  const former = items.find(({ sk }) => sk === PASSING_SK);
  const mayLive = former !== undefined && nowMs - Number(former["beganMs"]) < ALIVE_MS;
  if (mayLive)
    return { guard: guardOver(engine, key, { token, deadly: known, isCautious: false }), end: async () => {} };
  const deadly = former === undefined ? known : await learnDeadly(engine, former, known);
  if (former !== undefined) engine.log.write("sweeper.pass-lost");
  await engine.table.put({ ...key, token, beganMs: nowMs });
  return {
    guard: guardOver(engine, key, { token, deadly, isCautious: former !== undefined }),
    async end() {
      await engine.table.delete(key, { kind: "equal", attribute: "token", value: token });
    },
  };
}
