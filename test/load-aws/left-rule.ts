/** The rule of what is left: everything that exists was asked for and has ended, and what is still on its way is for nothing. */
import type { InvocationBody } from "../../shared/api/wire/admin.ts";
import { pause } from "../e2e-aws/control-plane.ts";
import type { Book } from "./book.ts";
import type { LoadClient } from "./client.ts";
import type { LeftBehind } from "./left-behind.ts";
import { sweepAsRule } from "./quiet.ts";

/**
 * Who was accepted by an ingress that was killed before it could send a message, or lost it, is found in the listing when it is
 * old enough, and then driven; until then it stands nowhere else.
 */
const FOUND_WITHIN_MS = 60_000;
const LOOK_MS = 3_000;

/**
 * Each killed chain has two members whose ids nobody told, and each unanswered call without a key may have been accepted:
 * these exist without being known, and have ended like all others.
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
  if (untold.length > mayBe) complaints.push(`${untold.length} invocations are known to nobody, and ${mayBe} may be`);
  const untilMs = Date.now() + FOUND_WITHIN_MS;
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

/** @returns undefined where it has ended */
async function shownOpen(id: string, client: LoadClient): Promise<string | undefined> {
  const { status, text } = await client.admin({ path: `/invocations/${id}` });
  // Ended before its first attempt it is shown to nobody.
  const isOver = status === 404 || (JSON.parse(text) as InvocationBody).status === "completed";
  return isOver ? undefined : text;
}

/**
 * A message that a worker had received when it was killed stays hidden until its function's time would be up, and the
 * schedule of a sleep that was cut short fires at its time: both are for nothing, since nothing is open.
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
