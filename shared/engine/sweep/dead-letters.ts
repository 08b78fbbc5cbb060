/** The dead-letter queue: a message that could not be worked on among others is tried once alone, and its invocation is then parked with the reason. */
import { keptFailure } from "../../core/model/attempt-failure.ts";
import { NO_RETRIES } from "../../core/invocation/segment.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { Engine } from "../engine.ts";
import { noteFailure } from "../drive/failure-events.ts";
import { claim, putDown } from "../drive/grasp.ts";
import { sweeperPk } from "../ledger/item-keys.ts";
import { isHeld, load } from "../ledger/load.ts";
import type { Delivery, Queue } from "../ports/queue.ts";
import { StoreError } from "../ports/table.ts";
import { takeWake } from "../drive/take-wake.ts";
import { sendWake } from "../drive/wake.ts";
import { pauseUnread } from "./pause-unread.ts";

/** Longer than any try, so that no other sweeper takes the same letter meanwhile. */
const HIDDEN_MS = 900_000;
const TRY_REMEMBERED_S = 3_600;
/** The store fails for others too: a letter stays for so many passes, three hours of them, before its invocation is blamed. */
const STORE_TRIES_MAX = 36;

export interface DeadLetterReport {
  readonly driven: number;
  readonly paused: number;
  /** Letters that stay, because the store could not do what was asked. */
  readonly left?: number;
}

/** Takes letters one by one until there is none, or the time is up. A letter whose invocation can be neither driven nor parked stays, and is tried again by the next pass. */
export async function drainDeadLetters(engine: Engine, letters: Queue, untilMs: number): Promise<DeadLetterReport> {
  const report = { driven: 0, paused: 0 };
  const left: string[] = [];
  while (engine.clock.nowMs() < untilMs && !engine.drives.stopping) {
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
  // A hidden letter would be missed by an alarm on the length of the queue.
  await Promise.all(left.map((receipt) => letters.extend(receipt, 0).catch(() => undefined)));
  if (report.driven + report.paused > 0) engine.log.warn("dead letters were taken up", { ...report });
  return { ...report, ...(left.length > 0 && { left: left.length }) };
}

async function answerLetter(engine: Engine, letter: Delivery): Promise<"driven" | "paused" | "left"> {
  const { invocationId } = letter.wake;
  try {
    return await tryAlone(engine, letter);
  } catch (error) {
    engine.log.error("a dead letter can be neither driven nor parked", { invocationId, error: String(error) });
    return "left";
  }
}

async function tryAlone(engine: Engine, { wake, receiveCount }: Delivery): Promise<"driven" | "paused" | "left"> {
  const { invocationId } = wake;
  const marker = { pk: sweeperPk(engine.settings.keyPrefix), sk: `tried#${invocationId}` };
  if (!(await beginTry(engine, marker))) {
    // Reading it may be what takes processes along.
    await pauseUnread(engine, invocationId, told("the process that drove it ended before its time"));
    await engine.table.delete(marker);
    return "paused";
  }
  const failure = await takeWake(engine, wake).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // Only a try that takes its process with it leaves the mark.
  await engine.table.delete(marker);
  if (failure === undefined) return "driven";
  if (failure instanceof StoreError && !failure.lasts && receiveCount < STORE_TRIES_MAX) throw failure;
  await pauseFor(engine, invocationId, told(String(failure)));
  return "paused";
}

function told(reason: string): string {
  return `it could not be driven, not even alone: ${reason}`;
}

/** @returns false where a try has begun and never ended: it took its process with it, and would take this one */
async function beginTry(engine: Engine, marker: { readonly pk: string; readonly sk: string }): Promise<boolean> {
  const nowS = Math.ceil(engine.clock.nowMs() / 1000);
  // A put whose answer was lost and that was sent again is refused by itself: it tells of no former try.
  const by = engine.drives.newToken();
  const put = await engine.table.put(
    { ...marker, by, expiresAtS: nowS + TRY_REMEMBERED_S },
    { kind: "any", of: [{ kind: "absent" }, { kind: "less", attribute: "expiresAtS", than: nowS }] },
  );
  // A mark of this very process stands where the store refused to delete it: its try took no process along.
  return put.written || processOf(String(put.standing?.["by"])) === processOf(by);
}

/** Of a token: what it says before the number that the process has given it. */
function processOf(token: string): string {
  return token.slice(0, token.lastIndexOf("."));
}

/**
 * Parks what no driver drives as paused, so that an operator sees it and why.
 * @throws Error where it has ended and its end has effects that could not be performed: there is nothing to park, and
 * its letter is all that remembers them
 */
async function pauseFor(engine: Engine, id: InvocationId, reason: string): Promise<void> {
  for (let hasWaited = false; ; hasWaited = true) {
    const loaded = await load(engine, id);
    if (loaded === undefined) return;
    if (loaded.invocation.standing.status === "completed") throw new Error(`it has ended, and ${reason}`);
    const nowMs = engine.clock.nowMs();
    if (isHeld(engine, loaded, nowMs)) {
      const leftMs = loaded.lease.untilMs - nowMs + 1;
      // The lease may be that of the try that has just failed; one that was renewed meanwhile belongs to another driver.
      if (!hasWaited) {
        await engine.clock.sleep(leftMs);
        continue;
      }
      // It is driven after all, and the letter was that driver's backstop (I11).
      await sendWake(engine, loaded.invocation.acceptance, leftMs);
      return;
    }
    const held = await claim(engine, loaded, { messageDriven: true });
    if (held === undefined) continue;
    const failure = keptFailure({ errorCode: "RT0006", code: 500, message: reason, atMs: nowMs });
    held.invocation = {
      ...held.invocation,
      standing: { status: "paused" },
      retries: NO_RETRIES,
      lastFailure: failure,
    };
    // The effects of its last segment may be what fails: whoever resumes it performs them (I2).
    if (!(await putDown(engine, held, "paused", undefined, loaded.hold?.performed ?? 0))) continue;
    engine.meter.count("invocations_paused_total");
    engine.log.error("an invocation is paused", { invocationId: id, reason });
    await noteFailure(engine, held, failure);
    return;
  }
}
