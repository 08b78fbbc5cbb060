/** The steps of an actor, in the order of the engine. Each step is one atomic write or read. */
import { type Actor, copyOf, type Life, type LockShown, type Mistake, type Model, NOBODY, wake } from "./model.ts";

type Changing = ReturnType<typeof copyOf>;

export interface Turn {
  readonly model: Changing;
  readonly actor: Actor;
  readonly life: Life;
  readonly mistake: Mistake | undefined;
}

/** @returns the model after the step of this actor. @throws Error if the step breaks a rule */
export function stepped(model: Model, at: number, mistake: Mistake | undefined): Model {
  const next = copyOf(model);
  const actor = next.actors[at]!;
  const turn: Turn = { model: next, actor, life: next.lives[actor.of]!, mistake };
  STEPS[actor.doing](turn);
  return next;
}

const STEPS: Readonly<Record<Actor["doing"], (turn: Turn) => void>> = {
  accept({ model, actor, life }) {
    life.accepted = true;
    life.owner = actor.id;
    life.backstop = true;
    life.behind = model.lives.flatMap(({ placed }, other) => (placed ? [other] : []));
    actor.doing = "take";
  },

  take(turn) {
    const { model, actor, life } = turn;
    if (model.lock.holder === NOBODY) {
      write(turn, { holder: actor.of, grant: model.lock.grant + 1, applied: 0 });
      life.placed = true;
    }
    if (model.lock.holder === actor.of) hold(turn);
    else actor.doing = "draw";
  },

  draw(turn) {
    const { model, actor } = turn;
    if (model.lock.holder === NOBODY) return void (actor.doing = "take");
    write(turn, { tail: model.lock.tail + 1 });
    actor.ticket = model.lock.tail;
    actor.doing = "lay";
  },

  lay({ model, actor, life, mistake }) {
    const isFree = model.tickets[actor.ticket] === undefined;
    if (isFree) model.tickets[actor.ticket] = actor.of;
    if (isFree) life.placed = true;
    actor.doing = isFree || mistake === "no re-draw" ? "park" : "draw";
  },

  park(turn) {
    const { actor, life } = turn;
    if (life.segment !== actor.segment || life.owner !== actor.id) return lost(turn);
    life.parked = true;
    life.ticket = actor.ticket;
    actor.doing = "look-once-more";
  },

  "look-once-more"(turn) {
    const { model, actor, life } = turn;
    if (model.lock.holder !== actor.of) return leave(turn);
    if (!life.parked || life.owner !== actor.id) return lost(turn);
    life.parked = false;
    hold(turn);
  },

  load({ model, actor, life }) {
    actor.ticket = life.ticket;
    actor.segment = life.segment;
    if (life.ended) actor.doing = life.ticket > 0 ? "void-own" : "look-at-lock";
    else if (actor.isKiller) actor.doing = life.segment > 0 ? "look-at-state" : "kill";
    else if (isDriven(model, actor, life)) {
      if (model.zombies === 0) return leave({ model, actor, life, mistake: undefined }, "message stays");
      model.zombies--;
      actor.doing = "claim";
    } else actor.doing = life.parked ? "look-in-line" : "claim";
  },

  "look-in-line"(turn) {
    const { model, actor, life } = turn;
    const { holder, head } = model.lock;
    if (holder !== actor.of && holder !== NOBODY && life.ticket > head) leave(turn);
    else actor.doing = "claim";
  },

  claim({ actor, life }) {
    if (life.ended) return void (actor.doing = "load");
    if (life.segment !== actor.segment) return void (actor.doing = "load");
    life.owner = actor.id;
    life.parked = false;
    actor.doing = life.segment > 0 ? "look-at-state" : "acquire";
  },

  /** Redoes the effects of the last segment (I2). */
  "look-at-state"({ model, actor }) {
    actor.lock = model.lock;
    actor.doing = "apply";
  },

  apply(turn) {
    const { model, actor, life } = turn;
    const known = actor.lock!;
    const change = life.changes[0];
    if (change !== undefined && known.holder === actor.of && known.grant === change.grant && known.applied < 1) {
      const isNew = model.lock.applied < 1;
      if (isMine(model, known) && isNew) write(turn, { applied: 1, log: change.log });
    }
    actor.lock = model.lock;
    if (actor.isKiller) actor.doing = "kill";
    else actor.doing = model.lock.holder === actor.of ? "attempt" : "acquire";
  },

  acquire(turn) {
    const { model, actor } = turn;
    const { lock } = model;
    if (lock.holder === actor.of) return hold(turn);
    const waits = actor.ticket > 0 && lock.holder !== NOBODY && actor.ticket > lock.head;
    actor.doing = waits ? "park" : "take";
  },

  /** The handler sees the state that its driver has loaded. Its changes form a segment, and only one driver writes it (I1). */
  attempt(turn) {
    const { model, actor, life } = turn;
    if (life.segment !== actor.segment) return lost(turn);
    if (model.lock.holder !== actor.of) throw new Error(`${actor.of} runs, and ${model.lock.holder} holds the key`);
    const { log, grant } = actor.lock!;
    actor.segment = ++life.segment;
    life.changes = [...life.changes, { log: `${log}${actor.of}`, grant }];
    if (life.segment === 1) return void (actor.doing = "apply");
    life.ended = true;
    toPassOn(turn);
  },

  kill(turn) {
    const { actor, life } = turn;
    if (life.segment !== actor.segment) return lost(turn);
    life.segment++;
    life.ended = true;
    delete actor.lock;
    actor.doing = actor.ticket > 0 ? "void-own" : "look-at-lock";
  },

  "void-own"({ model, actor }) {
    model.tickets[actor.ticket] = NOBODY;
    actor.doing = "look-at-lock";
  },

  "look-at-lock"(turn) {
    const { model, actor } = turn;
    actor.lock = model.lock;
    if (model.lock.holder === actor.of) toPassOn(turn);
    else toWake(turn, model.lock.holder);
  },

  "pass-on"(turn) {
    const { model, actor, mistake } = turn;
    const known = actor.lock!;
    if (known.head < known.tail) return void (actor.doing = "read-ticket");
    const isSame = model.lock.tail === known.tail || mistake === "free without tail";
    if (!isMine(model, known) || !isSame) return stands(turn);
    write(turn, { holder: NOBODY, log: actor.shown! });
    leave(turn);
  },

  "read-ticket"({ model, actor }) {
    const found = model.tickets[actor.lock!.head + 1];
    actor.doing = found === undefined ? "void-next" : "serve";
    if (found !== undefined) actor.next = found;
  },

  "void-next"({ model, actor }) {
    const ticket = actor.lock!.head + 1;
    if (
      model.tickets[ticket] === undefined &&
      model.actors.some((other) => other.doing === "lay" && other.ticket === ticket)
    )
      model.voids--;
    model.tickets[ticket] ??= NOBODY;
    actor.next = model.tickets[ticket]!;
    actor.doing = "serve";
  },

  serve(turn) {
    const { model, actor, mistake } = turn;
    const known = actor.lock!;
    const isSame = isMine(model, known) && model.lock.head === known.head;
    if (!isSame && mistake !== "blind hand-over") return stands(turn);
    const next = actor.next!;
    const holds = next === NOBODY ? {} : { holder: next, grant: known.grant + 1, applied: 0 };
    write(turn, { head: known.head + 1, log: actor.shown!, ...holds });
    if (next === NOBODY) stands(turn);
    else toWake(turn, next);
  },

  wake(turn) {
    const { model, actor } = turn;
    wake(model, model.lives, actor.wakes!);
    leave(turn);
  },
};

function hold({ model, actor, life }: Turn): void {
  actor.lock = model.lock;
  actor.doing = life.segment > 0 ? "apply" : "attempt";
}

/** Every write of the lock passes here, where I6 is checked. */
function write({ model }: Turn, change: Partial<LockShown>): void {
  const [before, after] = [model.lock, { ...model.lock, ...change }];
  model.lock = after;
  if (before.holder !== after.holder && before.holder !== NOBODY && !model.lives[before.holder]!.ended)
    throw new Error(`the key is taken from ${before.holder}, which has not ended`);
  if (!after.log.startsWith(before.log)) throw new Error(`the state goes back from ${before.log} to ${after.log}`);
  if (before.holder === after.holder || after.holder === NOBODY) return;
  const life = model.lives[after.holder]!;
  const passed = life.behind.filter((other) => !model.lives[other]!.hasHeld && !model.lives[other]!.ended);
  if (!life.hasHeld && passed.length > 0) throw new Error(`${after.holder} begins before ${passed.join()}`);
  life.hasHeld = true;
}

function isMine(model: Model, known: LockShown): boolean {
  return model.lock.holder === known.holder && model.lock.grant === known.grant;
}

function isDriven(model: Model, { id }: Actor, life: Life): boolean {
  return !life.parked && model.actors.some((other) => other.id === life.owner && other.id !== id);
}

function toPassOn({ actor, life }: Turn): void {
  const { grant, applied, log } = actor.lock!;
  const change = life.changes[life.segment - 1];
  actor.shown = change !== undefined && change.grant === grant && applied < life.segment ? change.log : log;
  actor.doing = "pass-on";
}

/** The lock differs from the one that the actor has read: the actor reads it again, or wakes the new holder. */
function stands(turn: Turn): void {
  const { model, actor } = turn;
  if (!isMine(model, actor.lock!)) return toWake(turn, model.lock.holder);
  actor.lock = model.lock;
  delete actor.next;
  actor.doing = "pass-on";
}

/** Removes values that are not used any more: they would only make equal states differ. */
function forget(actor: Actor): void {
  delete actor.lock;
  delete actor.shown;
  delete actor.next;
  actor.ticket = 0;
  actor.segment = 0;
}

function toWake(turn: Turn, holder: number): void {
  if (holder === NOBODY) return leave(turn);
  forget(turn.actor);
  turn.actor.wakes = holder;
  turn.actor.doing = "wake";
}

/**
 * A fenced actor discards its work. An actor that works on a message loads the invocation again. The acceptor works on no
 * message: it leaves, and sends a wake if it has seen its invocation as the holder of the key.
 */
function lost(turn: Turn): void {
  const { model, actor } = turn;
  if (!actor.byMessage && actor.lock !== undefined) wake(model, model.lives, actor.of);
  if (!actor.byMessage) return leave(turn);
  forget(actor);
  actor.doing = "load";
}

function leave({ model, actor, life }: Turn, message: "acked" | "message stays" = "acked"): void {
  model.actors = model.actors.filter((other) => other !== actor);
  if (actor.byMessage && message === "acked") life.messages--;
}
