/** The operator of a scenario: orders, edits of state, purges and restarts, each repeated until it is answered. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { editState, stateOf } from "../../../shared/engine/operate/edit-state.ts";
import { pause } from "../../../shared/engine/operate/orders.ts";
import { purge, purgeJournal } from "../../../shared/engine/operate/purge.ts";
import { restart } from "../../../shared/engine/operate/restart.ts";
import { resume } from "../../../shared/engine/operate/resume.ts";
import type { Client } from "./client.ts";

const AGAIN_MS = 200;

export async function pauseAndResume(client: Client, id: InvocationId, pauseMs: number): Promise<void> {
  await client.ask(true, (engine) => pause(engine, id));
  await client.wait(pauseMs);
  await client.ask(true, (engine) => resume(engine, id, { kind: "keep" }));
}

/**
 * Pauses the invocation until the next call to its key has ended. If the invocation has begun, it keeps its key while it is
 * paused, so that the next call cannot end: the operator then resumes the invocation at once.
 */
export async function pauseUntilNext(client: Client, id: InvocationId, next: () => Promise<void>): Promise<void> {
  client.leftQueue.add(id);
  await client.ask(true, (engine) => pause(engine, id));
  let isAnswered = false;
  const called = next().then(() => (isAnswered = true));
  while (!isAnswered && !(await client.hasBegun(id))) await client.wait(AGAIN_MS);
  await client.ask(true, (engine) => resume(engine, id, { kind: "keep" }));
  await called;
  await client.attach(id);
}

/** Drops what clients know of the id too, because the purged id may have another life, or none. */
export async function purgeEnded(client: Client, id: InvocationId): Promise<void> {
  while ((await client.ask(true, (engine) => purge(engine, id))) === "open") await client.wait(AGAIN_MS);
  client.answers = client.answers.filter(({ invocationId }) => invocationId !== id);
  const known = client.acknowledged.findIndex((one) => one.id === id);
  if (known >= 0) client.acknowledged.splice(known, 1);
}

/** May restart twice if an answer is lost. @param from the last entry that the restart keeps from the journal */
export async function restartEnded(client: Client, id: InvocationId, from: number): Promise<InvocationId> {
  for (;;) {
    const outcome = await client.ask(true, (engine) => restart(engine, id, from, { kind: "keep" }));
    if (typeof outcome === "object" && outcome.kind === "restarted") return outcome.invocationId;
    if (outcome !== "open") throw new Error(`${id} was not started anew: ${JSON.stringify(outcome)}`);
    await client.wait(AGAIN_MS);
  }
}

/** Replaces the whole state of a key of `Box`. */
export async function edit(client: Client, key: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  await editAs(client, key, values);
}

export interface EditAs {
  readonly service?: "Box" | "Flow";
  /** The state that may be replaced; any by default. */
  readonly expected?: ReadonlyMap<string, Uint8Array>;
  /** False for an operator who does not try again if there is no answer. */
  readonly again?: boolean;
}

/** As `edit`, perhaps only for the state that the operator has read. */
export async function editAs(
  client: Client,
  key: string,
  values: Readonly<Record<string, unknown>>,
  { service = "Box", expected, again = true }: EditAs = {},
): Promise<void> {
  const type = service === "Flow" ? "workflow" : "object";
  const isExpected = expected && (async (current: ReadonlyMap<string, Uint8Array>) => isEqual(current, expected));
  await client.ask(again, (engine) => editState(engine, { service, key }, type, stateFrom(values), isExpected));
}

export async function readState(client: Client, key: string, service: "Box" | "Flow" = "Box") {
  return (await client.ask(true, (engine) => stateOf(engine, { service, key })))!;
}

export async function dropJournal(client: Client, id: InvocationId): Promise<void> {
  while ((await client.ask(true, (engine) => purgeJournal(engine, id))) === "open") await client.wait(AGAIN_MS);
}

export type OrderKind = "pause" | "resume" | "cancel" | "kill";

/** Gives the orders one after the other. */
export async function order(client: Client, id: InvocationId, ...kinds: readonly OrderKind[]): Promise<void> {
  for (const kind of kinds) {
    if (kind === "kill") await client.kill(id);
    else if (kind === "cancel") await client.cancel(id);
    else if (kind === "pause") await client.ask(true, (engine) => pause(engine, id));
    else await client.ask(true, (engine) => resume(engine, id, { kind: "keep" }));
  }
}

function stateFrom(values: Readonly<Record<string, unknown>>): ReadonlyMap<string, Uint8Array> {
  const encoder = new TextEncoder();
  return new Map(Object.entries(values).map(([name, value]) => [name, encoder.encode(JSON.stringify(value))]));
}

function isEqual(a: ReadonlyMap<string, Uint8Array>, b: ReadonlyMap<string, Uint8Array>): boolean {
  const texts = [a, b].map((state) =>
    [...state].map(([name, value]) => `${name} ${Buffer.from(value).toString("hex")}`).toSorted(byText),
  );
  return JSON.stringify(texts[0]) === JSON.stringify(texts[1]);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
