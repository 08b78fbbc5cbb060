/** Decides which exchanges stay open. The first exchange of a handler that is known to await nothing does not stay open. */
import type { AttemptOutcome } from "../../core/invocation/event.ts";
import type { Route } from "../../core/model/deployment.ts";
import type { Engine } from "../engine.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";

/**
 * A handler that only returns a result would pay for the open side of its exchange and gain nothing, so the first attempt of a
 * handler that is known to be quiet is request-response. An unknown handler may run code beside its
 * steps, such as a library that saves its session. A suspension would disturb that code, so the exchange stays open.
 */
export function staysOpen(engine: Engine, active: ActiveInvocation, route: Route): boolean {
  const { settings, activeInvocations } = engine;
  if (settings.opensExchanges !== true || !canStayOpen(route) || active.isStopping) return false;
  // A process with so little time left would half-close the exchange at once.
  const nowMs = engine.clock.nowMs();
  if (nowMs >= activeInvocations.leavesAtMs) return false;
  // A suspect is marked in the table until its whole reply is stored, so it gets a request-response exchange.
  if (activeInvocations.suspects?.isTrying(active.id) === true) return false;
  const { streams } = activeInvocations;
  if (active.invocation.journal.commandCount <= 1 && streams.isQuiet(handlerOf(route))) return false;
  // This check comes last, because a true answer may make this exchange the deployment's only probe for a while.
  return streams.earlyAnswers.mayStayOpen(route.deployment.id, nowMs);
}

/** True if the deployment reads requests and sends answers at the same time, and an inactivity timeout lets it wait. */
function canStayOpen({ deployment, settings }: Route): boolean {
  const { destination, protocolMode } = deployment;
  if (protocolMode !== "bidi-stream" || settings.inactivityTimeoutMs <= 0) return false;
  return destination.kind === "http" && destination.httpVersion === "h2";
}

/** Records whether the handler awaited something during the attempt. */
export function learnQuiet(
  { settings, activeInvocations }: Engine,
  { invocation }: ActiveInvocation,
  route: Route,
  ending: AttemptOutcome,
): void {
  if (settings.opensExchanges !== true || !canStayOpen(route)) return;
  if (ending.kind === "suspended") activeInvocations.streams.noteQuiet(handlerOf(route), false);
  // An invocation that ends at its first attempt and has no segment before its end has waited for nothing.
  else if (ending.kind === "ended" && invocation.segmentIndex === 0)
    activeInvocations.streams.noteQuiet(handlerOf(route), true);
}

function handlerOf({ deployment, service, handler }: Route): string {
  return `${deployment.id}/${service.name}/${handler.name}`;
}
