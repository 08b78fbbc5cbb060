/** The key of a state of the model: two states have the same key exactly if all their fields are equal. */
import type { Actor, Life, LockShown, Model } from "./model.ts";

/** One function for each field, by its name: if the model gets a field that is missing here, the compiler reports it. */
type Fields<Part> = { readonly [Name in keyof Required<Part>]: (part: Part) => unknown };

const LOCK: Fields<LockShown> = {
  holder: ({ holder }) => holder,
  grant: ({ grant }) => grant,
  head: ({ head }) => head,
  tail: ({ tail }) => tail,
  applied: ({ applied }) => applied,
  log: ({ log }) => log,
};

const LIFE: Fields<Life> = {
  accepted: ({ accepted }) => Number(accepted),
  placed: ({ placed }) => Number(placed),
  behind: ({ behind }) => behind.join("+"),
  hasHeld: ({ hasHeld }) => Number(hasHeld),
  segment: ({ segment }) => segment,
  ended: ({ ended }) => Number(ended),
  changes: ({ changes }) => changes.map(({ log, grant }) => `${log}:${grant}`).join("+"),
  owner: ({ owner }) => owner,
  parked: ({ parked }) => Number(parked),
  ticket: ({ ticket }) => ticket,
  messages: ({ messages }) => messages,
  backstop: ({ backstop }) => Number(backstop),
};

const ACTOR: Fields<Actor> = {
  id: ({ id }) => id,
  of: ({ of }) => of,
  doing: ({ doing }) => doing,
  byMessage: ({ byMessage }) => Number(byMessage),
  isKiller: ({ isKiller }) => Number(isKiller),
  lock: ({ lock }) => (lock === undefined ? "" : lockKey(lock)),
  ticket: ({ ticket }) => ticket,
  segment: ({ segment }) => segment,
  // The key of an empty state differs from the key of no state.
  shown: ({ shown }) => (shown === undefined ? "" : `:${shown}`),
  next: ({ next }) => next ?? "",
  wakes: ({ wakes }) => wakes ?? "",
};

const lockKey = keyed(LOCK);
const lifeKey = keyed(LIFE);
const actorKey = keyed(ACTOR);

const MODEL: Fields<Model> = {
  lock: ({ lock }) => lockKey(lock),
  tickets: ({ tickets }) => tickets.join("+"),
  lives: ({ lives }) => lives.map(lifeKey).join(";"),
  actors: ({ actors }) => actors.map(actorKey).join(";"),
  crashes: ({ crashes }) => crashes,
  kills: ({ kills }) => kills,
  zombies: ({ zombies }) => zombies,
  voids: ({ voids }) => voids,
};

export const keyOf = keyed(MODEL);

function keyed<Part>(fields: Fields<Part>): (part: Part) => string {
  const all = Object.values(fields) as ((part: Part) => unknown)[];
  return (part) => {
    let key = "";
    for (const field of all) key += `${String(field(part))},`;
    return key;
  };
}
