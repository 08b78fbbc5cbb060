/** Lists the ways out of a journal mismatch (RT0016), each with the commands that an operator runs for it. */
import type { DeploymentId } from "../model/ids.ts";
import type { Mismatch } from "../model/attempt-failure.ts";
import type { Invocation } from "./invocation.ts";
import { CUT_VERSION_MIN, journalPrefix } from "./prefix.ts";

export interface WayOut {
  /** `restore`: the former code at its old address. `move`: the former code at another address. */
  readonly action: "restore" | "move" | "restart" | "kill";
  readonly text: string;
  /** Commands of `stepwell`, in their order. A part in angle brackets is for the operator to fill in. */
  readonly commands: readonly string[];
}

/** A journal rarely needs more than one step back; each step reads the whole journal. */
const STEPS_BACK_MAX = 50;

/** @param formerCode another deployment of the service, preferably the deployment that recorded the journal */
export function waysOut(invocation: Invocation, mismatch: Mismatch, formerCode?: DeploymentId): readonly WayOut[] {
  const { id, handlerType } = invocation.acceptance;
  const kill = command("kill", id);
  const ways: WayOut[] = [
    {
      action: "restore",
      text: `Start the former code again at the address of deployment ${mismatch.deploymentId}. Resume only brings the next attempt forward.`,
      commands: [command("resume", id)],
    },
    move(invocation, formerCode),
  ];
  if (handlerType !== "workflow") {
    const from = lastKept(invocation, mismatch);
    const kept = from === 0 ? "its input alone" : `the results up to entry ${from}`;
    ways.push({
      action: "restart",
      text: `End the invocation, and start it again on the new code with ${kept}.`,
      commands: [kill, `${command("restart", id)} --from ${from} --deployment keep`],
    });
  }
  ways.push({ action: "kill", text: "End the invocation. Nothing that it did is undone.", commands: [kill] });
  return ways;
}

function move({ acceptance: { id }, phase }: Invocation, formerCode?: DeploymentId): WayOut {
  const pause = phase.status === "paused" ? [] : [command("pause", id)];
  const resume = `${command("resume", id)} --deployment ${formerCode ?? "<deployment-id>"}`;
  if (formerCode !== undefined)
    return { action: "move", text: `Continue on deployment ${formerCode}.`, commands: [...pause, resume] };
  return {
    action: "move",
    text: "Start the former code at another address, register it there, and continue on it. New invocations go to it too, until the new code is registered once more.",
    commands: ["stepwell deployments register <address>", ...pause, resume],
  };
}

function command(name: string, id: string): string {
  return `stepwell invocations ${name} ${id}`;
}

/**
 * A restart can begin with the entries up to the returned index: they come before the difference, and each command among
 * them is completed. 0 is the input alone.
 */
function lastKept({ journal, pin }: Invocation, { entry = 0 }: Mismatch): number {
  if ((pin?.protocolVersion ?? 0) < CUT_VERSION_MIN) return 0;
  const first = Math.min(entry, journal.entries.length) - 1;
  for (let from = first; from > Math.max(0, first - STEPS_BACK_MAX); from--)
    if (journalPrefix(journal, from) !== undefined) return from;
  return 0;
}
