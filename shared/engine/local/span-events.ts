/** The events of the span of one attempt, in bounded memory: the commands and the results of runs that came from the handler. */
import type { Received } from "../../core/protocol/received.ts";
import type { SpanEvent } from "../ports/tracer.ts";

/** OpenTelemetry's own limit, which the reference server has as well. The first events are kept, and the others are counted. */
const EVENTS_MAX = 128;
/** A handler may give a command a name of megabytes. */
const NAME_MAX_CHARS = 1_000;

export class SpanEvents {
  readonly #kept: SpanEvent[] = [];
  #dropped = 0;

  get kept(): readonly SpanEvent[] {
    return this.#kept;
  }

  /** How many events are left out. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @param atMs the moment of items that have none */
  add(received: readonly Received[], atMs: number): void {
    const kept = received.slice(0, EVENTS_MAX - this.#kept.length);
    this.#kept.push(...kept.map((item) => eventOf(item, item.receivedAtMs ?? atMs)));
    this.#dropped += received.length - kept.length;
  }
}

function eventOf(item: Received, atMs: number): SpanEvent {
  if (item.kind === "proposal") {
    const attributes = { "restate.journal.notification.id": `CompletionId: ${item.completionId}` };
    return { name: "restate.invocation.lifecycle.run_ended", atMs, attributes };
  }
  const name = item.message.name.slice(0, NAME_MAX_CHARS);
  const attributes = {
    "restate.journal.command.type": `Command/${item.name}`,
    ...(name !== "" && { "restate.journal.command.name": name }),
  };
  return { name: "restate.invocation.lifecycle.new_command", atMs, attributes };
}
