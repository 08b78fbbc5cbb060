/** The rules for every step of a run: the invariants of segments, lease records and arrivals, judged write by write. */
import { expiresAtMs, type Invocation } from "../../../shared/core/invocation/invocation.ts";
import type { Segment } from "../../../shared/core/invocation/segment.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { Engine } from "../../../shared/engine/engine.ts";
import { belongsTo, segmentKey } from "../../../shared/engine/store/item-keys.ts";
import { readAcceptance } from "../../../shared/engine/store/acceptance-record.ts";
import { load } from "../../../shared/engine/store/load.ts";
import type { Item, Key } from "../../../shared/engine/ports/table.ts";
import { missingEffects, segmentComplaints } from "./journal-rules.ts";
import { ALL_APPLIED } from "../../../shared/engine/lock/hand-over.ts";
import type { Lock } from "../../../shared/engine/store/lock-record.ts";
import { holderComplaints, lockComplaints } from "./lock-rules.ts";
import { nameOfPlace, type Part, type Program } from "./program.ts";
import { isPoisoned } from "./poison.ts";
import type { ParkRule } from "./park-rule.ts";
import type { Note, WatchedTable } from "./watched-table.ts";
import { contentOf } from "../stored-content.ts";

const FIRST = "seg#000000";
/** The segment index (`base`) in a lease record that is written without a read of the segments. */
const UNREAD = 999_999;

/** An invocation as its last segment left it: the memory of the judges, whatever becomes of its items. */
export interface Seen {
  readonly invocation: Invocation;
  readonly program: Program;
  /** The name of its program. */
  readonly name: string;
  /** True once an operator has purged the invocation, so that its id is free. */
  isPurged?: true;
  readonly last?: { readonly before: Invocation; readonly segment: Segment };
}

export class Rules {
  readonly #table: WatchedTable;
  readonly #observer: Engine;
  readonly #parks: ParkRule;
  readonly #seen = new Map<string, Seen>();
  readonly #former: Seen[] = [];
  /** The values that runs of workflows have set, and when each was durable. */
  readonly changes: { readonly key: string; readonly name: string; readonly atMs: number }[] = [];
  /** The segments that were written, whether or not they are still stored. */
  readonly #written = new Set<string>();
  readonly complaints: string[] = [];
  /** The pauses with their reasons: of an operator, or of the engine. */
  readonly pauses: { readonly id: InvocationId; readonly reason: string }[] = [];
  /** Every invocation that was paused at some time: one that never began gives up its place in the queue of its key. */
  readonly paused = new Set<InvocationId>();

  constructor(table: WatchedTable, observer: Engine, parks: ParkRule) {
    this.#table = table;
    this.#observer = observer;
    this.#parks = parks;
  }

  /** The names of the programs that were accepted and have not ended. */
  get open(): readonly string[] {
    const open: string[] = [];
    for (const { invocation, name } of this.#seen.values())
      if (invocation.phase.status !== "completed") open.push(name);
    return open;
  }

  /** Every life of every invocation, as its last segment left it. */
  get lives(): readonly Seen[] {
    return [...this.#former, ...this.#seen.values()];
  }

  /** Called before an item is deleted because its time to live is over. */
  expire(item: Item): void {
    if (this.isOfOpen(item)) this.#complain(`${item.pk} ${item.sk} has expired, and it is open`);
  }

  /** True for an item of the current life of an open invocation. */
  isOfOpen({ pk, sk }: Key): boolean {
    const { invocation, name } = this.#seen.get(pk) ?? {};
    if (invocation === undefined || invocation.phase.status === "completed" || isPoisoned(name!)) return false;
    return belongsTo(sk, invocation.acceptance.nonce);
  }

  async check(): Promise<void> {
    for (const note of this.#table.takeNotes()) {
      const kind = note.sk.split("#", 1)[0];
      if (kind === "seg") await this.#segment(note);
      else if (kind === "hold") this.#hold(note);
      else if (kind === "arr") this.#arrival(note);
      else if (note.sk === "lock") this.#lock(note);
    }
    this.complaints.push(...(await this.#parks.check()));
  }

  async #segment({ pk, sk, before, after, lock }: Note): Promise<void> {
    const seen = this.#seen.get(pk);
    if (after === undefined) {
      if (!mayForget(seen, sk)) this.#complain(`${sk} of ${pk} was deleted (I1)`);
      return;
    }
    if (before !== undefined && contentOf(before) === contentOf(after)) return;
    if (before !== undefined && isTombstone(seen) && sk === FIRST && after["n"] === before["n"])
      return this.#erased(pk, after);
    if (sk === FIRST && seen !== undefined && after["n"] !== seen.invocation.acceptance.nonce) {
      // The id of a tombstone, and of a result that is not kept any more, is free: the next life begins in its place.
      if (!isFree(seen, this.#observer.clock.nowMs())) return this.#complain(`${pk} begins anew, and is not over (I1)`);
      this.#former.push(seen);
      this.#seen.delete(pk);
    } else if (before !== undefined) {
      if (after["end"] !== true || !isEnded(seen)) return this.#complain(`${sk} of ${pk} was changed (I1)`);
      if (sk !== FIRST) await this.#forgotten(pk, seen);
      return;
    } else if (this.#written.has(`${pk} ${sk}`) || isBehindEnd(seen, sk))
      return this.#complain(`${pk} goes on after its end, with ${sk} (I1)`);
    this.#written.add(`${pk} ${sk}`);
    if (sk === FIRST && after["listPk"] === undefined) this.#complain(`${pk} is not in the listing index`);
    this.#gap(pk, sk);
    await this.#journal(pk, lock);
  }

  /** An invocation that ended before its first attempt loses its content and leaves the listing. */
  #erased(pk: string, after: Item): void {
    const { acceptance } = readAcceptance(pk.replace("inv#", "") as InvocationId, after);
    if (after["end"] !== true || acceptance.input.length > 0)
      this.#complain(`${pk} never began, and its input is kept`);
  }

  /** Notes whether the bare end, which replaces the last segment, frees the id. */
  async #forgotten(pk: string, seen: Seen): Promise<void> {
    const loaded = await load(this.#observer, pk.replace("inv#", "") as InvocationId);
    const phase = loaded?.invocation.phase;
    if (phase?.status === "completed" && phase.tombstone) seen.isPurged = true;
  }

  #gap(pk: string, sk: string): void {
    if (sk === FIRST) return;
    const [, nonce, index] = sk.split("#");
    const sooner = Number(index) - 1;
    const found = this.#table.shown({
      pk,
      sk: sooner === 0 ? FIRST : `seg#${nonce}#${String(sooner).padStart(6, "0")}`,
    });
    if (found === undefined) this.#complain(`${sk} of ${pk} follows upon nothing`);
  }

  async #journal(pk: string, lock: Note["lock"]): Promise<void> {
    const loaded = await load(this.#observer, pk.replace("inv#", "") as InvocationId);
    if (loaded === undefined) return this.#complain(`${pk} cannot be loaded`);
    const { invocation, last } = loaded;
    const former = this.#seen.get(pk);
    if (last !== undefined) {
      this.#noteChanges(invocation, last.segment);
      this.complaints.push(...segmentComplaints(pk, last.before, last.segment));
      this.complaints.push(...holderComplaints(this.#table, invocation, last.segment, lock));
      if (former?.last?.segment.index === last.segment.index - 1)
        this.complaints.push(...missingEffects(this.#table, pk, former.last.before, former.last.segment));
    }
    // What ended before its first attempt has no input any more.
    const { input } = invocation.acceptance;
    const { program } = input.length === 0 ? former! : (JSON.parse(new TextDecoder().decode(input)) as Part);
    this.#seen.set(pk, { invocation, program, name: program.name, ...(last && { last }) });
  }

  #noteChanges({ acceptance }: Invocation, { entries }: Segment): void {
    const { target, handlerType } = acceptance;
    if (handlerType !== "workflow") return;
    for (const entry of entries)
      if (entry.kind === "command" && entry.command.kind === "change-state" && entry.command.change.kind === "set")
        this.changes.push({
          key: nameOfPlace(target),
          name: entry.command.change.key,
          atMs: this.#observer.clock.nowMs(),
        });
  }

  #hold(note: Note): void {
    const { pk, sk, before, after } = note;
    // No process reads the lease record of a former life any more (I12).
    if (sk.split("#")[1] !== this.#seen.get(pk)?.invocation.acceptance.nonce) return;
    if (after === undefined) {
      if (!isEnded(this.#seen.get(pk))) this.#complain(`the hold of ${pk} was deleted`);
      return;
    }
    const index = this.#seen.get(pk)?.invocation.segmentIndex ?? 0;
    const base = Number(after["base"]);
    // The park of an invocation that kills processes is written without a read of its segments.
    const isRead = base !== UNREAD;
    if (base > index && isRead) this.#complain(`the hold of ${pk} speaks of segment ${base}, and there are ${index}`);
    if (before !== undefined && base < Number(before["base"]) && Number(before["base"]) !== UNREAD)
      this.#complain(`the hold of ${pk} went back to ${base}`);
    const isIndexed = after["openPk"] !== undefined;
    const { status } = after as Item & { status?: string };
    if (after["untilMs"] === 0 && isIndexed !== (status !== "completed"))
      this.#complain(`the hold of ${pk}, ${status}, is ${isIndexed ? "" : "not "}in the open index`);
    if (status === "completed" && this.#seen.get(pk)?.invocation.phase.status !== "completed")
      this.#complain(`the hold of ${pk} says that it has ended, and it has not`);
    this.#parks.note(note);
    if (status !== "paused" || before?.["status"] === "paused") return;
    const { lastFailure } = after as Item & { lastFailure?: string };
    const id = pk.replace("inv#", "") as InvocationId;
    this.paused.add(id);
    this.pauses.push({ id, reason: lastFailure ?? "no reason" });
  }

  #lock(note: Note): void {
    const isOver = (id: string, nonce: string, lock: Lock): boolean => {
      const seen = this.#seen.get(`inv#${id}`)?.invocation;
      if (seen === undefined || seen.acceptance.nonce !== nonce || seen.phase.status === "completed") return true;
      // An invocation that is paused before its first attempt gives up the key that it took before the pause, perhaps late: it is
      // resumed already, and takes the key anew.
      const { leftQueueAt, grant } = seen;
      return leftQueueAt !== undefined && grant === undefined && !isTakenAfter(lock, leftQueueAt);
    };
    this.complaints.push(...lockComplaints(note, isOver));
  }

  #arrival({ pk, sk, before, after }: Note): void {
    const seen = this.#seen.get(pk);
    // What ended before its first attempt loses the content of its arrivals.
    if (before === undefined || isTombstone(seen) || (after === undefined && isEnded(seen))) return;
    if (after === undefined || contentOf(before) !== contentOf(after)) this.#complain(`${sk} of ${pk} was changed`);
  }

  #complain(what: string): void {
    this.complaints.push(what);
  }
}

function isEnded(seen: Seen | undefined): seen is Seen {
  return seen?.invocation.phase.status === "completed";
}

/** True for a segment after the last one of an ended invocation. */
function isBehindEnd(seen: Seen | undefined, sk: string): boolean {
  return isEnded(seen) && sk > segmentKey("", seen.invocation.acceptance.nonce, seen.invocation.segmentIndex).sk;
}

function isTombstone(seen: Seen | undefined): boolean {
  return seen?.invocation.phase.status === "completed" && seen.invocation.phase.tombstone;
}

/** More than the clocks of two processes differ. */
const CLOCKS_DIFFER_MS = 60_000;

/** True if the id of an ended invocation is free at a moment, or soon after. */
export function isFree({ invocation, isPurged }: Seen, atMs: number): boolean {
  return isPurged === true || (expiresAtMs(invocation) ?? Infinity) <= atMs + CLOCKS_DIFFER_MS;
}

/** True if an operator, or the end of a retention, may remove this segment: the last one stays as a fence. */
function mayForget(seen: Seen | undefined, sk: string): boolean {
  if (!isEnded(seen)) return false;
  const { acceptance, segmentIndex } = seen.invocation;
  return sk !== segmentKey("", acceptance.nonce, segmentIndex).sk;
}

/** True if the holder took the key after the pause in this segment: a take notes the segment up to which state is applied. */
function isTakenAfter({ applied }: Lock, leftQueueAt: number): boolean {
  return applied >= leftQueueAt && applied !== ALL_APPLIED;
}
