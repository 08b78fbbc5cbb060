/** The verdict on a finished run: each accepted invocation has ended once, with the right result. */
import type { Result } from "../../../shared/core/model/failure.ts";
import type { Invocation } from "../../../shared/core/invocation/invocation.ts";
import { TOKEN } from "../crash-points/ledger.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Clients } from "./clients.ts";
import { cancelledIn, type Disturbed, mayEnd, namesIn } from "./expected.ts";
import { logComplaints } from "./log-verdict.ts";
import type { Ask } from "./plan.ts";
import { isPoisoned } from "./poison.ts";
import { failedText, type Program, type Step } from "./program.ts";
import { repeatComplaints } from "./repeats.ts";
import type { Rules, Seen } from "./rules.ts";
import type { World } from "./world.ts";

interface Life {
  readonly invocation: Invocation;
  readonly program: Program;
  readonly text: string;
}

/** The shortest sleep of a program that is to be cancelled. */
const YIELDING_MS = 600_000;

/** The retention of results, unless a service says otherwise. A wake that is lost may come an hour later. */
const RESULT_KEPT_MS = 23 * 3_600_000;

/** The judges of the steps remember every life of every invocation: its items may be gone. */
export function verdict(
  world: World,
  clients: Clients,
  plan: readonly Ask[],
  { lives: seen, paused }: Pick<Rules, "lives" | "paused">,
): readonly string[] {
  const lives = seen.flatMap(lifeOf);
  const { off = [], restore } = world.hardships ?? {};
  const awayMs = Math.max(0, ...[...off, ...(restore === undefined ? [] : [restore])].map(({ forMs }) => forMs));
  const disturbed: Disturbed = Object.assign(disturbedIn(plan), {
    outlastsResults: awayMs > RESULT_KEPT_MS,
    outlastsSleeps: awayMs >= YIELDING_MS || world.fate.struck.includes("paused"),
  });
  const isCalm = world.fate.struck.length === 0;
  return [
    ...(clients.lostOne && isCalm ? ["a client was not answered, though nothing went wrong"] : []),
    ...lives.flatMap((life) => lifeComplaints(life, disturbed, world)),
    ...acceptanceComplaints(lives, clients, plan, disturbed),
    ...answerComplaints(lives, clients, disturbed),
    ...executionComplaints(world, lives),
    ...logComplaints(world.table, lives.filter(hasEnded), inOrder(clients, plan, paused), disturbed),
  ];
}

function lifeOf({ invocation, program }: Seen): readonly Life[] {
  const { phase } = invocation;
  if (isPoisoned(program.name)) return [];
  return [{ invocation, program, text: phase.status === "completed" ? textOf(phase.result) : phase.status }];
}

function hasEnded({ invocation }: Life): boolean {
  return invocation.phase.status === "completed";
}

/**
 * The names of cancelled or killed programs and of all their children. A shared program is among them if at least one of its
 * callers is.
 */
function disturbedIn(plan: readonly Ask[]): Set<string> {
  const struck = plan.filter(({ later }) => later?.what === "cancel" || later?.what === "kill");
  const programs = [...struck.map(({ program }) => program), ...plan.flatMap(({ program }) => cancelledIn(program))];
  return new Set(programs.flatMap(namesIn));
}

function lifeComplaints({ invocation, program, text }: Life, disturbed: Disturbed, { outside }: World): string[] {
  const { acceptance, journal, phase, lastFailure } = invocation;
  const name = `${program.name} ${acceptance.id}`;
  if (phase.status !== "completed") return [`${name} is left ${phase.status}, ${lastFailure?.message}`];
  const complaints: string[] = [];
  if (!mayEnd(program, text, disturbed)) complaints.push(`${name} ended with ${text}`);
  const committed = journal.entries.flatMap((entry) =>
    entry.kind === "notification" && entry.type === "Run" ? tokensIn(Buffer.from(entry.frame).toString("latin1")) : [],
  );
  for (const token of [...committed, ...tokensIn(text)])
    if (!outside.ledger.knows(token)) complaints.push(`${name} has ${token}, which no closure gave`);
  for (const token of tokensIn(text))
    if (token.startsWith(acceptance.id) && !committed.includes(token))
      complaints.push(`${name} ended with ${token}, which was not committed`);
  return complaints;
}

/**
 * @returns pairs of programs that must run in this order: the first program has no delay, and was acknowledged before the
 * second one was requested
 */
function inOrder(
  { acknowledged }: Clients,
  plan: readonly Ask[],
  paused: Rules["paused"],
): (readonly [Program, Program])[] {
  return acknowledged.flatMap(({ ask: { program, delayMs }, id, atMs }) =>
    plan
      .filter(
        (later) =>
          delayMs === 0 && !paused.has(id) && later.program.object === program.object && later.atMs + START_MS > atMs,
      )
      .map((later) => [program, later.program] as const),
  );
}

/** Each program is accepted at most once, and exactly once if its client repeats the request. */
function acceptanceComplaints(
  lives: readonly Life[],
  { acknowledged }: Clients,
  plan: readonly Ask[],
  disturbed: Disturbed,
): string[] {
  const complaints: string[] = [];
  const names = new Set(lives.map(({ program }) => program.name));
  complaints.push(...repeatComplaints(lives, plan));
  for (const { program, key } of plan)
    if (key !== undefined && !names.has(program.name) && !isPoisoned(program.name))
      complaints.push(`${program.name} was never accepted`);
  const ids = new Set<string>(lives.map(({ invocation }) => invocation.acceptance.id));
  for (const { ask, id } of acknowledged)
    if (!ids.has(id) && !disturbed.has(ask.program.name) && !isPoisoned(ask.program.name))
      complaints.push(`${ask.program.name} was acknowledged and is not there`);
  // Each id that a send returned belongs to an accepted invocation.
  for (const { program, text } of lives)
    for (const [id] of text.matchAll(/inv_1\w{33}(?=")/g))
      if (!ids.has(id)) complaints.push(`${program.name} has sent ${id}, which is not there`);
  return complaints;
}

function answerComplaints(lives: readonly Life[], { answers, read }: Clients, disturbed: Disturbed): string[] {
  const texts = new Map<string, string[]>();
  for (const { invocation, text } of lives) {
    const { id } = invocation.acceptance;
    texts.set(id, [...(texts.get(id) ?? []), text]);
  }
  const misread = read.flatMap(({ invocationId, result }) => {
    const final = texts.get(invocationId) ?? [];
    if (final.includes(textOf(result))) return [];
    return [`a client read ${textOf(result)} of ${invocationId}, and the journal says ${final.join(" or ")}`];
  });
  const mistold = answers.flatMap(({ ask: { program }, ended: { invocationId, result } }) => {
    const [told, final = []] = [textOf(result), texts.get(invocationId)];
    // An invocation that was cancelled or killed before its first attempt leaves no record: only its client received the end.
    if (final.includes(told) || (disturbed.has(program.name) && told.startsWith("failed"))) return [];
    return [`a client was told ${told} of ${program.name}, and the journal says ${final.join(" or ")}`];
  });
  return [...misread, ...mistold];
}

/** Apart from its planned failures, a closure may run once more for each fault. */
function executionComplaints({ outside, fate }: World, lives: readonly Life[]): string[] {
  const stumbles = new Map(
    lives.map(({ invocation, program }) => [invocation.acceptance.id as string, stumblesOf(program)]),
  );
  const begun = new Map<string, number>();
  for (const { invocation } of lives)
    begun.set(invocation.acceptance.id, (begun.get(invocation.acceptance.id) ?? 0) + 1);
  return outside.ledger.all().flatMap(({ invocationId, step, count }) => {
    const needed = (begun.get(invocationId) ?? 1) + (stumbles.get(invocationId) ?? 0);
    return count > needed + fate.struck.length ? [`the closure ${step} of ${invocationId} ran ${count} times`] : [];
  });
}

function stumblesOf({ steps }: Program): number {
  const branches = steps.flatMap((step): readonly Step[] => ("branches" in step ? step.branches : [step]));
  return branches.reduce((sum, one) => sum + (one.do === "run" ? one.stumbles : 0), 0);
}

function tokensIn(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function textOf(result: Result): string {
  return result.kind === "success" ? Buffer.from(result.value).toString() : failedText(result.failure.code);
}
