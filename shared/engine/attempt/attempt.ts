/** One attempt: sends the journal to the deployment in one request-response exchange, and converts the reply to entries. */
import type { AttemptEnded, AttemptOutcome } from "../../core/invocation/event.ts";
import { openRuns } from "../../core/invocation/journal.ts";
import { besideJournal } from "../../core/invocation/mismatch.ts";
import type { Consumption } from "../../core/invocation/segment.ts";
import type { Step } from "../../core/invocation/transition.ts";
import type { Route } from "../../core/model/deployment.ts";
import { Conversation } from "../../core/protocol/conversation.ts";
import { negotiate, type ProtocolVersion, spokenVersion } from "../../core/protocol/version.ts";
import { attemptRequest } from "./attempt-request.ts";
import { endingOf, failed, failureOfHead, failureOfTransport } from "./attempt-failures.ts";
import { eagerState } from "../lock/eager-state.ts";
import type { Engine } from "../engine.ts";
import { sleepEntry } from "../store/entries.ts";
import { expand } from "./expand.ts";
import { journalLeftBytes, replyMaxBytes, replyOfBudget } from "./reply-limits.ts";
import type { ActiveInvocation } from "../local/active-invocation.ts";
import type { OpenExchange } from "../local/open-attempt.ts";
import { NoRoomError, ReplyRoom } from "../local/reply-room.ts";
import { completionArrival } from "../store/item-keys.ts";
import type { Exchange } from "../ports/endpoints.ts";
import { spokenRange } from "../ports/protocol-range.ts";
import { jitter, spanOf, unroutable, unsent } from "./unsent-attempt.ts";

type Attempt = Extract<Step, { kind: "attempt" }>;

/** Never rejects because of a deployment: every failure is an ending. Errors of the store pass through. */
export async function attempt(engine: Engine, active: ActiveInvocation, step: Attempt): Promise<AttemptEnded> {
  const startedAtMs = engine.clock.nowMs();
  const route = active.ownAcceptance?.takeRoute() ?? (await routeOf(engine, active));
  const version = route && versionFor(engine, active, route);
  const sent: readonly Consumption[] = [...step.take, ...step.dueSleeps.map(overSleep)];
  if (route === undefined || version === undefined) return unroutable(engine, active, startedAtMs, sent, route);
  const reading = eagerState(engine, active, route);
  // If there is nothing to read, an `await` would only cost a turn of the event loop.
  const eager = reading instanceof Promise ? await reading : reading;
  let exchange: Exchange;
  try {
    exchange = engine.endpoints.open(attemptRequest(engine, active, route, version, sent, eager));
  } catch (error) {
    return unsent(engine, active, startedAtMs, sent, error, route);
  }
  const reply = await converse(engine, active, route, version, exchange);
  const expanded = await expand(engine, active, reply.received, version, replyMaxBytes(engine, active));
  const atMs = engine.clock.nowMs();
  // If a command is refused, the ending of the reply does not count, because it follows from the discarded commands too.
  const ending = expanded.refused ? failed(atMs, expanded.refused) : explained(active, route, reply.ending);
  engine.meter.count("attempts_total", { ending: ending.kind });
  engine.meter.observe("attempt_seconds", (atMs - startedAtMs) / 1000);
  return {
    kind: "attempt-ended",
    atMs,
    attempt: spanOf(active, startedAtMs, atMs),
    pin: { deploymentId: route.deployment.id, protocolVersion: version },
    sent,
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

function overSleep(completionId: number): Consumption {
  return { key: completionArrival(completionId), entry: sleepEntry(completionId), inline: true };
}

/** Adds the journal's side to the report of a mismatch (RT0016), because the deployment reports only its own side. */
function explained({ invocation }: ActiveInvocation, { deployment }: Route, ending: AttemptOutcome): AttemptOutcome {
  if (ending.kind !== "failed" || ending.failure.errorCode !== "RT0016") return ending;
  return { ...ending, failure: besideJournal(ending.failure, invocation.journal, deployment.id) };
}

interface Reply {
  readonly received: Conversation["received"];
  readonly ending: AttemptOutcome;
}

async function converse(
  engine: Engine,
  active: ActiveInvocation,
  route: Route,
  version: ProtocolVersion,
  exchange: Exchange,
): Promise<Reply> {
  const { journal } = active.invocation;
  const conversation = new Conversation({
    version,
    messageSizeMaxBytes: engine.settings.messageSizeMaxBytes,
    replyMaxBytes: replyOfBudget(engine),
    journalLeftBytes: journalLeftBytes(engine, active),
    openRuns: openRuns(journal),
    hasOutput: journal.output !== undefined,
    journalEntries: journal.entries.length,
  });
  const startedAtMs = engine.clock.nowMs();
  const { abortTimeoutMs } = route.settings;
  const open: OpenExchange = {
    startedAtMs,
    deploymentId: route.deployment.id,
    abortTimeoutMs,
    heardAtMs: startedAtMs,
    silent: false,
    abort: () => exchange.abort(),
  };
  const room = new ReplyRoom(engine.bulkheads.replies, route.deployment.id);
  active.attempt.begin(open, room);
  if (active.lease.isLost || active.isStopping) active.attempt.letGo(active.lease.isLost ? "lost" : "stopping");
  try {
    const head = await exchange.head();
    const refusal = failureOfHead(engine.clock.nowMs(), head, version);
    if (refusal !== undefined) {
      exchange.abort();
      return { received: [], ending: refusal };
    }
    const marking = engine.activeInvocations.suspects?.atReply(active.id);
    if (marking !== undefined) await marking;
    return await readReply(engine, open, exchange, conversation, room);
  } catch (error) {
    if (error instanceof NoRoomError) exchange.abort();
    const { received } = conversation.finish("broken", error instanceof Error ? error.message : String(error));
    return { received, ending: failureOfTransport(engine.clock.nowMs(), error, open) };
  } finally {
    active.attempt.endExchange();
  }
}

/** A chunk of this size is decoded in well under a millisecond. */
const SMALL_CHUNK_BYTES = 8_192;
/**
 * A deployment makes progress if it ends a message or sends this many bytes. If each byte counted, a byte every half
 * second would keep an attempt from its abort timeout for ever.
 */
const PROGRESS_BYTES = 16_384;

async function waitForRoom(open: OpenExchange, waits: Promise<void>): Promise<void> {
  open.waitsForRoom = true;
  try {
    await waits;
  } finally {
    delete open.waitsForRoom;
  }
}

/** Reads up to the terminator. The stream ends later, and contains nothing after the terminator. */
async function readReply(
  engine: Engine,
  open: OpenExchange,
  exchange: Exchange,
  conversation: Conversation,
  room: ReplyRoom,
): Promise<Reply> {
  // The first chunk counts as progress, however small.
  let unheardBytes = PROGRESS_BYTES;
  while (!conversation.terminated) {
    const chunk = await exchange.next();
    if (chunk === undefined) break;
    const { messageBytes } = conversation;
    const breaking = chunk.length > SMALL_CHUNK_BYTES ? engine.bulkheads.pace.step(room.lane) : undefined;
    if (breaking !== undefined) await breaking;
    conversation.receive(chunk);
    const waits = room.add(chunk.length, conversation);
    if (waits !== undefined) await waitForRoom(open, waits);
    unheardBytes += chunk.length;
    if (unheardBytes < PROGRESS_BYTES && conversation.messageBytes === messageBytes) continue;
    unheardBytes = 0;
    open.heardAtMs = engine.clock.nowMs();
  }
  const { received, ending } = conversation.finish("eof");
  // A deployment that violates the protocol may send for ever, and nothing after the violation is used.
  if (ending.kind === "violation" || ending.kind === "too-large") exchange.abort();
  else if (conversation.terminated) void engine.activeInvocations.drains.drain(exchange, engine.clock.nowMs());
  return { received, ending: endingOf(engine.clock.nowMs(), ending) };
}
