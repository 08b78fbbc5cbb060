/** Drains the dead-letter queue: tries each letter alone, and pauses its invocation if the try fails and the store works. */
import { keptFailure } from "../../core/model/attempt-failure.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { InvocationId, Nonce } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { noteFailure } from "../drive/failure-events.ts";
import { claim } from "../lease/claim.ts";
import { release } from "../lease/release.ts";
import { ACCEPTANCE_SK, invocationPk, leaseRecordKey, sweeperPk } from "../store/item-keys.ts";
import { isLeased, load } from "../store/load.ts";
import type { Delivery, Queue } from "../ports/queue.ts";
import { type Item, StoreError } from "../ports/table.ts";
import { consumeWake } from "../consume/consume-wake.ts";
import { sendWake } from "../messaging/wake.ts";
import { type RecordPlace, firstRecord, putRecord, unreadPlace } from "../lease/write-record.ts";
import { type LeaseRecord, readLeaseRecord } from "../store/lease-record.ts";
import { isOutlived } from "../store/outlived.ts";

/** Longer than any try, so that no other sweeper receives the same letter meanwhile. */
const HIDDEN_MS = 900_000;
const TRY_REMEMBERED_S = 3_600;
/** If the store fails, a letter stays for this many passes, about three hours, before its invocation is paused. */
const STORE_TRIES_MAX = 36;

export interface DeadLetterReport {
  readonly driven: number;
  readonly paused: number;
  /** Letters that stay for the next pass. */
  readonly left?: number;
}

/**
 * Takes letters one by one until there is none or time is over. A letter whose invocation can be neither driven nor
 * paused stays for the next pass.
 */
export async function drainDeadLetters(engine: Engine, letters: Queue, untilMs: number): Promise<DeadLetterReport> {
  const report = { driven: 0, paused: 0 };
  const left: string[] = [];
  while (engine.clock.nowMs() < untilMs && !engine.activeInvocations.stopping) {
    const [letter] = await letters.receive(1, HIDDEN_MS, 0);
    if (letter === undefined) break;
    const became = await answerLetter(engine, letter);
    if (became === "left") {
      left.push(letter.receipt);
      continue;
    }
    report[became]++;
    await letters.ack(letter.receipt);
  }
  // The alarm counts visible letters, so the letters that stay become visible again.
  await Promise.all(left.map((receipt) => letters.extend(receipt, 0).catch(() => undefined)));
  if (report.driven + report.paused > 0) engine.log.write("dead-letter.answered", { ...report });
  return { ...report, ...(left.length > 0 && { left: left.length }) };
}

async function answerLetter(engine: Engine, letter: Delivery): Promise<"driven" | "paused" | "left"> {
  const { invocationId } = letter.wake;
  try {
    return await tryAlone(engine, letter);
  } catch (error) {
    engine.log.write("dead-letter.left", { invocationId, error: String(error) });
    return "left";
  }
}

async function tryAlone(engine: Engine, { wake, receiveCount }: Delivery): Promise<"driven" | "paused" | "left"> {
  const { invocationId } = wake;
  const marker = { pk: sweeperPk(engine.settings.keyPrefix), sk: `tried#${invocationId}` };
  if (!(await beginTry(engine, marker))) {
    // The load of the invocation may have killed the process of the earlier try.
    await pauseUnread(engine, invocationId, pauseReason("the process that drove it ended before its time"));
    await engine.table.delete(marker);
    return "paused";
  }
  const failure = await consumeWake(engine, wake).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // Only a try that kills its process leaves the mark.
  await engine.table.delete(marker);
  if (failure === undefined) return "driven";
  if (failure instanceof StoreError && !failure.lasts && receiveCount < STORE_TRIES_MAX) throw failure;
  await pauseFor(engine, invocationId, pauseReason(String(failure)));
  return "paused";
}

function pauseReason(reason: string): string {
  return `it could not be driven, not even alone: ${reason}`;
}

/** @returns false if an earlier try never ended: that try killed its process, and another try could kill this process */
async function beginTry(engine: Engine, marker: { readonly pk: string; readonly sk: string }): Promise<boolean> {
  const nowS = Math.ceil(engine.clock.nowMs() / 1000);
  // If the answer to this put is lost, the client of the table repeats the put, and the repetition finds the mark of this same
  // try.
  const by = engine.activeInvocations.newToken();
  const put = await engine.table.put(
    { ...marker, by, expiresAtS: nowS + TRY_REMEMBERED_S },
    { kind: "any", of: [{ kind: "absent" }, { kind: "less", attribute: "expiresAtS", than: nowS }] },
  );
  // If the mark comes from this process, only the deletion of the mark has failed, and the earlier try killed no process.
  return put.written || processOf(String(put.existing?.["by"])) === processOf(by);
}

/** The name of the process in a token, without the number of the write. */
function processOf(token: string): string {
  return token.slice(0, token.lastIndexOf("."));
}

/**
 * Parks an invocation as paused, so that an operator sees it with the reason.
 * @throws Error if the invocation has ended and its final effects could not be performed: a completed invocation cannot
 *   be paused, and only the letter records the missing effects
 */
async function pauseFor(engine: Engine, id: InvocationId, reason: string): Promise<void> {
  for (let hasWaited = false; ; hasWaited = true) {
    const loaded = await load(engine, id);
    if (loaded === undefined) return;
    if (loaded.invocation.phase.status === "completed") throw new Error(`it has ended, and ${reason}`);
    const nowMs = engine.clock.nowMs();
    if (isLeased(engine, loaded, nowMs)) {
      const leftMs = loaded.lease.untilMs - nowMs + 1;
      // The lease may belong to the try that has just failed; a lease that is live after this wait belongs to another driver.
      if (!hasWaited) {
        await engine.clock.sleep(leftMs);
        continue;
      }
      // Another driver has the invocation, and this message replaces the letter as its backstop (I11).
      await sendWake(engine, loaded.invocation.acceptance, leftMs);
      return;
    }
    const active = await claim(engine, loaded, { messageDriven: true });
    if (active === undefined) continue;
    const failure = keptFailure({ errorCode: "RT0006", code: 500, message: reason, atMs: nowMs });
    const paused = { status: "paused" } as const;
    active.advanceTo({ ...active.invocation, phase: paused, retries: NO_RETRIES, lastFailure: failure });
    // The failure may come from the effects of the last segment, so the driver after a resume redoes them (I2).
    if (!(await release(engine, active, "paused", undefined, loaded.leaseRecord?.performed ?? 0))) continue;
    engine.meter.count("invocations_paused_total");
    engine.log.write("invocation.paused", { invocationId: id, reason });
    await noteFailure(engine, active, failure);
    return;
  }
}

/**
 * A lease record counts only if its base is not below the index of the last segment. No invocation has so many segments, so a
 * record with this base counts, whatever the index is.
 */
const BEHIND_ALL = 999_999;
const TRIES_MAX = 5;

/**
 * Pauses an invocation without loading it, because the load may kill the process. Only the lease record is written. Costs two reads
 * of single items and one write. Afterwards the invocation counts as paused, unless its last segment is final.
 * An operator can resume the invocation as after any other pause.
 * @throws Error if a driver has the lease, or if in every try another process writes the lease record first
 */
export async function pauseUnread(engine: Engine, id: InvocationId, reason: string): Promise<void> {
  const pk = invocationPk(engine.settings.keyPrefix, id);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const first = await engine.table.get({ pk, sk: ACCEPTANCE_SK });
    if (first === undefined || first["end"] === true) return;
    const existing = await engine.table.get(leaseRecordKey(pk, first["n"] as Nonce));
    const leaseRecord = existing && readLeaseRecord(existing);
    const untilMs = leaseRecord?.untilMs ?? 0;
    if (isOutlived(engine, { expiresAtS: first["expiresAtS"], leaseRecord, untilMs })) return;
    if (leaseRecord !== undefined && isLeased(engine, { lease: leaseRecord }, engine.clock.nowMs()))
      throw new Error("a driver has its lease after all");
    const unchanged =
      existing === undefined
        ? ({ kind: "absent" } as const)
        : ({ kind: "equal", attribute: "token", value: String(existing["token"]) } as const);
    const place = unreadPlace(id, first);
    if (!(await putRecord(engine, place, paused(engine, place, existing, reason), unchanged))) continue;
    engine.meter.count("invocations_paused_total");
    engine.log.write("invocation.paused", { invocationId: id, reason });
    return;
  }
  throw new Error("others write its lease record again and again");
}

function paused(engine: Engine, place: RecordPlace, existing: Item | undefined, reason: string): LeaseRecord {
  const nowMs = engine.clock.nowMs();
  const before: Partial<LeaseRecord> = existing === undefined ? {} : readLeaseRecord(existing);
  const { wakeAtMs: _wakeAtMs, silentSinceMs: _silentSinceMs, token: _token, ...kept } = before;
  return firstRecord(engine, place, {
    ...kept,
    base: BEHIND_ALL,
    untilMs: 0,
    status: "paused",
    retries: NO_RETRIES,
    lookAtMs: nowMs + engine.settings.checkIntervalMs,
    lastFailure: keptFailure({ errorCode: "RT0006", code: 500, message: reason, atMs: nowMs }),
  });
}
