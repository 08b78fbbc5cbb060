/**
 * The start and the end of a process that is the sole owner of its store. After a crash of the previous process, the process
 * pauses suspects or tries them alone.
 */
import { Marks, Suspects } from "../local/suspects.ts";
import type { Engine } from "../engine.ts";
import { pauseUnread } from "./dead-letters.ts";

/** A suspect is paused after it has ended this many processes while it was tried alone. */
const DEATHS_ALONE_MAX = 2;

/**
 * Call it before any invocation is driven. Pauses suspects that have ended several processes while they were tried alone.
 * @returns how many invocations it has paused
 */
export async function beginLife(engine: Engine): Promise<number> {
  const marks = new Marks(engine);
  if (!(await marks.beginLife())) return 0;
  const left = await marks.left();
  let paused = 0;
  for (const [id, { deathsAlone }] of left) {
    if (deathsAlone < DEATHS_ALONE_MAX) continue;
    const reason = `it ended the process ${deathsAlone} times in a row while nothing else was driven; resume it once the cause is known`;
    await pauseUnread(engine, id, reason);
    await marks.delete(id);
    paused++;
  }
  engine.activeInvocations.suspects = new Suspects(engine.clock, marks, left);
  if (left.size > 0) engine.log.write("invocation.suspected", { suspects: left.size, paused });
  return paused;
}

/** Call it when no invocation is driven any more: the next process then has no suspects. */
export async function endLife(engine: Engine): Promise<void> {
  await new Marks(engine).endLife();
}
