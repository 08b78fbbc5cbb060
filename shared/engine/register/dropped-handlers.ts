/** Warns before a registration replaces a deployment by one that lacks handlers of open invocations. */
import type { Deployment } from "../../core/model/deployment.ts";
import type { Service } from "../../core/model/service.ts";
import type { Engine } from "../engine.ts";
import { listInvocations, OPEN_STATUSES } from "../query/list-invocations.ts";
import type { ListPosition } from "../query/list-position.ts";

/** The most handlers that get a line of their own in the log. */
const LINES_MAX = 20;
const IDS_SHOWN_MAX = 5;
const TARGET_MAX_CHARACTERS = 200;
const PAGE = 500;
const PAGES_MAX = 10;

interface DroppedHandler {
  readonly service: string;
  readonly handler: string;
}

interface OpenOfHandler {
  count: number;
  /** The ids of the newest of these invocations. */
  readonly ids: string[];
}

/** The handlers that the first list has and the second one lacks. */
function droppedHandlers(before: readonly Service[], after: readonly Service[]): readonly DroppedHandler[] {
  const kept = new Set(after.flatMap(({ name, handlers }) => handlers.map((handler) => keyOf(name, handler.name))));
  return before
    .flatMap(({ name, handlers }) => handlers.map((handler) => ({ service: name, handler: handler.name })))
    .filter(({ service, handler }) => !kept.has(keyOf(service, handler)));
}

/** Logs a line for each dropped handler with open invocations. Never throws: the warning must not prevent the replacement. */
export async function warnOfDropped(
  engine: Engine,
  registered: Deployment,
  offered: readonly Service[],
): Promise<void> {
  const dropped = droppedHandlers(registered.services, offered);
  if (dropped.length === 0) return;
  const { found, isAtLeast } = await openByHandler(engine, registered, dropped);
  const warned = [...found].filter(([, { count }]) => count > 0);
  for (const [target, { count, ids }] of warned.slice(0, LINES_MAX)) {
    engine.log.write("handler.dropped", {
      deploymentId: registered.id,
      target: target.slice(0, TARGET_MAX_CHARACTERS),
      open: count,
      ...(isAtLeast && { isAtLeast }),
      invocationIds: ids.join(","),
    });
  }
}

/**
 * Counts by pages, at most `PAGES_MAX`, so that a flood of open invocations costs a bounded number of reads. If the function does
 * not reach the last page, each count is a lower bound.
 */
async function openByHandler(
  engine: Engine,
  { id }: Deployment,
  dropped: readonly DroppedHandler[],
): Promise<{ readonly found: ReadonlyMap<string, OpenOfHandler>; readonly isAtLeast: boolean }> {
  const found = new Map(dropped.map(({ service, handler }) => [keyOf(service, handler), emptyCount()]));
  const narrowing = new Map([
    ["status", { in: OPEN_STATUSES }],
    ["target_service_name", { in: [...new Set(dropped.map(({ service }) => service))] }],
    ["target_handler_name", { in: [...new Set(dropped.map(({ handler }) => handler))] }],
  ]);
  let after: ListPosition | undefined;
  try {
    for (let page = 0; page < PAGES_MAX; page++) {
      const { invocations, next } = await listInvocations(engine, narrowing, { limit: PAGE, after });
      for (const { id: invocationId, service, handler, deploymentId } of invocations) {
        const open = found.get(keyOf(service, handler));
        // An invocation that is pinned to another deployment goes on there.
        if (open === undefined || (deploymentId !== undefined && deploymentId !== id)) continue;
        open.count++;
        if (open.ids.length < IDS_SHOWN_MAX) open.ids.push(invocationId);
      }
      if (next === undefined) return { found, isAtLeast: false };
      after = next;
    }
  } catch {
    // More invocations are open than a list may read: the warning has those found so far.
  }
  return { found, isAtLeast: true };
}

function emptyCount(): OpenOfHandler {
  return { count: 0, ids: [] };
}

/** A service name contains no slash. */
function keyOf(service: string, handler: string): string {
  return `${service}/${handler}`;
}
