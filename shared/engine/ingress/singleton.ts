/**
 * Accepts requests with a singleton key: of one target and key, one invocation at a time is the current one
 * (docs/design.md#singletons).
 */
import type { Acceptance, Replaces } from "../../core/invocation/acceptance.ts";
import { neverStarted } from "../../core/invocation/deadlines.ts";
import type { InvocationId } from "../../core/model/ids.ts";
import type { RequestOptions } from "../../core/model/request-options.ts";
import { accept, newNonce, VoidedError } from "../accept/accept.ts";
import { freshId } from "../accept/invocation-ids.ts";
import { startAgain, startSend } from "../accept/start-send.ts";
import type { Engine } from "../engine.ts";
import { replaceFormer } from "../messaging/replace.ts";
import type { Condition, Item } from "../ports/table.ts";
import { NO_LEASE } from "../store/acceptance-record.ts";
import { hasExpired, isLeased, type Loaded } from "../store/load.ts";
import { loadHeads } from "../store/recorder.ts";
import { type Current, currentItem, currentKey, isVoid, readCurrent, voidItem } from "../store/singleton-item.ts";
import { keepUntilS } from "../store/ttl.ts";

export type SingletonAcceptation =
  | { readonly kind: "new"; readonly acceptance: Acceptance }
  | { readonly kind: "existing"; readonly loaded: Loaded }
  | { readonly kind: "held"; readonly by: InvocationId };

type How = Pick<RequestOptions, "onDuplicate" | "debounceMs">;
export type Singleton = Acceptance & Required<Pick<Acceptance, "singleton">>;

export function isSingleton(acceptance: Acceptance): acceptance is Singleton {
  return acceptance.singleton !== undefined;
}

/**
 * Resolves when the acceptance is durable, the invocation that it replaces has been told, and the new one has a message, a timer or a
 * place in the queue of its key. If another process has taken this one for dead meanwhile, the request begins anew under another id.
 */
export async function acceptSingleton(engine: Engine, first: Singleton, how: How): Promise<SingletonAcceptation> {
  for (let draft = first; ; draft = { ...first, id: freshId(engine), nonce: newNonce(engine) }) {
    const claimed = await claimKey(engine, draft, how);
    if (claimed.kind !== "won") return claimed;
    const acceptance = { ...draft, ...(claimed.replaces && { replaces: claimed.replaces }) };
    try {
      await accept(engine, acceptance, NO_LEASE);
    } catch (error) {
      if (error instanceof VoidedError) continue;
      throw error;
    }
    await replaceFormer(engine, acceptance);
    await startSend(engine, acceptance);
    return { kind: "new", acceptance };
  }
}

type Claim = { readonly kind: "won"; readonly replaces?: Replaces } | Exclude<SingletonAcceptation, { kind: "new" }>;

/** Makes the invocation the current one of its key, unless another one is and stays it. */
async function claimKey(engine: Engine, mine: Singleton, how: How): Promise<Claim> {
  let stored = await putCurrent(engine, mine, currentOf(engine, mine.id));
  for (; stored !== undefined;) {
    const current = readCurrent(stored);
    if (current.id === mine.id) return { kind: "won", ...(current.replaces && { replaces: current.replaces }) };
    const decided = decide(engine, await lookAt(engine, mine, current), current, how);
    if (decided.kind === "existing") {
      if (!isLeased(engine, decided.loaded, engine.clock.nowMs())) await startAgain(engine, decided.loaded);
      return decided;
    }
    if (decided.kind === "held") return decided;
    const isBack = decided.kind === "back";
    const next = isBack ? currentOf(engine, decided.to) : currentOf(engine, mine.id, decided.replaces);
    stored = await putCurrent(engine, mine, next, current.id);
    if (stored !== undefined) continue;
    if (!isBack) return decided;
    // After the step back, the former invocation decides.
    stored = await putCurrent(engine, mine, currentOf(engine, mine.id));
  }
  return { kind: "won" };
}

type Decision = Claim | { readonly kind: "back"; readonly to: InvocationId };

/** `never`: the acceptance never came, and cannot come any more. */
function decide(engine: Engine, found: Loaded | "never" | "over", current: Current, how: How): Decision {
  if (found === "never" && current.replaces !== undefined) return { kind: "back", to: current.replaces.id };
  if (found === "never" || found === "over") return { kind: "won" };
  const { onDuplicate = "attach", debounceMs } = how;
  const replaces = { id: current.id, graceMs: engine.settings.endGraceMs };
  if (onDuplicate === "replace") return { kind: "won", replaces };
  // A debounced request leaves alone what has started.
  if (debounceMs !== undefined)
    return neverStarted(found.invocation) ? { kind: "won", replaces: { id: current.id } } : { kind: "won" };
  return onDuplicate === "attach" ? { kind: "existing", loaded: found } : { kind: "held", by: current.id };
}

/** The delays before further looks at an acceptance that may be under way. */
const LOOK_AGAIN_AFTER_MS = [10, 30, 100, 300, 600];
/** An acceptance comes within moments after its invocation has become the current one, or never. Clocks differ by ten seconds at most. */
const UNDER_WAY_MAX_MS = 11_000;

/**
 * If the acceptance of the current invocation does not come for a second, its acceptor counts as dead. A void then takes the place of
 * the acceptance, so that an acceptor that is only slow is refused: of two requests, one is accepted.
 */
async function lookAt(engine: Engine, mine: Acceptance, { id, atMs }: Current): Promise<Loaded | "never" | "over"> {
  const { settings, clock, table } = engine;
  const isYoung = Math.abs(clock.nowMs() - atMs) < UNDER_WAY_MAX_MS;
  const waitsMs = isYoung ? [...LOOK_AGAIN_AFTER_MS] : [];
  const stand = voidItem(settings.keyPrefix, id, keepUntilS(settings, mine, clock.nowMs()));
  for (;;) {
    const loaded = await loadHeads(engine, id);
    if (loaded !== undefined)
      return loaded.invocation.phase.status === "completed" || hasExpired(loaded, clock.nowMs()) ? "over" : loaded;
    const stored = await table.get({ pk: stand.pk, sk: stand.sk });
    // The items of an ended invocation are being deleted one by one.
    if (stored !== undefined && !isVoid(stored) && (await loadHeads(engine, id)) === undefined) return "over";
    if (isVoid(stored)) return "never";
    const waitMs = waitsMs.shift();
    if (waitMs !== undefined) await clock.sleep(waitMs);
    else if ((await table.put(stand, { kind: "absent" })).written) return "never";
  }
}

function currentOf(engine: Engine, id: InvocationId, replaces?: Replaces): Current {
  return { id, atMs: engine.clock.nowMs(), ...(replaces && { replaces }) };
}

/**
 * @param before the current invocation until now; undefined if the key has none
 * @returns the stored item, if another request was faster, or if the answer to an earlier try of this write was lost
 */
async function putCurrent(
  engine: Engine,
  mine: Singleton,
  next: Current,
  before?: InvocationId,
): Promise<Item | undefined> {
  const { settings, clock, table } = engine;
  const key = currentKey(settings.keyPrefix, mine.singleton.place);
  // The sweeper extends the item with the invocation that it names.
  const item = currentItem(key, next, keepUntilS(settings, mine, clock.nowMs()));
  const absent: Condition = { kind: "absent" };
  const unchanged = { kind: "equal", attribute: "id", value: before ?? "" } as const;
  for (;;) {
    const put = await table.put(item, before === undefined ? absent : { kind: "any", of: [absent, unchanged] });
    if (put.written) return undefined;
    if (put.existing !== undefined) return put.existing;
  }
}
