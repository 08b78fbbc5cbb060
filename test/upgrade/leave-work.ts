/** Brings work into every state of the drill, through the APIs alone, so that it works with any version. */
import { setTimeout as pause } from "node:timers/promises";
import type { Account } from "./account.ts";
import type { World } from "./services.ts";
import { asked, JSON_BODY, type Site, until } from "./site.ts";
import { HALTED, NEWER_STATES } from "./newer-states.ts";
import type { State } from "./state.ts";
import { CALLED_OFF, isOfFunctionsAlone, STATES } from "./states.ts";

/** An invocation parks a few writes after its last step. */
const PARK_WITHIN_MS = 1_500;

export interface Writer {
  readonly world: World;
  readonly ids: Record<string, string>;
  readonly hasUnworked: boolean;
}

/**
 * Begins the work that is to be parked.
 * @returns the id of the deployment
 */
export async function leaveParked(site: Site, { world, ids, hasUnworked }: Writer, uri: string): Promise<string> {
  const { id: deploymentId } = (await asked(site, "admin", "POST", "/deployments", { uri })) as { id: string };
  const isNewer = await begins(site, ids, NEWER_STATES[0]!);
  const parked = STATES.filter((state) => state.phase === undefined)
    .filter((state) => hasUnworked || !isOfFunctionsAlone(state))
    .filter((state) => isNewer || !NEWER_STATES.includes(state));
  for (const state of parked) if (ids[state.name] === undefined) await begin(site, ids, state);
  await stepsOf(
    world,
    parked.filter(({ name }) => name !== "undoing"),
  );
  await pause(PARK_WITHIN_MS);
  await interrupt(site, ids["undoing"]!);
  if (isNewer) await asked(site, "admin", "PATCH", `/invocations/${ids[HALTED]}/pause`);
  await stepsOf(world, parked);
  await pause(PARK_WITHIN_MS);
  return deploymentId;
}

/** Begins the work that is running when its driver dies; the caller then kills the driver. */
export async function leaveRunning(site: Site, { world, ids }: Writer, phase: "killed" | "young"): Promise<void> {
  const killed = STATES.filter((state) => state.phase === phase);
  for (const state of killed) await begin(site, ids, state);
  await until("the steps that never end have begun", () =>
    killed.every(({ name, child }) => world.begun.has(`${child ? `${name}-child` : name}/second`)),
  );
}

/** Begins and cancels work while no worker takes messages. */
export async function leaveUnworked(site: Site, { ids }: Writer): Promise<void> {
  for (const state of STATES.filter(({ phase }) => phase === "unworked")) await begin(site, ids, state);
  await interrupt(site, ids[CALLED_OFF]!);
}

/** @returns whether this version accepts the call that begins the state */
async function begins(site: Site, ids: Record<string, string>, state: State): Promise<boolean> {
  return await begin(site, ids, state).then(
    () => true,
    () => false,
  );
}

export async function begin(site: Site, ids: Record<string, string>, state: State): Promise<string> {
  const { name, handler, way, delay, watches, idempotencyKey: key } = state;
  const headers = { ...JSON_BODY, ...(key !== undefined && { "idempotency-key": key }) };
  const body = JSON.stringify({ name, ...state.asked, ...(watches !== undefined && { id: ids[watches] }) });
  const target = [state.service ?? "Drill", ...(state.key === undefined ? [] : [state.key]), handler].join("/");
  const path = `/${target}${way === "send" ? "/send" : ""}${delay === undefined ? "" : `?delay=${delay}`}`;
  const answer = await site.request("ingress", "POST", path, { headers, body });
  if (answer.status >= 300) throw new Error(`${name} was answered ${answer.status}: ${answer.text}`);
  ids[name] = answer.headers["x-restate-id"] ?? (JSON.parse(answer.text) as { invocationId: string }).invocationId;
  return answer.text;
}

async function interrupt(site: Site, id: string): Promise<void> {
  await asked(site, "admin", "PATCH", `/invocations/${id}/cancel`);
}

async function stepsOf(world: World, states: readonly State[]): Promise<void> {
  const steps = states.flatMap(({ name, before, child }) => [
    ...before.map((step) => `${name}/${step}`),
    ...(child?.before ?? []).map((step) => `${name}-child/${step}`),
  ]);
  await until("every step before the upgrade has run", () => steps.every((step) => world.ran.has(step)));
}

export function accountOf(
  { world, ids }: Writer,
  more: Pick<Account, "commit" | "deploymentId" | "parameters">,
): Account {
  const awakeables = Object.fromEntries(world.awakeables);
  return { ...more, writtenAtMs: Date.now(), ids, ran: Object.fromEntries(world.ran), awakeables };
}
