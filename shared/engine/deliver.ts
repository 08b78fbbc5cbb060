/** Bringing a notification to an invocation: first the arrival, then the wake (I3). */
import type { NotificationId } from "../core/invocation/entry.ts";
import type { Result } from "../core/model/failure.ts";
import type { InvocationId, Nonce } from "../core/model/ids.ts";
import { type ArrivalContent, arrivalItem } from "./arrival-record.ts";
import type { Engine } from "./engine.ts";
import { ACCEPTANCE_SK, completionArrival, invocationPk } from "./item-keys.ts";
import { ARRIVAL_KEPT_S } from "./keep.ts";
import { wakeNow } from "./wake.ts";

export interface Addressee {
  readonly id: InvocationId;
  readonly nonce: Nonce;
}

/** Writes an arrival, once per key: only the first counts. */
export async function writeArrival(engine: Engine, to: Addressee, key: string, content: ArrivalContent): Promise<void> {
  const nowMs = engine.clock.nowMs();
  const expiresAtS = Math.ceil(nowMs / 1000) + ARRIVAL_KEPT_S;
  await engine.table.put(arrivalItem(engine.settings.keyPrefix, { ...to, key }, content, nowMs, expiresAtS), {
    kind: "absent",
  });
}

/** The result of a call or an attach comes home to the command that waits for it. */
export async function deliverResult(
  engine: Engine,
  to: Addressee,
  completionId: number,
  result: Result | undefined,
): Promise<void> {
  await writeArrival(engine, to, completionArrival(completionId), {
    kind: "notification",
    id: { completionId },
    result,
  });
  await wakeNow(engine, to.id);
}

/** @returns false where no such invocation is known: there is nobody to tell */
export async function deliverSignal(
  engine: Engine,
  id: InvocationId,
  key: string,
  signal: NotificationId,
  result: Result | undefined,
): Promise<boolean> {
  const nonce = await currentNonce(engine, id);
  if (nonce === undefined) return false;
  await writeArrival(engine, { id, nonce }, key, { kind: "notification", id: signal, result });
  await wakeNow(engine, id);
  return true;
}

/** The life that an id has now; undefined where there is none. */
export async function currentNonce(engine: Engine, id: InvocationId): Promise<Nonce | undefined> {
  const acceptance = await engine.table.get({ pk: invocationPk(engine.settings.keyPrefix, id), sk: ACCEPTANCE_SK });
  return acceptance?.["n"] as Nonce | undefined;
}

/** Every driver that reads the order ends the invocation; a worker that reads it does so at once (design §3). */
export async function orderKill(engine: Engine, id: InvocationId): Promise<void> {
  const nonce = await currentNonce(engine, id);
  if (nonce === undefined) return;
  await writeArrival(engine, { id, nonce }, "kill", { kind: "kill" });
  await wakeNow(engine, id);
}
