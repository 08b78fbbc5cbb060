/**
 * The judge of a run checks that each accepted invocation has ended once, with the right result, and that its journal contains
 * one result of each closure.
 */
import type { Entry } from "../../../shared/core/invocation/entry.ts";
import type { Result } from "../../../shared/core/model/failure.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import type { ScheduleState } from "../../../shared/core/schedules/schedule-state.ts";
import type { Item } from "../../../shared/engine/ports/table.ts";
import { hasExpired, load, type Loaded } from "../../../shared/engine/store/load.ts";
import type { Client } from "./client.ts";
import { placesOf } from "../../harness/engine/inflated-store.ts";
import { judgeKeys } from "./key-judge.ts";
import { TOKEN, type Ledger } from "./ledger.ts";
import type { Scenario } from "./scenarios.ts";
import type { World } from "./world.ts";

/** @returns every invocation whose acceptance is durable, and a complaint for each that cannot be read */
export async function invocationsOf(
  world: World,
): Promise<{ readonly invocations: readonly Loaded[]; readonly unreadable: readonly string[] }> {
  const observer = world.observer();
  const invocations: Loaded[] = [];
  const unreadable: string[] = [];
  for (const { pk, sk } of world.table.all()) {
    if (sk !== "seg#000000") continue;
    try {
      const loaded = await load(observer, pk.replace("inv#", "") as InvocationId);
      if (loaded !== undefined) invocations.push(loaded);
    } catch (error) {
      unreadable.push(`${pk} is left unreadable: ${String(error)}`);
    }
  }
  return { invocations, unreadable };
}

/** True if no work is left: no open invocation, no entry of the open index and no message. */
export async function isQuiet(world: World): Promise<boolean> {
  const { table, queue, letters, slices, scheduleWakes, processes } = world;
  if (processes.some(({ isLate }) => isLate)) return false;
  if (table.all().some(isScheduleAtWork)) return false;
  if (
    queue.size + letters.size + slices.size + scheduleWakes.size > 0 ||
    table.all().some(({ sk }) => sk.startsWith("slice#"))
  )
    return false;
  if (table.all().some(({ openPk }) => openPk !== undefined)) return false;
  const { invocations, unreadable } = await invocationsOf(world);
  return unreadable.length === 0 && invocations.every(({ invocation }) => invocation.phase.status === "completed");
}

function isScheduleAtWork({ pk, state }: Item): boolean {
  if (pk !== "schedules" || typeof state !== "string") return false;
  const { nextMs, open, waiting, backfills } = JSON.parse(state) as ScheduleState;
  return nextMs !== undefined || open.length + waiting.length + backfills.length > 0;
}

/** @param faults the number of faults that struck; each may cause one more execution of a closure @returns complaints */
export async function judge(world: World, client: Client, scenario: Scenario, faults: number): Promise<string[]> {
  const { invocations, unreadable } = await invocationsOf(world);
  return [
    ...unreadable,
    ...world.table.changedSegments.map((change) => `a segment was changed: ${change}`),
    ...(client.lostOne && faults === 0 ? ["a client was not answered, though nothing went wrong"] : []),
    ...countComplaints(invocations, client, scenario),
    ...answerComplaints(invocations, client),
    ...invocations.flatMap((loaded) => invocationComplaints(loaded, scenario, world)),
    ...executionComplaints(world.ledger, scenario, faults),
    ...restartComplaints(invocations, scenario),
    ...(await erasureComplaints(world, scenario, invocations)),
    ...(await judgeKeys(world, client, scenario, invocations)),
  ];
}

/** If a request without a key was not answered, the absence of any invocation is right, too. */
function countComplaints(invocations: readonly Loaded[], client: Client, { expected }: Scenario): string[] {
  if (client.lostOne && invocations.length === 0) return [];
  const complaints: string[] = [];
  for (const [handler, { count }] of Object.entries(expected)) {
    const found = invocations.filter(({ invocation }) => invocation.acceptance.target.handler === handler).length;
    if (found < count[0] || found > count[1]) complaints.push(`${handler} was accepted ${found} times`);
  }
  return complaints;
}

function answerComplaints(invocations: readonly Loaded[], { answers, acknowledged }: Client): string[] {
  const byId = new Map(invocations.map((loaded) => [loaded.invocation.acceptance.id, loaded]));
  const lost = acknowledged
    .filter(({ id }) => !byId.has(id))
    .map(({ id }) => `${id} was acknowledged and is not there`);
  for (const { invocationId, result } of answers) {
    const phase = byId.get(invocationId)?.invocation.phase;
    const final = phase?.status === "completed" ? textOf(phase.result) : "no result";
    if (final !== textOf(result)) lost.push(`a client was told ${textOf(result)}, and the journal says ${final}`);
  }
  return lost;
}

function invocationComplaints(loaded: Loaded, { expected }: Scenario, { ledger, clock }: World): string[] {
  const { invocation, last } = loaded;
  const { acceptance, phase, journal } = invocation;
  const name = `${acceptance.target.handler} ${acceptance.id}`;
  if (phase.status !== "completed") return [`${name} is left ${phase.status}`];
  const complaints: string[] = [];
  if (last?.before.phase.status === "completed") complaints.push(`${name} has ended twice`);
  const text = textOf(phase.result);
  const outcome = text.replace(TOKEN, (token) => `<${token.split("/")[1]}>`);
  if (expected[acceptance.target.handler]?.outcomes.includes(outcome) !== true)
    complaints.push(`${name} ended with ${outcome}`);
  // A purge that was cut short keeps the input, until the operator who got no answer repeats it.
  const isPurge = last?.segment.endAlone === true;
  if (phase.tombstone && !isPurge && acceptance.input.length > 0)
    complaints.push(`${name} never began, and its input is kept`);
  // The journal has been dropped, or the table is deleting it item by item, and with it the steps behind the result.
  if (last?.segment.endAlone === true || hasExpired(loaded, clock.nowMs())) return complaints;
  const committed = tokensOf(journal.entries);
  const own = tokensIn(text).filter((token) => token.startsWith(acceptance.id));
  for (const token of [...committed, ...tokensIn(text)])
    if (!ledger.knows(token)) complaints.push(`${name} has ${token}, which no closure gave`);
  for (const token of own)
    if (!committed.includes(token)) complaints.push(`${name} ended with ${token}, which was not committed`);
  return [...complaints, ...journalComplaints(name, journal.entries)];
}

/**
 * Each `ctx.run` is committed once: the journal contains one Run command of each name, and one completion of each id. Signals may
 * repeat.
 */
function journalComplaints(name: string, entries: readonly Entry[]): string[] {
  const seen = new Set<string>();
  const complaints: string[] = [];
  for (const entry of entries) {
    const key =
      entry.kind === "command"
        ? entry.type === "Run" && `run ${entry.name}`
        : "completionId" in entry.id && `completion ${entry.id.completionId}`;
    if (key === false) continue;
    if (seen.has(key)) complaints.push(`${name} has two of ${key} in its journal`);
    seen.add(key);
  }
  return complaints;
}

/** A restart that keeps entries begins with them, byte for byte, after the input. */
function restartComplaints(invocations: readonly Loaded[], { keptEntries = 0 }: Scenario): string[] {
  return invocations.flatMap(({ invocation: { acceptance, journal } }) => {
    const { id, source } = acceptance;
    if (source.kind !== "restart") return [];
    const former = invocations.find(({ invocation }) => invocation.acceptance.id === source.formerId);
    const [kept, found] = [former?.invocation.journal, journal].map((one) => one?.entries.slice(1, 1 + keptEntries));
    const isKept = kept?.every((entry, at) => Buffer.from(entry.frame).equals(found?.[at]?.frame ?? Buffer.alloc(0)));
    return isKept === false ? [`${id} does not begin with the entries of ${source.formerId} that it keeps`] : [];
  });
}

/**
 * Input, pieces and arrivals of what ended before its first attempt leave no trace in the table. Pieces of an acceptor that died before
 * it accepted are none of these: they belong to no invocation, and expire.
 */
async function erasureComplaints(
  { table }: World,
  { erased }: Scenario,
  invocations: readonly Loaded[],
): Promise<string[]> {
  if (erased === undefined) return [];
  const accepted = invocations.map(({ invocation }) => invocation.acceptance);
  const started = accepted.filter(({ target }) => target.handler === erased.butOf);
  const isOfNone = (place: string): boolean =>
    place.includes(" blob#") && !accepted.some(({ nonce }) => place.includes(` blob#${nonce}#`));
  const places = await placesOf(table, erased.text);
  return places
    .filter((place) => !isOfNone(place) && !started.some(({ id }) => place.startsWith(`inv#${id} `)))
    .map((place) => `${place} keeps the content of what never began`);
}

function executionComplaints(ledger: Ledger, { needs = {} }: Scenario, faults: number): string[] {
  return ledger
    .all()
    .filter(({ step, count }) => count > (needs[step] ?? 1) + faults)
    .map(({ invocationId, step, count }) => `the closure ${step} of ${invocationId} ran ${count} times`);
}

function tokensOf(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.kind === "notification" && entry.type === "Run" ? tokensIn(Buffer.from(entry.frame).toString("latin1")) : [],
  );
}

function tokensIn(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function textOf(result: Result): string {
  return result.kind === "success" ? Buffer.from(result.value).toString() : `failed ${result.failure.code}`;
}
