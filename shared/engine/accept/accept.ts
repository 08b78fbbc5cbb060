/** Accepts an invocation: writes segment 0, unless a life under the same id has not expired (I6, I12). */
import type { Acceptance } from "../../core/invocation/acceptance.ts";
import { accepted } from "../../core/invocation/invocation.ts";
import { nonceFromBytes, NONCE_BYTES, type Nonce } from "../../core/model/ids.ts";
import { type Lease, acceptanceItem } from "../store/acceptance-record.ts";
import type { Engine } from "../engine.ts";
import { ActiveInvocation, type DriverOrigin } from "../local/active-invocation.ts";
import { Inbox } from "../local/inbox.ts";
import { LeaseHandle } from "../local/lease-handle.ts";
import type { OwnAcceptance } from "../local/own-acceptance.ts";
import { inputEntry } from "../store/entries.ts";
import { invocationPk } from "../store/item-keys.ts";
import { actAttributes } from "../store/operator-act.ts";
import { wakeNow } from "../messaging/wake.ts";
import { type Item, StoreError } from "../ports/table.ts";
import type { OperatorAct } from "../ports/submission.ts";
import { keepUntilS } from "../store/ttl.ts";
import { chunkForPut, dropLost, dropPieces } from "../store/large-record.ts";
import { isInPieces } from "../store/record-envelope.ts";
import { hasExpired, type Loaded, unperformed, withLoaded } from "../store/load.ts";
import { isVoid } from "../store/singleton-item.ts";

/** Every sender of a signal reads segment 0 and pays for its size, so larger inputs are stored in pieces. */
const INLINE_MAX_BYTES = 16 * 1024;

/** `instead`: the acceptance replaced an expired life, which readers found until then. */
export type Acceptation =
  | { readonly kind: "new"; readonly instead?: true }
  | { readonly kind: "existing"; readonly loaded: Loaded };

const ABSENT = { kind: "absent" } as const;

/**
 * Resolves with `new` when segment 0 is durable, or with the invocation that already exists under this id.
 * @param act the operator's act that causes the acceptance
 * @param join called with the existing invocation. A large invocation is loaded in a turn of `largeLoads`, and the turn ends only
 *   after `join`
 * @param isThis true for an expired life that must not be replaced: the command that asks for this acceptance may be a repeat,
 *   and the earlier performance may have made or found that life. `accept` returns such a life as existing
 * @throws StoreError if the store fails, or if no worker performs the last effects of a former life in time. VoidedError for the
 *   acceptance of a singleton that comes too late
 */
export async function accept(
  engine: Engine,
  acceptance: Acceptance,
  lease: Lease,
  isThis: (former: Loaded) => boolean = () => false,
  act?: OperatorAct,
  join?: (existing: Loaded) => Promise<void>,
): Promise<Acceptation> {
  const nowMs = engine.clock.nowMs();
  const plain = acceptanceItem(engine.settings, acceptance, lease, keepUntilS(engine.settings, acceptance, nowMs));
  const attributes = act === undefined ? plain : { ...plain, ...actAttributes(act) };
  const fit = () => chunkForPut(engine, attributes, acceptance.nonce, INLINE_MAX_BYTES);
  const item = await fit();
  const first = await engine.table.put(item, ABSENT);
  // If the answer to a put is lost, the client of the table repeats the put, and the item of the first put refuses the second. If
  // the nonce in that item is the nonce of this acceptance, this has happened.
  if (first.written || first.existing?.["n"] === acceptance.nonce) return counted(engine, acceptance);
  // This acceptance may never count, and nothing in the table names the pieces of its input.
  await dropLost(engine, item, first.existing);
  if (isVoid(first.existing)) throw new VoidedError(`the acceptance of ${acceptance.id} comes too late`);
  for (let refusedBy = first.existing, waits = 0; ;) {
    let unfinished: Acceptance | undefined;
    const found = await withLoaded(engine, acceptance.id, async (loaded): Promise<Acceptation | undefined> => {
      if (loaded !== undefined && (!isOver(engine, loaded) || isThis(loaded))) {
        await join?.(loaded);
        return { kind: "existing", loaded };
      }
      if (loaded !== undefined && isToBeFinished(loaded, refusedBy)) {
        unfinished = loaded.invocation.acceptance;
        return undefined;
      }
      // The item that refused the put has been deleted meanwhile, or it belongs to a life that is over. The table may have deleted
      // the end of that life already, and then nothing is loaded.
      const nonce = loaded?.invocation.acceptance.nonce ?? refusedBy?.["n"];
      const free = nonce === undefined ? ABSENT : ({ kind: "equal", attribute: "n", value: nonce } as const);
      // A purge deletes pieces that no item names, so the pieces are written after the load has shown that the id is free.
      const again = isInPieces(item["b"]) ? await fit() : item;
      const put = await engine.table.put(again, free);
      if (!put.written && put.existing?.["n"] !== acceptance.nonce) {
        await dropLost(engine, again, put.existing);
        refusedBy = put.existing;
        return undefined;
      }
      if (refusedBy !== undefined && refusedBy["n"] === nonce) await dropPieces(engine, refusedBy);
      return { ...counted(engine, acceptance), ...(nonce !== undefined && { instead: true }) };
    });
    if (found !== undefined) return found;
    // The wait comes after the load, so that it holds no turn of `largeLoads`.
    if (unfinished !== undefined) {
      await waitForEnd(engine, unfinished, waits++);
      refusedBy = await engine.table.get(item);
    }
  }
}

/** Another process has taken the acceptor for dead: no invocation begins under this id any more. */
export class VoidedError extends Error {
  override name = "VoidedError";
}

/** The waits of an acceptor for the last effects of a former life. After them, the caller has to repeat its request. */
const FINISHED_AFTER_MS = [20, 100, 400, 1_000, 2_000];

/**
 * True for a tombstone whose last effects may be missing. A new life replaces the segments that name the callers of the former one, so
 * a worker must deliver the result to these callers first. It then erases the tombstone and takes it out of the listing (`eraseUnstarted`).
 */
function isToBeFinished(former: Loaded, first: Item | undefined): boolean {
  const { acceptance, phase } = former.invocation;
  if (phase.status !== "completed" || !phase.tombstone || former.last?.segment.endAlone === true) return false;
  return unperformed(former) !== undefined && first?.["n"] === acceptance.nonce && first["listPk"] !== undefined;
}

/** Leaves the last effects to a worker, and waits. @throws StoreError if they take too long: the caller may try again */
async function waitForEnd(engine: Engine, former: Acceptance, waits: number): Promise<void> {
  const ms = FINISHED_AFTER_MS[waits];
  if (ms === undefined)
    throw new StoreError(
      `${former.id} has ended, and no worker has delivered its result to all callers yet; try again`,
    );
  await wakeNow(engine, former);
  await engine.clock.sleep(ms);
}

/** A tombstone counts as expired at once, even if the clock of its writer is ahead of this one. */
function isOver({ clock }: Engine, loaded: Loaded): boolean {
  const { phase } = loaded.invocation;
  return (phase.status === "completed" && phase.tombstone) || hasExpired(loaded, clock.nowMs());
}

function counted(engine: Engine, { source }: Acceptance): { readonly kind: "new" } {
  engine.meter.count("invocations_accepted_total", { source: source.kind });
  return { kind: "new" };
}

export function newNonce(engine: Engine): Nonce {
  return nonceFromBytes(engine.ids.random(NONCE_BYTES));
}

/** The active invocation of a process that has accepted the invocation and drives it. */
export function activeByAcceptor(
  engine: Engine,
  acceptance: Acceptance,
  lease: Lease,
  ownAcceptance: OwnAcceptance,
  origin: DriverOrigin = { messageDriven: false, depth: 0 },
): ActiveInvocation {
  const pk = invocationPk(engine.settings.keyPrefix, acceptance.id);
  const invocation = accepted(acceptance, inputEntry(acceptance));
  const parts = { lease: new LeaseHandle(lease), inbox: new Inbox() };
  const active = new ActiveInvocation(pk, invocation, parts, origin, ownAcceptance);
  // Counts the write of the acceptance.
  active.countWrite();
  return active;
}
