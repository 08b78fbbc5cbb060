/** A model of the lock of a key: the items of the table, and the writes of the actors, one by one (ADR 0011). */

/** Stands for the absence of an actor or an invocation. */
export const NOBODY = -1;

export interface LockShown {
  readonly holder: number;
  readonly grant: number;
  readonly head: number;
  readonly tail: number;
  readonly applied: number;
  /** The state: each change appends the letter of its invocation to the letters that the handler has read. */
  readonly log: string;
}

/** The change of a segment: the state that its handler left, and the grant. */
export interface Change {
  readonly log: string;
  readonly grant: number;
}

/** One claimant of the key: its durable state, and the facts that the rules need. */
export interface Life {
  accepted: boolean;
  /** True once its place in the queue is certain: no invocation that is requested later may start before this one. */
  placed: boolean;
  /** The invocations that were placed when this one was requested. */
  behind: readonly number[];
  hasHeld: boolean;
  /** The index of the last segment: 0 is the acceptance. */
  segment: number;
  ended: boolean;
  changes: readonly Change[];
  /** The actor with the lease; `NOBODY` if the invocation is parked. */
  owner: number;
  parked: boolean;
  ticket: number;
  messages: number;
  /** The message of the acceptor, which comes when its lease is over. */
  backstop: boolean;
}

export type Doing =
  | "accept"
  | "take"
  | "draw"
  | "lay"
  | "park"
  | "look-once-more"
  | "load"
  | "look-in-line"
  | "claim"
  | "look-at-state"
  | "apply"
  | "acquire"
  | "attempt"
  | "kill"
  | "void-own"
  | "look-at-lock"
  | "pass-on"
  | "read-ticket"
  | "void-next"
  | "serve"
  | "wake";

export interface Actor {
  readonly id: number;
  readonly of: number;
  doing: Doing;
  /** True if the actor works on a message, which comes again if the actor dies. */
  readonly byMessage: boolean;
  readonly isKiller: boolean;
  lock?: LockShown;
  ticket: number;
  /** The last segment that the actor has loaded. */
  segment: number;
  /** The state that a give-back writes. */
  shown?: string;
  next?: number;
  wakes?: number;
}

export interface Model {
  lock: LockShown;
  /** The invocation of each ticket by its number, from 1; `NOBODY` for a void ticket. */
  tickets: readonly (number | undefined)[];
  lives: readonly Life[];
  actors: readonly Actor[];
  crashes: number;
  kills: number;
  /** How often a living driver may be taken over as if it were dead. */
  zombies: number;
  /** How often a living actor may find its ticket number void before it writes the ticket. */
  voids: number;
}

export type Limits = Pick<Model, "crashes" | "kills" | "zombies" | "voids">;

/** Mistakes that the rules must detect. */
export type Mistake = "blind hand-over" | "free without tail" | "no re-draw";

export function begun(claimants: number, limits: Limits): Model {
  const life: Life = {
    accepted: false,
    placed: false,
    behind: [],
    hasHeld: false,
    segment: 0,
    ended: false,
    changes: [],
    owner: NOBODY,
    parked: false,
    ticket: 0,
    messages: 0,
    backstop: false,
  };
  return {
    lock: { holder: NOBODY, grant: 0, head: 0, tail: 0, applied: 0, log: "" },
    tickets: [],
    lives: Array.from({ length: claimants }, () => life),
    actors: [],
    ...limits,
  };
}

/** @returns a copy whose lives, actors and tickets may be changed; the lock is shared, because a step replaces it */
export function copyOf(model: Model): Model & { lives: Life[]; actors: Actor[]; tickets: (number | undefined)[] } {
  return {
    ...model,
    tickets: [...model.tickets],
    lives: model.lives.map((life) => ({ ...life })),
    actors: model.actors.map((actor) => ({ ...actor })),
  };
}

/** Adds one message, unless one already waits: two waiting messages have the same effect as one. */
export function wake({ actors }: Pick<Model, "actors">, lives: readonly Life[], of: number): void {
  const life = lives[of]!;
  const taken = actors.filter((actor) => actor.of === of && actor.byMessage).length;
  life.messages = Math.min(taken + 1, life.messages + 1);
}
