/** The lock of a key as a model: what stands in the table, and what those who work on an invocation do, write by write (ADR 0011). */

/** Who stands for nobody. */
export const NOBODY = -1;

export interface LockShown {
  readonly holder: number;
  readonly grant: number;
  readonly head: number;
  readonly tail: number;
  readonly applied: number;
  /** The state: a letter for each change, behind those that its handler saw. */
  readonly log: string;
}

/** What a segment says: the state that its handler left, under which grant. */
export interface Change {
  readonly log: string;
  readonly grant: number;
}

/** One claimant: what is durable of it, and what the rules have to know. */
export interface Life {
  accepted: boolean;
  /** Its place is certain: from now on nobody who asks later comes first. */
  placed: boolean;
  /** Those that were placed when it was asked for. */
  behind: readonly number[];
  hasHeld: boolean;
  /** The last segment: 0 is the acceptance. */
  segment: number;
  ended: boolean;
  changes: readonly Change[];
  /** The driver that holds it; `NOBODY` where it is parked. */
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
  /** It works on a message, which comes again where it dies. */
  readonly byMessage: boolean;
  readonly isKiller: boolean;
  lock?: LockShown;
  ticket: number;
  /** The last segment that it knows. */
  segment: number;
  /** The state that a give-back shows. */
  shown?: string;
  next?: number;
  wakes?: number;
}

export interface Model {
  lock: LockShown;
  /** By number; 0 is no ticket. A void one is nobody's. */
  tickets: readonly (number | undefined)[];
  lives: readonly Life[];
  actors: readonly Actor[];
  crashes: number;
  kills: number;
  /** So often a driver that is alive is taken for dead. */
  zombies: number;
  /** So often somebody who is alive finds its ticket void before it could lay it down. */
  voids: number;
}

export type Limits = Pick<Model, "crashes" | "kills" | "zombies" | "voids">;

/** Mistakes that the rules must notice. */
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

/** A copy of which the parts that one step touches may be changed: lives, actors and tickets, but not a lock. */
export function copyOf(model: Model): Model & { lives: Life[]; actors: Actor[]; tickets: (number | undefined)[] } {
  return {
    ...model,
    tickets: [...model.tickets],
    lives: model.lives.map((life) => ({ ...life })),
    actors: model.actors.map((actor) => ({ ...actor })),
  };
}

/** One more message, unless one waits already: two that wait tell no more than one. */
export function wake({ actors }: Pick<Model, "actors">, lives: readonly Life[], of: number): void {
  const life = lives[of]!;
  const taken = actors.filter((actor) => actor.of === of && actor.byMessage).length;
  life.messages = Math.min(taken + 1, life.messages + 1);
}
