/** One attempt: sends the journal to the deployment in one exchange, and converts the reply to entries. */
import type { NotificationEntry } from "../../core/invocation/entry.ts";
import type { AttemptEnded, AttemptOutcome } from "../../core/invocation/event.ts";
import { besideJournal } from "../../core/invocation/mismatch.ts";
import type { Consumption } from "../../core/invocation/segment.ts";
import type { Step } from "../../core/invocation/transition.ts";
import type { Route } from "../../core/model/deployment.ts";
import { inBursts } from "../../core/protocol/received.ts";
import { negotiate, type ProtocolVersion, spokenVersion } from "../../core/protocol/version.ts";
import { attemptRequest, overSleep } from "./attempt-request.ts";
import { type Failing, failed, overfull, spanOf, unroutable, unsent, neverBegun } from "./attempt-failures.ts";
import { type Growth, learnQuiet, staysOpen } from "./hold.ts";
import { OpenConversation } from "./open-conversation.ts";
import { beginReading, type ReadEnd, readReply, replyMaxBytes, replyOf } from "./reply-reader.ts";
import { eagerState } from "../lock/state-reads.ts";
import type { Engine } from "../engine.ts";
import { expand, type Expanded } from "./expand.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { Exchange } from "../ports/endpoints.ts";
import { jitter } from "../ports/id-source.ts";
import { spokenRange } from "../ports/protocol-range.ts";

type Attempt = Extract<Step, { kind: "attempt" }>;

/**
 * Never rejects because of a deployment: every failure is an ending. Errors of the store pass through.
 * @param growth what the driver does with the entries of an exchange that stays open
 */
export async function attempt(
  engine: Engine,
  active: ActiveInvocation,
  step: Attempt,
  growth: Growth,
): Promise<AttemptEnded> {
  const startedAtMs = engine.clock.nowMs();
  const route = active.ownAcceptance?.takeRoute() ?? (await routeOf(engine, active));
  const version = route && versionFor(engine, active, route);
  let sent: readonly Consumption[] = [...step.take, ...step.dueSleeps.map((id) => overSleep(id, startedAtMs))];
  const fail = (why: Failing) => neverBegun(engine, active, { startedAtMs, sent, route }, why);
  if (route === undefined || version === undefined) return fail(unroutable(active.invocation, route));
  const { rest } = active.inbox;
  if (rest?.kind === "unfit") return fail(overfull(engine, active.invocation, rest.sizeBytes));
  const state = eagerState(engine, active, route);
  // If there is nothing to read, an `await` would only cost a turn of the event loop.
  const eager = state instanceof Promise ? await state : state;
  const opens = staysOpen(engine, active, route);
  let exchange: Exchange;
  try {
    exchange = engine.endpoints.open(attemptRequest(engine, active, route, version, sent, eager, !opens));
  } catch (error) {
    engine.log.write("attempt.send-failed", { invocationId: active.id, error: String(error) });
    return fail(unsent(error));
  }
  const pin = { deploymentId: route.deployment.id, protocolVersion: version };
  const reading = beginReading(engine, active, route, version, exchange);
  let expanded: Expanded | undefined;
  let carried: readonly NotificationEntry[] = [];
  let end: ReadEnd;
  try {
    if (opens) {
      const about = { pin, startedAtMs, inactivityTimeoutMs: route.settings.inactivityTimeoutMs };
      const conversation = new OpenConversation(engine, active, reading, sent, about, growth);
      ({ end, sent, carried, refused: expanded } = await conversation.run());
    } else end = await readReply(engine, active, reading);
  } finally {
    active.attempt.endExchange();
  }
  const reply = replyOf(engine, reading, end);
  const received = opens ? reply.received : inBursts(reply.received);
  expanded ??= await expand(engine, active, received, version, replyMaxBytes(engine, active));
  const atMs = engine.clock.nowMs();
  // If a command is refused, this command and all later ones are discarded. The ending of the reply then does not count, because
  // the handler reached that ending with the discarded commands.
  const ending = expanded.refused ? failed(atMs, expanded.refused) : explained(active, route, reply.ending);
  learnQuiet(engine, active, route, ending);
  engine.meter.count("attempts_total", { ending: ending.kind });
  engine.meter.observe("attempt_seconds", (atMs - startedAtMs) / 1000);
  return {
    kind: "attempt-ended",
    atMs,
    attempt: spanOf(active.invocation, startedAtMs, atMs),
    pin,
    sent,
    carried,
    entries: expanded.entries,
    ending,
    policy: route.settings.retry,
    jitter: ending.kind === "failed" ? jitter(engine) : 0,
  };
}

async function routeOf(engine: Engine, active: ActiveInvocation): Promise<Route | undefined> {
  const { pin, acceptance } = active.invocation;
  const { service, handler } = acceptance.target;
  if (pin !== undefined) return await engine.registry.routeOn(pin.deploymentId, service, handler);
  const routing = await engine.registry.route(service, handler);
  return routing.found ? routing.route : undefined;
}

/**
 * The negotiated version is fixed for the life of the invocation.
 * @returns undefined if this server speaks no version of the deployment (RT0013), or no longer the fixed one (RT0014)
 */
function versionFor(
  { settings }: Engine,
  active: ActiveInvocation,
  { deployment }: Route,
): ProtocolVersion | undefined {
  const { pin } = active.invocation;
  const ours = spokenRange(settings);
  if (pin !== undefined) return spokenVersion(pin.protocolVersion, ours);
  return negotiate({ min: deployment.minProtocolVersion, max: deployment.maxProtocolVersion }, ours);
}

/** Adds the journal's side to the report of a mismatch (RT0016), because the deployment reports only its own side. */
function explained({ invocation }: ActiveInvocation, { deployment }: Route, ending: AttemptOutcome): AttemptOutcome {
  if (ending.kind !== "failed" || ending.failure.errorCode !== "RT0016") return ending;
  return { ...ending, failure: besideJournal(ending.failure, invocation.journal, deployment.id) };
}
