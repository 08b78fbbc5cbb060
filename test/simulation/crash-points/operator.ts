/** The operator of a scenario: orders, edits of state, purges and restarts, each repeated until it is answered. */
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { editState } from "../../../shared/engine/operate/edit-state.ts";
import { pause } from "../../../shared/engine/operate/pause.ts";
import { purge } from "../../../shared/engine/operate/purge.ts";
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

/** Drops the recorded answers too, because the purged id may have another life. */
export async function purgeEnded(client: Client, id: InvocationId): Promise<void> {
  while ((await client.ask(true, (engine) => purge(engine, id))) === "open") await client.wait(AGAIN_MS);
  client.answers = client.answers.filter(({ invocationId }) => invocationId !== id);
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
  const encoder = new TextEncoder();
  const state = new Map(Object.entries(values).map(([name, value]) => [name, encoder.encode(JSON.stringify(value))]));
  await client.ask(true, (engine) => editState(engine, { service: "Box", key }, "object", state));
}
