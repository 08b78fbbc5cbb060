/** The record of a running pass. If a later pass finds the record, the process that wrote it has died or is still running. */
import type { Engine } from "../engine.ts";
import { sweeperPk } from "../store/item-keys.ts";
import type { Item, Key } from "../ports/table.ts";
import { deadlyLooks, type Guard, guardOver, learnDeadly } from "./guard.ts";

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
