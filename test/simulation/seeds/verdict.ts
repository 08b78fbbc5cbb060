/** The verdict on a finished run: each accepted invocation has ended once, with the right result. */
import type { Result } from "../../../shared/core/model/failure.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { load, type Loaded } from "../../../shared/engine/store/load.ts";
import { TOKEN } from "../crash-points/ledger.ts";
import { START_MS } from "../virtual-clock.ts";
import type { Clients } from "./clients.ts";
import { cancelledIn, type Disturbed, mayEnd, namesIn } from "./expected.ts";
import { logComplaints } from "./log-verdict.ts";
import type { Ask } from "./plan.ts";
import { isPoisoned } from "./poison.ts";
import { failedText, type Part, type Program, type Step } from "./program.ts";
import type { World } from "./world.ts";

interface Life {
  readonly loaded: Loaded;
  readonly program: Program;
  readonly text: string;
}

export async function verdict(world: World, clients: Clients, plan: readonly Ask[]): Promise<readonly string[]> {
  const lives = await livesOf(world);
  const disturbed = disturbedIn(plan);
  const isCalm = world.fate.struck.length === 0;
  return [
    ...(clients.lostOne && isCalm ? ["a client was not answered, though nothing went wrong"] : []),
    ...lives.flatMap((life) => lifeComplaints(life, disturbed, world)),
    ...acceptanceComplaints(lives, clients, plan, disturbed),
    ...answerComplaints(lives, clients, disturbed),
    ...executionComplaints(world, lives),
    ...logComplaints(world.table, lives.filter(hasEnded), inOrder(clients, plan), disturbed),
  ];
}

async function livesOf(world: World): Promise<readonly Life[]> {
  const observer = world.observer();
  const lives: Life[] = [];
  for (const { pk, sk } of world.table.all()) {
    if (sk !== "seg#000000") continue;
    const loaded = (await load(observer, pk.replace("inv#", "") as InvocationId))!;
    const { acceptance, phase } = loaded.invocation;
    const { program } = JSON.parse(new TextDecoder().decode(acceptance.input)) as Part;
    if (isPoisoned(program.name)) continue;
    lives.push({ loaded, program, text: phase.status === "completed" ? textOf(phase.result) : phase.status });
  }
  return lives;
}

function hasEnded({ loaded }: Life): boolean {
  return loaded.invocation.phase.status === "completed";
}

/**
 * The names of cancelled or killed programs and of all their children. A shared program is among them if at least one of its
 * callers is.
 */
function disturbedIn(plan: readonly Ask[]): Disturbed {
  const struck = plan.filter(({ later }) => later?.what === "cancel" || later?.what === "kill");
  const programs = [...struck.map(({ program }) => program), ...plan.flatMap(({ program }) => cancelledIn(program))];
  return new Set(programs.flatMap(namesIn));
}

function lifeComplaints({ loaded, program, text }: Life, disturbed: Disturbed, { outside }: World): string[] {
  const { acceptance, journal, phase, lastFailure } = loaded.invocation;
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
function inOrder({ acknowledged }: Clients, plan: readonly Ask[]): (readonly [Program, Program])[] {
  return acknowledged.flatMap(({ ask: { program, delayMs }, atMs }) =>
    plan
      .filter((later) => delayMs === 0 && later.program.object === program.object && later.atMs + START_MS > atMs)
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
  const names = new Set<string>();
  for (const { program } of lives) {
    if (names.has(program.name)) complaints.push(`${program.name} was accepted twice`);
    names.add(program.name);
  }
  for (const { program, key } of plan)
    if (key !== undefined && !names.has(program.name) && !isPoisoned(program.name))
      complaints.push(`${program.name} was never accepted`);
  const ids = new Set<string>(lives.map(({ loaded }) => loaded.invocation.acceptance.id));
  for (const { ask, id } of acknowledged)
    if (!ids.has(id) && !disturbed.has(ask.program.name) && !isPoisoned(ask.program.name))
      complaints.push(`${ask.program.name} was acknowledged and is not there`);
  // Each id that a send returned belongs to an accepted invocation.
  for (const { program, text } of lives)
    for (const [id] of text.matchAll(/inv_1\w{33}(?=")/g))
      if (!ids.has(id)) complaints.push(`${program.name} has sent ${id}, which is not there`);
  return complaints;
}

function answerComplaints(lives: readonly Life[], { answers }: Clients, disturbed: Disturbed): string[] {
  const texts = new Map(lives.map(({ loaded, text }) => [loaded.invocation.acceptance.id, text]));
  return answers.flatMap(({ ask: { program }, ended: { invocationId, result } }) => {
    const [told, final] = [textOf(result), texts.get(invocationId)];
    // An invocation that was cancelled or killed before its first attempt leaves no record: only its client received the end.
    if (told === final || (disturbed.has(program.name) && told.startsWith("failed"))) return [];
    return [`a client was told ${told} of ${program.name}, and the journal says ${final}`];
  });
}

/** Apart from its planned failures, a closure may run once more for each fault. */
function executionComplaints({ outside, fate }: World, lives: readonly Life[]): string[] {
  const stumbles = new Map(
    lives.map(({ loaded, program }) => [loaded.invocation.acceptance.id as string, stumblesOf(program)]),
  );
  return outside.ledger.all().flatMap(({ invocationId, step, count }) => {
    const needed = 1 + (stumbles.get(invocationId) ?? 0);
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
