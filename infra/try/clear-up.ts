/** Destroys the stack and looks for resources that are left. */
import { failureText } from "../../functions/cli/text/command-failure.ts";
import { awsFailure } from "./aws-failure.ts";
import { EXIT_LEFT, EXIT_OK } from "./exit-codes.ts";
import { interruption } from "./interruption.ts";
import { deleteLateLogGroups, leftovers, STAYS } from "./leftovers.ts";
import { leftLines } from "./report.ts";
import type { Stage } from "./stage.ts";
import type { StackPart } from "./try-stack.ts";

export interface Cleared {
  /** Undefined if the stack could not be destroyed. */
  readonly destroyedMs: number | undefined;
  /** Resources that exist although they should be gone. */
  readonly left: readonly string[];
}

/** @param signal ends the removal early; the remaining resources then stay */
export async function removeStack(stage: Stage, signal: AbortSignal): Promise<Cleared> {
  const { stack, terminal } = stage;
  const startedMs = performance.now();
  let parts: readonly StackPart[] = [];
  try {
    // A deployment that failed before its start has left nothing.
    if ((await stack.look()) === undefined) return { destroyedMs: 0, left: await leftovers(stack, []) };
    parts = await stack.parts();
    await stage.during("Destroying", (onProgress) => stack.destroy(onProgress, signal));
  } catch (error) {
    const why = signal.aborted ? "interrupted" : failureText(awsFailure("The stack is not destroyed", error), false);
    terminal.tell(why);
    return { destroyedMs: undefined, left: [`the stack ${stack.name}, or parts of it`] };
  }
  const destroyedMs = Math.round(performance.now() - startedMs);
  terminal.tell(`Destroyed after ${Math.round(destroyedMs / 1000)} s.`);
  await deleteLateLogGroups(parts);
  return { destroyedMs, left: await leftovers(stack, parts) };
}

/** Runs `--destroy`. @returns the exit code @throws CommandFailure if the answer is not yes */
export async function clearUp(stage: Stage): Promise<number> {
  const { account, stack, standing, flags, terminal } = stage;
  stage.show(
    `Account ${account.id}, Region ${account.region}, stack ${stack.name}: ${standing?.status ?? "not there"}`,
  );
  const heard = interruption(() =>
    terminal.tell("\nStill destroying. A second Ctrl-C stops, and leaves the rest of the stack."),
  );
  try {
    if (standing !== undefined) await stage.confirm("Destroy it with everything that is in it?");
    const cleared: Cleared =
      standing === undefined
        ? { destroyedMs: 0, left: await leftovers(stack, []) }
        : await removeStack(stage, heard.clearing);
    const { destroyedMs = null, left } = cleared;
    const told =
      left.length === 0 ? "Nothing of it is left." : leftLines(left, { stackName: stack.name, account }).join("\n");
    terminal.print(
      flags.json === true
        ? JSON.stringify({ stack: stack.name, destroyed_ms: destroyedMs, left, stays: STAYS }, null, 2)
        : told,
    );
    return left.length === 0 ? EXIT_OK : EXIT_LEFT;
  } finally {
    heard.forget();
  }
}
