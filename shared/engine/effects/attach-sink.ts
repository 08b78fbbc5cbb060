/** Sinks of an invocation: each item names another invocation, which attached to the first one and gets its result. */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import type { Result } from "../../core/model/failure.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import { AT_ONCE, atMost } from "../bulkheads/at-most.ts";
import { type Addressee, deliverResult } from "../messaging/deliver.ts";
import type { Engine } from "../engine.ts";
import { invocationPk, sinkKey, sinkRange } from "../store/item-keys.ts";
import { keepUntilS } from "../store/ttl.ts";
import { readPartition } from "../store/read-partition.ts";

/**
 * The caller sends a wake to the target afterwards, so that the result is delivered even if the target has ended meanwhile (I3).
 * @param extendedUntilS the `keepUntilS` of the target's lease record; undefined if there is no lease record
 */
export async function writeSink(
  engine: Engine,
  target: Acceptance,
  to: Addressee,
  completionId: number,
  extendedUntilS?: number,
): Promise<void> {
  const pk = invocationPk(engine.settings.keyPrefix, target.id);
  const key = sinkKey(pk, target.nonce, `${to.id}.${to.nonce}.${completionId}`);
  const expiresAtS = keepUntilS(engine.settings, target, engine.clock.nowMs(), extendedUntilS);
  const service = to.target && { toService: to.target.service };
  const sink = { ...key, to: to.id, toNonce: to.nonce, ...service, completionId, expiresAtS };
  await engine.table.put(sink, { kind: "absent" });
}

/** Delivers the result to each sink. A repeated delivery has no effect. */
export async function answerSinks(engine: Engine, { id, nonce }: Acceptance, result: Result): Promise<void> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  const sinks = await readPartition(engine.table, pk, sinkRange(nonce));
  await atMost(AT_ONCE, sinks, async ({ to, toNonce, toService, completionId }) => {
    const target = typeof toService === "string" && { target: { service: toService } };
    const attached = { id: to as InvocationId, nonce: toNonce as Nonce, ...target };
    await deliverResult(engine, attached, Number(completionId), result);
  });
}
