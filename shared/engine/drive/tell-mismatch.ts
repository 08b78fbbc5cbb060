/** Logs a journal mismatch (RT0016) with the commands that repair the invocation. */
import type { Invocation } from "../../core/invocation/invocation.ts";
import { sameMismatch, spokenCommand } from "../../core/invocation/mismatch.ts";
import { waysOut } from "../../core/invocation/ways-out.ts";
import { type AttemptFailure, keptName } from "../../core/model/attempt-failure.ts";
import { targetText } from "../../core/model/target.ts";
import type { Engine } from "../engine.ts";

/** Writes one line for each difference: retries of the same code meet the same difference. */
export function tellMismatch(engine: Engine, invocation: Invocation, { mismatch }: AttemptFailure): void {
  if (mismatch === undefined || sameMismatch(invocation.lastFailure?.mismatch, mismatch)) return;
  const { id, target } = invocation.acceptance;
  engine.log.write("journal.mismatched", {
    invocationId: id,
    target: keptName(targetText(target)),
    entry: mismatch.entry,
    recorded: spokenCommand(mismatch.recorded),
    offered: spokenCommand(mismatch.offered),
    deploymentId: mismatch.deploymentId,
    waysOut: waysOut(invocation, mismatch)
      .map(({ action, commands }) => `${action}: ${commands.join(" && ")}`)
      .join(" | "),
  });
}
