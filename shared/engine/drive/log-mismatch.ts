/** Logs a journal mismatch (RT0016) with the commands that repair the invocation. */
import { type FormerCode, formerCodeOf } from "../../core/invocation/former-code.ts";
import type { Invocation } from "../../core/invocation/invocation.ts";
import { sameMismatch, spokenCommand } from "../../core/invocation/mismatch.ts";
import { waysOut } from "../../core/invocation/ways-out.ts";
import { keptName, type Mismatch } from "../../core/model/attempt-failure.ts";
import { targetText } from "../../core/model/target.ts";
import type { Engine } from "../engine.ts";
import { SMALL_MAX_BYTES } from "../store/load.ts";
import { loadWithMoments } from "../store/operator-loads.ts";
import { recorderOf } from "../store/recorder.ts";

/**
 * Writes no further line if a retry of the same code meets the same difference as the failure before it.
 * @param before the invocation before the attempt
 * @param after the invocation after the attempt; a completed one has no ways out
 */
export async function logMismatch(
  engine: Engine,
  before: Invocation,
  after: Invocation,
  mismatch: Mismatch,
): Promise<void> {
  if (sameMismatch(before.lastFailure?.mismatch, mismatch)) return;
  const { id, target } = before.acceptance;
  const former = await formerCode(engine, before, mismatch);
  engine.log.write("journal.mismatched", {
    invocationId: id,
    target: keptName(targetText(target)),
    entry: mismatch.entry,
    recorded: spokenCommand(mismatch.recorded),
    offered: spokenCommand(mismatch.offered),
    deploymentId: mismatch.deploymentId,
    ...(former !== "unread" && former !== undefined && { recordedBy: former.deploymentId }),
    ...(after.phase.status !== "completed" && { waysOut: waysText(after, mismatch, former) }),
  });
}

function waysText(invocation: Invocation, mismatch: Mismatch, former: FormerCode | "unread" | undefined): string {
  if (former === "unread") return `describe: stepwell invocations describe ${invocation.acceptance.id}`;
  return waysOut(invocation, mismatch, former)
    .map(({ action, commands }) => `${action}: ${commands.join(" && ")}`)
    .join(" | ");
}

/**
 * Costs a read of the journal, because drivers do not know the deployments behind its entries.
 * @returns undefined if no deployment recorded the entry, or if it is unknown which one did; `unread` if the journal is large, or
 *   a read has failed
 */
async function formerCode(
  engine: Engine,
  { acceptance: { id, target } }: Invocation,
  { recorded, entry }: Mismatch,
): Promise<FormerCode | "unread" | undefined> {
  if (recorded === undefined || entry === undefined) return undefined;
  try {
    const loaded = await loadWithMoments(engine, id, SMALL_MAX_BYTES);
    const recorder = loaded && (await recorderOf(engine, loaded, entry, SMALL_MAX_BYTES));
    return formerCodeOf(await engine.registry.deployments(), target.service, recorder?.deploymentId);
  } catch {
    return "unread";
  }
}
