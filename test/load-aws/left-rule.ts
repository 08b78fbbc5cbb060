/**
 * Judges what a run leaves: every invocation was submitted and has ended, and remaining messages and schedules have no effect.
 */
import type { InvocationBody } from "../../shared/api/contract/invocations.ts";
import { pause } from "../e2e-aws/control-plane.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import type { Book } from "./book.ts";
import type { LoadClient } from "./client.ts";
import type { LeftBehind } from "./left-behind.ts";
import { sweepAsRule } from "./quiet.ts";

/**
 * An acceptance whose message was lost, or whose ingress was killed before it sent one, is only in the listing: the sweeper finds
 * it there once it is old enough.
 */
const LOOK_MS = 3_000;

/**
 * The book lacks the ids of two members of each killed chain, and of calls without a key that were accepted but not answered.
 * These invocations are listed too, and must have ended like all others.
 */
export async function complaintsOfListing(
  listed: readonly string[],
  book: Book,
  client: LoadClient,
): Promise<string[]> {
  const { known, killed, vanished } = book;
  const ids = new Set(listed);
  const complaints = ids.size < listed.length ? ["an id is listed twice"] : [];
  for (const id of known) if (!ids.has(id) && !vanished.has(id)) complaints.push(`${id} is not in the table`);
  const untold = [...ids].filter((id) => !known.has(id));
  const mayBe = client.unkeyedAgain + 2 * killed.size;
  if (untold.length > mayBe)
    complaints.push(`${untold.length} invocations have ids that the load does not know; at most ${mayBe} may`);
  const untilMs = Date.now() + SEEN_WITHIN_MS;
  for (const id of untold) {
    let shown = await shownOpen(id, client);
    for (; shown !== undefined && Date.now() < untilMs; shown = await shownOpen(id, client)) {
      await sweepAsRule();
      await pause(LOOK_MS);
    }
    if (shown !== undefined) complaints.push(`${id}, which nobody knows, is ${shown}`);
  }
  return complaints;
}

/** @returns the invocation as the admin API shows it; undefined if it has ended */
async function shownOpen(id: string, client: LoadClient): Promise<string | undefined> {
  const { status, text } = await client.admin({ path: `/invocations/${id}` });
  // A tombstone is answered with 404.
  const isOver = status === 404 || (JSON.parse(text) as InvocationBody).status === "completed";
  return isOver ? undefined : text;
}

/**
 * A message that a killed worker had received stays hidden until the timeout of its function, and the schedule of an interrupted
 * sleep fires at its time: neither has an effect, since nothing is open.
 */
export function complaintsOfLeft(
  { open, waiting, dead, schedules }: LeftBehind,
  { known, interrupted }: Book,
): string[] {
  const unexplained = schedules.filter((name) => {
    const id = name.split(".")[0]!;
    return known.has(id) && !interrupted.has(id);
  });
  const kinds = Object.entries({ open, waiting, dead, unexplained }).filter(([, all]) => all.length > 0);
  return kinds.map(([kind, all]) => `${all.length} ${kind} in the end: ${JSON.stringify(all.slice(0, 5))}`);
}
