/** Clients that draw operations on shared things, ask for them at the same time, and record what they are answered. */
import type { Random } from "../simulation/random.ts";
import type { Recorder } from "./history.ts";
import { type Given, SERVICE_OF } from "./services.ts";
import type { Kind } from "./things.ts";

export interface Request {
  readonly service: string;
  /** Absent for a service without keys. */
  readonly key?: string;
  readonly handler: string;
  readonly input: Given;
  readonly idempotencyKey?: string;
}

export interface Door {
  /**
   * @returns undefined if the outcome is unknown
   * @throws Error for an answer that no request of these clients may get
   */
  ask(request: Request): Promise<{ readonly answer: unknown } | undefined>;
  /** Waits before a client asks again. */
  rest(): Promise<void>;
  /** True once clients stop asking again, because nothing will answer. */
  readonly isClosed: boolean;
}

export interface Clients {
  readonly random: Random;
  readonly recorder: Recorder;
  readonly door: Door;
  /** Part of the names of all things, so that histories over one store share none. */
  readonly name: string;
  readonly clients: number;
  /** The operations of each client. */
  readonly each: number;
  /** The pauses of handlers, of which each operation draws one. */
  readonly pausesMs: readonly number[];
  /** The time between two operations of a client. */
  readonly between: () => Promise<void>;
}

/** The share of the operations with an idempotency key of their own: the client repeats these until it is answered. */
const KEYED_SHARE = 0.6;
/** So many promises and starts in a history: each is decided once, so one alone would be decided early. */
const DECIDED_ONCE = 4;
const OBJECTS = 2;

interface Drawn {
  readonly kind: Kind;
  readonly key: string;
  readonly verb: string;
  readonly given: unknown;
}

/** Resolves when every client has done its operations, and each thing has been read once more. */
export async function playClients(play: Clients): Promise<void> {
  const things = new Map<string, Drawn>();
  const one = async (client: number): Promise<void> => {
    for (let n = 0; n < play.each; n++) {
      const drawn = draw(play.random, play.name, client * 1_000 + n);
      things.set(`${drawn.kind}/${drawn.key}`, drawn);
      await play.between();
      await perform(play, client, `${play.name}-${client}-${n}`, drawn);
    }
  };
  await Promise.all(Array.from({ length: play.clients }, (_, at) => one(at + 1)));
  for (const [name, { kind, key }] of things) await readLast(play, name, kind, key);
}

/** The last reads show what the answers before them did not: a loss after the last change. */
async function readLast(play: Clients, name: string, kind: Kind, key: string): Promise<void> {
  if (kind === "start") return;
  const verb = kind === "promise" ? "peek" : "read";
  await perform(play, 0, `${play.name}-last-${name}`, { kind, key, verb, given: null });
}

async function perform(play: Clients, client: number, id: string, { kind, key, verb, given }: Drawn): Promise<void> {
  const { random, recorder, door } = play;
  const own = kind === "start" ? key : random.chance(KEYED_SHARE) || client === 0 ? id : undefined;
  const request: Request = {
    service: SERVICE_OF[kind],
    ...(kind !== "start" && { key }),
    handler: verb,
    input: { given, pauseMs: random.pick(play.pausesMs) },
    ...(own !== undefined && { idempotencyKey: own }),
  };
  await recorder.record({ client, thing: `${kind}/${key}`, verb, given }, async () => {
    for (;;) {
      const answered = await door.ask(request);
      if (answered !== undefined || own === undefined || door.isClosed) return answered;
      await door.rest();
    }
  });
}

/** @param value a number that no other operation of the history writes */
function draw(random: Random, name: string, value: number): Drawn {
  const kind = random.weighted({ counter: 3, register: 3, list: 2, promise: 3, start: 1 });
  const keys = kind === "promise" || kind === "start" ? DECIDED_ONCE : OBJECTS;
  return { kind, key: `${name}-${random.between(1, keys)}`, ...drawVerb(random, kind, value) };
}

function drawVerb(random: Random, kind: Kind, value: number): Pick<Drawn, "verb" | "given"> {
  switch (kind) {
    case "counter":
      return random.chance(0.4) ? { verb: "read", given: null } : { verb: "add", given: random.between(1, 3) };
    case "register": {
      const verb = random.pick(["read", "read", "write", "swap"]);
      if (verb === "swap") return { verb, given: { expected: random.pick([null, 1, 2]), to: random.between(1, 2) } };
      return { verb, given: verb === "read" ? null : random.between(1, 2) };
    }
    case "list":
      return random.chance(0.4) ? { verb: "read", given: null } : { verb: "append", given: value };
    case "promise":
      return random.chance(0.5) ? { verb: "peek", given: null } : { verb: "resolve", given: value };
    case "start":
      return { verb: "start", given: value };
  }
}
