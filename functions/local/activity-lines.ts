/** Logs a line for each invocation that ends, and one line in place of the many lines of a flood. */
import type { Activity, EndedInvocation } from "../../shared/engine/ports/activity.ts";
import type { Log } from "../../shared/engine/ports/log.ts";

/** The most lines within one window: a terminal shows no more, and a line costs about as much as a short invocation. */
export const LINES_MAX = 20;
const WINDOW_MS = 1_000;
/** The most characters of texts that deployments and handlers choose. */
const TARGET_MAX = 200;
const REASON_MAX = 200;

export class ActivityLines implements Activity {
  readonly #log: Log;
  #lines = 0;
  #omitted = 0;
  #failed = 0;
  #window: NodeJS.Timeout | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Shows no key: keys may name persons, and logs outlive the data. */
  ended({ id, target, outcome, durationMs, reason }: EndedInvocation): void {
    this.#window ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    if (this.#lines === LINES_MAX) {
      this.#omitted++;
      if (outcome !== "succeeded") this.#failed++;
      return;
    }
    this.#lines++;
    this.#log.write("invocation.ended", {
      target: cut(`${target.service}/${target.handler}`, TARGET_MAX),
      outcome,
      durationMs,
      invocationId: id,
      ...(reason !== undefined && { reason: cut(reason, REASON_MAX) }),
    });
  }

  /** Ends the window: logs how many lines it left out. */
  flush(): void {
    clearTimeout(this.#window);
    this.#window = undefined;
    if (this.#omitted > 0) this.#log.write("invocation.omitted", { count: this.#omitted, notSucceeded: this.#failed });
    this.#lines = 0;
    this.#omitted = 0;
    this.#failed = 0;
  }
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
