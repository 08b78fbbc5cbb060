/** Explores every order of the steps of a model, one step at a time, and reports a broken rule with the steps that lead to it. */
import { type Actor, begun, copyOf, type Limits, type Mistake, type Model, NOBODY, wake } from "./model.ts";
import { keyOf } from "./model-key.ts";
import { stepped } from "./steps.ts";

/** The largest number of actors at a time: in all, and on one invocation. */
const ACTORS_MAX = 2;
const ACTORS_EACH_MAX = 2;

export interface Found {
  readonly states: number;
  /** The first broken rule, and the steps that lead to it; absent if no rule breaks. */
  readonly wrong?: string;
}

interface Reached {
  /** Dropped once its moves are known; after that only the steps that lead to it are needed. */
  model: Model | undefined;
  readonly from: Reached | undefined;
  readonly by: string;
}

/** @param statesMax the largest number of states; with this bound the search is depth-first, without it breadth-first */
export function explored(
  claimants: number,
  limits: Limits,
  { mistake, statesMax = Infinity }: { readonly mistake?: Mistake; readonly statesMax?: number } = {},
): Found {
  const first: Reached = { model: begun(claimants, limits), from: undefined, by: "" };
  const seen = new Set([keyOf(begun(claimants, limits))]);
  const open = [first];
  for (let at = 0; at < open.length && seen.size < statesMax;) {
    const reached = statesMax === Infinity ? open[at++]! : open.pop()!;
    const known = reached.model!;
    reached.model = undefined;
    const stuck = whatIsStuck(known);
    if (stuck !== undefined) return { states: seen.size, wrong: `${stuck}: ${wayTo(reached)}` };
    for (const [by, next] of moves(known, mistake)) {
      let model: Model;
      try {
        model = next();
      } catch (error) {
        return { states: seen.size, wrong: `${String(error)}: ${wayTo(reached)}, ${by}` };
      }
      const key = keyOf(model);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push({ model, from: reached, by });
    }
  }
  return { states: seen.size };
}

type Move = readonly [by: string, next: () => Model];

function moves(model: Model, mistake: Mistake | undefined): readonly Move[] {
  const found: Move[] = model.actors.flatMap((actor, at) =>
    waits(model, actor) ? [] : [[`${actor.of} ${actor.doing}`, () => stepped(model, at, mistake)] as const],
  );
  for (const [of, life] of model.lives.entries()) {
    const own = model.actors.filter((actor) => actor.of === of);
    if (life.backstop && (own.every(({ byMessage }) => byMessage) || model.zombies > 0))
      found.push([`the backstop of ${of} comes`, () => backstopped(model, of)]);
    if (model.actors.length >= ACTORS_MAX || own.length >= ACTORS_EACH_MAX) continue;
    if (!life.accepted && own.length === 0) found.push([`${of} is asked for`, () => joined(model, of, "accept")]);
    if (life.messages > own.filter(({ byMessage }) => byMessage).length)
      found.push([`a message of ${of} is taken`, () => joined(model, of, "load")]);
    if (model.kills > 0 && life.accepted && !life.ended)
      found.push([`${of} is killed`, () => joined(model, of, "kill")]);
  }
  if (model.crashes > 0)
    for (const [at, { of, doing }] of model.actors.entries())
      found.push([`a crash ahead of ${of} ${doing}`, () => crashed(model, at)]);
  return found;
}

/**
 * True if the actor must wait before it voids the next ticket: another actor has drawn that ticket and has not written it yet,
 * and the limits of the model allow no more voids of drawn tickets.
 */
function waits({ actors, voids }: Model, { doing, lock }: Actor): boolean {
  const ticket = (lock?.head ?? 0) + 1;
  return (
    doing === "void-next" && voids === 0 && actors.some((other) => other.doing === "lay" && other.ticket === ticket)
  );
}

function joined(model: Model, of: number, what: "accept" | "load" | "kill"): Model {
  const next = copyOf(model);
  const life = next.lives[of]!;
  if (what === "kill") {
    next.kills--;
    // The order to kill is durable before any actor obeys it. The writer of the order sends a message, which the killing actor
    // takes.
    life.messages++;
  }
  const own = next.actors.filter((actor) => actor.of === of).map(({ id }) => id);
  const id = [0, 1, 2].map((slot) => of * 3 + slot).find((one) => one !== life.owner && !own.includes(one))!;
  const actor: Actor = {
    id,
    of,
    doing: what === "accept" ? "accept" : "load",
    byMessage: what !== "accept",
    isKiller: what === "kill",
    ticket: 0,
    segment: 0,
  };
  next.actors.push(actor);
  return next;
}

function backstopped(model: Model, of: number): Model {
  const next = copyOf(model);
  const life = next.lives[of]!;
  if (!next.actors.filter((actor) => actor.of === of).every(({ byMessage }) => byMessage)) next.zombies--;
  life.backstop = false;
  wake(next, next.lives, of);
  return next;
}

/** Removes the actor. Its message comes again, because it is not acked. */
function crashed(model: Model, at: number): Model {
  const next = copyOf(model);
  next.crashes--;
  next.actors.splice(at, 1);
  return next;
}

/** When no message is left, every accepted invocation must have ended and the key must be free. */
function whatIsStuck({ lives, actors, lock }: Model): string | undefined {
  if (actors.length > 0 || lives.some(({ messages, backstop }) => messages > 0 || backstop)) return undefined;
  for (const [of, { accepted, ended }] of lives.entries()) if (accepted && !ended) return `${of} is left`;
  if (lock.holder !== NOBODY) return `${lock.holder} holds the key for ever`;
  if (lock.head !== lock.tail) return "a ticket is not served";
  for (const [of, { changes }] of lives.entries()) {
    const said = changes.length;
    if ([...lock.log].filter((letter) => letter === String(of)).length !== said)
      return `${of} changed the state in vain`;
  }
  return undefined;
}

function wayTo(reached: Reached): string {
  const steps: string[] = [];
  for (let at: Reached | undefined = reached; at?.from !== undefined; at = at.from) steps.unshift(at.by);
  return steps.join(", ");
}
