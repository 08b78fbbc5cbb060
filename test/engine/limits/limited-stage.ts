/** A stage whose handler counts how many of its invocations run at a time. */
import type { Limits } from "../../../shared/core/limits/rule.ts";
import type { LimitKey, Scope } from "../../../shared/core/model/scope.ts";
import type { Submission } from "../../../shared/engine/ports/submission.ts";
import { applyRules } from "../../../shared/engine/register/rules.ts";
import type { Actor, Stage } from "../../harness/engine/engine-fixture.ts";
import type { Handler } from "../../harness/engine/script-context.ts";

export class Running {
  now = 0;
  most = 0;
  /** The inputs in the order in which the handler began. */
  readonly began: string[] = [];

  enter(input: string): void {
    this.began.push(input);
    this.now++;
    this.most = Math.max(this.most, this.now);
  }

  leave(): void {
    this.now--;
  }
}

/** Runs for `ms` milliseconds of the stage's time. */
export function takesMs(ms: number, running: Running, stage: () => Stage): Handler {
  return async (ctx) => {
    const input = ctx.journal.input;
    running.enter(input);
    await stage().pulse.sleep(ms);
    running.leave();
    return input;
  };
}

export async function limit(actor: Actor, pattern: string, limits: Limits): Promise<void> {
  const change = await applyRules(actor.engine, [{ pattern, limits }]);
  if (change.kind === "refused") throw new Error(change.message);
}

/** In a scope, with a limit key. */
export function scoped(handler: string, scope: string, limitKey?: string): Partial<Submission> {
  return {
    target: { service: "S", handler, scope: scope as Scope },
    ...(limitKey !== undefined && { limitKey: limitKey as LimitKey }),
  };
}
