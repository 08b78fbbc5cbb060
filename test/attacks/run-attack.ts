/** Runs one attack beside a healthy neighbour, restarts the server on the same data, and counts the invocations that it lost. */
import { setTimeout as pause } from "node:timers/promises";
import type { Deed } from "./attack.ts";
import { complaintsOf, keepFigures } from "./figures.ts";
import { missingAfterRestart } from "./lost-invocations.ts";
import type { Stage } from "./stage.ts";

/** How long the neighbour runs alone, so that its slow first calls do not count as damage. */
const QUIET_MS = 300;
/** Some strikes take thirty seconds on a quiet machine. One that exceeds this limit shows nothing about the server. */
const STRIKE_MAX_MS = 300_000;

/** @returns a sentence for each broken limit */
export async function runAttack(attack: string, stage: Stage): Promise<string[]> {
  const { server, neighbour, attacker, yardstick } = stage;
  neighbour.startCalling();
  await pause(QUIET_MS);
  const deed = await strike(stage);
  await neighbour.stopCalling();
  const died = !server.lives;
  const stopMs = await server.stop();
  const [{ rssPeakMb }, { slowness }] = [server, yardstick];
  await attacker.end();
  const [direct, queued, health] = [neighbour.direct, neighbour.queued, neighbour.health].map((w) => w.figures());
  const accepted = deed.accepted.length + neighbour.sent.size;
  // If the server does not come back, every accepted invocation counts as lost.
  const missing = await missingAfterRestart(server, neighbour, deed.accepted).catch(() => undefined);
  const { lost, undone } = missing ?? { lost: accepted, undone: 0 };
  const { notes = {} } = deed;
  const figures = {
    attack,
    direct: direct!,
    queued: queued!,
    health: health!,
    rssPeakMb,
    slowness,
    died,
    stopMs,
    accepted,
    lost,
    undone,
    notes,
  };
  const complaints = [...complaintsOf(figures), ...(deed.complaints ?? [])];
  keepFigures(figures, complaints);
  return complaints;
}

/** Sends the attacker its target, and waits for its report. */
export function strike({ server, attacker }: Stage): Promise<Deed> {
  const struck = new Promise<Deed>((resolve) => attacker.onMessage((message) => resolve(message as Deed)));
  attacker.send(server.site);
  const unfinished: Deed = { accepted: [], complaints: ["the strike did not come to its end in time"] };
  return Promise.race([struck, pause(STRIKE_MAX_MS, unfinished, { ref: false })]);
}
