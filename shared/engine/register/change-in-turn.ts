/** Changes a partition that counts its changes, so that no change fails because others come at the same time. */
import { CodedError } from "../../core/errors/coded-error.ts";
import type { Engine } from "../engine.ts";
import { jitter } from "../ports/id-source.ts";

/** Fifty processes that change a partition at the same time need up to 14 tries. All tries together wait for at most 11 s. */
const TRIES = 16;
const FIRST_WAIT_MS = 50;
const WAIT_MAX_MS = 1_000;

/** The parts of the engine that a change needs. */
export type ChangeGround = Pick<Engine, "meta" | "settings" | "activeInvocations" | "clock" | "ids">;

/**
 * Changes of this process take turns. A change that comes after one of another process is refused, and begins again: at once after
 * the first refusal, and after a random wait that grows with each further one.
 * @param pk the partition: changes of different partitions never wait for each other
 * @param tryOnce reads, decides and writes; returns undefined if another change came first. Its errors pass through
 * @throws CodedError META0005 if another change came first at every try
 */
export async function changeInTurn<Change>(
  engine: ChangeGround,
  pk: string,
  tryOnce: () => Promise<Change | undefined>,
): Promise<Change> {
  const turn = await engine.activeInvocations.changeTurns.alone(pk);
  try {
    for (let refused = 0; refused < TRIES; refused++) {
      if (refused > 1) await engine.clock.sleep(waitMs(engine, refused));
      const change = await tryOnce();
      if (change !== undefined) return change;
    }
  } finally {
    turn.leave();
  }
  throw new CodedError("META0005", `other changes came first at each of ${TRIES} tries; send the request again`);
}

/** The whole wait is random, because processes that were refused together would otherwise come together again. */
function waitMs(engine: ChangeGround, refused: number): number {
  return Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (refused - 2)) * jitter(engine);
}
