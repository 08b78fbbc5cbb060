/** The requests of a seed's clients: program, moment, kind, and the later actions on the invocation. */
import type { Program } from "./program.ts";
import { Drawing } from "./draw-program.ts";
import type { Random } from "../random.ts";

export interface Ask {
  readonly program: Program;
  /** A client repeats a request with a key until it is answered, and does not repeat other requests. */
  readonly key?: string;
  readonly how: "call" | "send";
  readonly atMs: number;
  /** The delay of a send, in milliseconds. */
  readonly delayMs: number;
  /** The later action, and the time from the request to it. */
  readonly later?: { readonly what: "cancel" | "kill" | "attach" | "again"; readonly afterMs: number };
}

const CLIENTS_MAX = 5;
/** The requests of a seed are spread over one of these times, so they come nearly at once or one after the other. */
const WITHIN_MS = [50, 3_000, 40_000];

export function drawPlan(random: Random): readonly Ask[] {
  const drawing = new Drawing(random);
  const withinMs = random.pick(WITHIN_MS);
  return Array.from({ length: random.between(1, CLIENTS_MAX) }, () => drawAsk(random, drawing, withinMs));
}

function drawAsk(random: Random, drawing: Drawing, withinMs: number): Ask {
  const atMs = random.between(0, withinMs);
  const afterMs = random.pick([0, 20, 100, 1_000, 12_000]);
  const delayMs = random.pick([0, 0, 600, 20_000]);
  const how = random.pick(["call", "send"] as const);
  if (random.chance(0.15)) {
    const program = drawing.sleeper();
    return {
      program,
      key: program.name,
      how,
      atMs,
      delayMs,
      later: { what: random.pick(["cancel", "kill"]), afterMs },
    };
  }
  const isShared = random.chance(0.2);
  const program = isShared ? drawing.shared() : drawing.program(0);
  const isKeyed = isShared || random.chance(0.5);
  const what = random.weighted({ cancel: 1, kill: 1, attach: 2, again: isKeyed ? 1 : 0, none: 4 });
  return {
    program,
    how,
    atMs,
    delayMs,
    ...(isKeyed && { key: program.name }),
    ...(what !== "none" && { later: { what, afterMs } }),
  };
}
