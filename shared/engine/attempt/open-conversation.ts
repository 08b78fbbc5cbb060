/**
 * One exchange that stays open. New entries of the handler become a segment as they come; then their completions are sent on the
 * same exchange, and the handler goes on without a replay. Notifications that arrive for the handler are sent as well (ADR 0008).
 */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { AttemptGrew } from "../../core/invocation/event.ts";
import { newsFor } from "../../core/invocation/poll.ts";
import type { Consumption, Pin } from "../../core/invocation/segment.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import { asksNow, type Growth, Hold, learnFromHead, noteHead } from "./hold.ts";
import { expand, type Expanded } from "./expand.ts";
import { acknowledged, completionFrames, joinedFrames, overSleep } from "./attempt-request.ts";
import { type ReadEnd, type Reading, readReply, replyLeftBytes, replyMaxBytes } from "./reply-reader.ts";
import { spanOf } from "./attempt-failures.ts";

interface About {
  readonly pin: Pin;
  readonly startedAtMs: number;
  readonly inactivityTimeoutMs: number;
}

/** The end of an open exchange, and the parts of it that no segment has. */
interface OpenlyRead {
  readonly end: ReadEnd;
  /** The notifications that the exchange carried and that no segment lists. */
  readonly sent: readonly Consumption[];
  /** The notifications that the exchange carried after its request; the handler may not have read them. */
  readonly carried: readonly NotificationEntry[];
  /** Present if a command was refused: the entries before the command, and the reason. */
  readonly refused: Expanded | undefined;
}

/** Entries that need no answer at once, such as a run without a result yet, wait this long for more entries of their segment. */
const LINGER_MS = 500;
/** If no message comes for this time, the driver wakes the awaited invocations, because their drivers may have died. */
const WAKE_AFTER_MS = 1_000;

export class OpenConversation {
  readonly #engine: Engine;
  readonly #active: ActiveInvocation;
  readonly #reading: Reading;
  readonly #about: About;
  readonly #growth: Growth;
  readonly #hold: Hold;
  /** The request contains `#entriesBefore` entries of the journal and `#requested` notifications after them. */
  readonly #entriesBefore: number;
  readonly #requested: number;
  #sent: Consumption[];
  #sentKeys: Set<string>;
  /** How many of the received entries have been looked at. */
  #scanned = 0;
  #asks = false;
  #lingersUntilMs: number | undefined;
  #nextSleepAtMs: number | undefined;
  #size: ReturnType<Growth["size"]>;
  #messagesSeen = 0;
  #hasWoken = false;
  #end: ReadEnd | undefined;
  #refused: Expanded | undefined;

  constructor(
    engine: Engine,
    active: ActiveInvocation,
    reading: Reading,
    sent: readonly Consumption[],
    about: About,
    growth: Growth,
  ) {
    this.#engine = engine;
    this.#active = active;
    this.#reading = reading;
    this.#about = about;
    this.#growth = growth;
    this.#hold = new Hold(engine, active, reading, about.inactivityTimeoutMs);
    this.#entriesBefore = active.invocation.journal.entries.length;
    this.#requested = sent.length;
    this.#sent = [...sent];
    this.#sentKeys = new Set(sent.map(({ key }) => key));
    this.#size = growth.size();
  }

  async run(): Promise<OpenlyRead> {
    const { open, exchange, conversation } = this.#reading;
    const { inbox } = this.#active;
    open.halfClose = () => this.#halfClose();
    open.awaiting = () => conversation.awaiting;
    const over = this.#read();
    try {
      while (!this.#isOver) {
        if (!(await this.#turn())) await this.#wait();
      }
    } catch (error) {
      exchange.abort();
      throw error;
    }
    this.#halfClose();
    inbox.interrupt();
    const end = await over;
    const { activeInvocations, clock } = this.#engine;
    learnFromHead(activeInvocations.streams, open, clock.nowMs());
    return { end, sent: this.#sent, carried: this.#carried(), refused: this.#refused };
  }

  /** The journal lists the notifications of the request first, and then those of the exchange. */
  #carried(): readonly NotificationEntry[] {
    const { journal } = this.#active.invocation;
    const news = journal.entries.slice(this.#entriesBefore).concat(this.#sent.map(({ entry }) => entry));
    return news.filter((entry) => entry.kind === "notification").slice(this.#requested);
  }

  async #read(): Promise<ReadEnd> {
    const { inbox } = this.#active;
    const { open, conversation } = this.#reading;
    this.#end = await readReply(this.#engine, this.#active, this.#reading, () => {
      if (conversation.messages === 0) noteHead(this.#engine.activeInvocations.streams, open);
      inbox.interrupt();
    });
    inbox.interrupt();
    return this.#end;
  }

  /** True if nothing more can be sent on the exchange. */
  get #isOver(): boolean {
    const { conversation, open } = this.#reading;
    if (conversation.terminated || this.#end !== undefined || this.#refused !== undefined) return true;
    return open.halfClose === undefined || this.#active.lease.isLost;
  }

  /** @returns false if nothing can be done now, so that the driver has to wait */
  async #turn(): Promise<boolean> {
    this.#messagesSeen = this.#reading.conversation.messages;
    if (this.#leavesInTime()) return true;
    if (this.#isSegmentDue()) return await this.#addSegment();
    await this.#growth.look();
    return this.#isOver || this.#sendNews();
  }

  /** Half-closes the exchange shortly before the time of the process is up: the handler suspends, and the driver parks. */
  #leavesInTime(): boolean {
    const { clock, activeInvocations } = this.#engine;
    if (clock.nowMs() < activeInvocations.leavesAtMs) return false;
    this.#active.leaveInTime();
    this.#halfClose();
    return true;
  }

  #isSegmentDue(): boolean {
    const { received } = this.#reading.conversation;
    const nowMs = this.#engine.clock.nowMs();
    for (; this.#scanned < received.length; this.#scanned++) {
      const item = received[this.#scanned]!;
      this.#asks ||= asksNow(item, nowMs + this.#hold.sleepMaxMs);
      this.#lingersUntilMs ??= nowMs + LINGER_MS;
    }
    if (this.#asks || this.#reading.room.isFull) return true;
    if (this.#lingersUntilMs === undefined) return false;
    // After the clock was set back, memory does not show how long the entries have waited, so the wait counts as over.
    const leftMs = this.#lingersUntilMs - nowMs;
    return leftMs <= 0 || leftMs > LINGER_MS;
  }

  async #addSegment(): Promise<boolean> {
    const { conversation, version, room, exchange } = this.#reading;
    const { journal } = this.#active.invocation;
    const taken = conversation.cut(journal.entries.length + this.#sent.length);
    const receivedBytes = room.sizeBytes;
    this.#scanned = conversation.received.length;
    this.#asks = false;
    this.#lingersUntilMs = undefined;
    if (taken.length === 0) {
      room.letReadOn();
      return false;
    }
    const expanded = await expand(
      this.#engine,
      this.#active,
      taken,
      version,
      replyMaxBytes(this.#engine, this.#active),
    );
    if (expanded.refused !== undefined) {
      this.#refused = expanded;
      exchange.abort();
      return true;
    }
    if (!(await this.#growth.add(this.#grew(expanded)))) return true;
    this.#sent = [];
    this.#sentKeys.clear();
    room.noteStored(receivedBytes);
    conversation.limitJournal(replyLeftBytes(this.#engine, this.#active));
    this.#size = this.#growth.size();
    this.#active.attempt.noteTurn(this.#engine.clock.nowMs());
    for (const entry of expanded.entries) if (entry.kind === "notification") this.#hold.noteCarried(entry);
    this.#send(completionFrames(expanded.entries, acknowledged(taken)));
    return true;
  }

  #grew({ entries }: Expanded): AttemptGrew {
    const { pin, startedAtMs } = this.#about;
    const atMs = this.#engine.clock.nowMs();
    const attempt = spanOf(this.#active.invocation, startedAtMs, atMs);
    return { kind: "attempt-grew", atMs, attempt, pin, sent: this.#sent, entries };
  }

  /** Sends the fresh arrivals and the sleeps that are over. The next segment lists them, in this order (I12). */
  #sendNews(): boolean {
    const { inbox, invocation, attempt } = this.#active;
    const atMs = this.#engine.clock.nowMs();
    const news = newsFor(invocation, { atMs, arrivals: [...inbox.arrivals.values()] }, this.#sentKeys);
    this.#nextSleepAtMs = news.nextSleepAtMs;
    if (news.order === "kill") attempt.letGo("stopping");
    if (news.order !== undefined) {
      this.#halfClose();
      return true;
    }
    const coming = [...news.take, ...news.dueSleeps.map((id) => overSleep(id, atMs))];
    if (coming.length === 0) return false;
    for (const one of coming) {
      this.#sent.push(one);
      this.#sentKeys.add(one.key);
      this.#hold.noteCarried(one.entry);
    }
    this.#send(coming.map(({ entry }) => entry.frame));
    return true;
  }

  #send(frames: readonly Uint8Array[]): void {
    const { exchange, conversation, open } = this.#reading;
    if (frames.length === 0 || this.#isOver) return;
    conversation.forgetAwaiting();
    open.heardAtMs = this.#engine.clock.nowMs();
    this.#active.attempt.noteTurn(open.heardAtMs);
    for (const bytes of joinedFrames(frames)) exchange.write(bytes);
  }

  async #wait(): Promise<void> {
    const { conversation, open, room } = this.#reading;
    const { inbox, isStopping } = this.#active;
    const { clock, activeInvocations } = this.#engine;
    // No `await` may stand between this check and the wait, because an interruption ends only a wait that has begun.
    if (conversation.messages !== this.#messagesSeen || room.isFull || inbox.isDirty || this.#isOver) return;
    const nowMs = clock.nowMs();
    const wakesAtMs = this.#hasWoken ? Infinity : open.heardAtMs + WAKE_AFTER_MS;
    if (wakesAtMs <= nowMs) {
      this.#hasWoken = true;
      return await this.#growth.wake();
    }
    const leavesAtMs = this.#hold.leavesAtMs(nowMs, this.#size);
    if (isStopping || inbox.rest !== undefined || leavesAtMs <= nowMs) return this.#halfClose();
    const nextMs = Math.min(
      leavesAtMs,
      activeInvocations.leavesAtMs,
      this.#hold.looksAtMs(nowMs),
      wakesAtMs,
      this.#nextSleepAtMs ?? Infinity,
      Math.max(nowMs + 1, this.#lingersUntilMs ?? Infinity),
    );
    activeInvocations.streams.beginWait(open);
    await inbox.wait(clock, Math.max(0, nextMs - nowMs));
    activeInvocations.streams.endWait(open);
  }

  #halfClose(): void {
    const { exchange, open, room } = this.#reading;
    if (open.halfClose === undefined) return;
    open.halfClose = undefined;
    open.halfClosedAtMs = this.#engine.clock.nowMs();
    exchange.halfClose();
    room.letReadOn();
    this.#active.inbox.interrupt();
  }
}
