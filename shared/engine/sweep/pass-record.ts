/** The record of a pass under way: one that still stands when the next begins tells that the process died in it. */
import type { Engine } from "../engine.ts";
import { sweeperPk } from "../ledger/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";
import { deadlyLooks, type Guard, guardOver, learnDeadly } from "./guard.ts";

const PASSING_SK = "passing";
/** A pass that began later than that may still be under way: somebody ordered a second one beside it. */
const ALIVE_MS = 240_000;

export interface PassRecord {
  readonly guard: Guard;
  /** Resolves when the record has gone. */
  end(): Promise<void>;
}

/** @param items of the sweeper's partition */
export async function beginRecord(engine: Engine, items: readonly Item[]): Promise<PassRecord> {
  const nowMs = engine.clock.nowMs();
  const key: Key = { pk: sweeperPk(engine.settings.keyPrefix), sk: PASSING_SK };
  const token = engine.drives.newToken();
  const known = deadlyLooks(items, nowMs);
  const former = items.find(({ sk }) => sk === PASSING_SK);
  const mayLive = former !== undefined && nowMs - Number(former["beganMs"]) < ALIVE_MS;
  if (mayLive)
    return { guard: guardOver(engine, key, { token, deadly: known, isCautious: false }), end: async () => {} };
  const deadly = former === undefined ? known : await learnDeadly(engine, former, known);
  if (former !== undefined) engine.log.warn("the last pass of the sweeper did not end, so this one looks one by one");
  await engine.table.put({ ...key, token, beganMs: nowMs });
  return {
    guard: guardOver(engine, key, { token, deadly, isCautious: former !== undefined }),
    async end() {
      await engine.table.delete(key, { kind: "equal", attribute: "token", value: token });
    },
  };
}
