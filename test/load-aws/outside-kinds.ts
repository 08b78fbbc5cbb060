/**
 * Kinds of load with an outside actor: an awakeable that the suite resolves, invocations that an operator cancels and kills, and
 * a service whose settings an operator changes.
 */
import { randomUUID } from "node:crypto";
import { pause } from "../e2e-aws/control-plane.ts";
import type { HandlerResult } from "./handlers/results.ts";
import { newKey, type Scene } from "./scene.ts";

const LOOK_MS = 200;
const SPAN_MS = 2_000;

export async function hearAwakeable({ book, client, tail, prefix }: Scene): Promise<void> {
  const submission = book.open("awakeable", "send");
  const id = await client.send(`${prefix}Work/awaits`, undefined, newKey());
  submission.invocationId = id;
  let awakeable: string | undefined;
  while ((awakeable = tail.publishedBy(id)) === undefined) await pause(LOOK_MS);
  const word = randomUUID();
  const { status } = await client.post(`/restate/awakeables/${awakeable}/resolve`, JSON.stringify(word));
  if (status !== 202) book.complain(`the awakeable of ${id} was answered with ${status}`);
  const ended = await client.result(id);
  book.close(submission, ended);
  const told = book.told<HandlerResult>("awakeable", ended);
  if (told === undefined) return;
  await book.account("awakeable", told, ["publish", "heard"], submission.submittedAtMs);
  submission.endedAtMs = told.recorded.at(-1)!.atMs;
  if (told.value !== word) book.complain(`${id} heard ${told.value} instead of ${word}`);
}

/** Cancels an invocation, whose handler then compensates in another step. */
export async function callAfterCancel({ book, client, prefix, random }: Scene): Promise<void> {
  const submission = book.open("cancelled", "send");
  const id = await client.send(`${prefix}Work/waits`, undefined, newKey());
  submission.invocationId = id;
  await pause(random() * SPAN_MS);
  await operate({ book, client }, id, "cancel");
  const ended = await client.result(id);
  book.close(submission, ended);
  // An invocation that was cancelled before its sleep fails at once, without a result.
  if (ended.status === 409) return void book.killed.add(id);
  if (ended.status === 404) return void book.vanished.add(id);
  const told = book.told<HandlerResult>("cancelled", ended);
  if (told === undefined) return;
  await book.account("cancelled", told, ["done", "undone"], submission.submittedAtMs, SPAN_MS);
  submission.endedAtMs = told.recorded.at(-1)!.atMs;
  if (told.value !== "cancelled") book.complain(`${id} was cancelled, and says ${told.value}`);
}

/** Kills a chain of calls. The kill must reach the last member, which hangs; otherwise the open index would still contain it. */
export async function callAfterKill({ book, client, prefix, random }: Scene): Promise<void> {
  const submission = book.open("killed", "send");
  const id = await client.send(`${prefix}Work/hangs`, 2, newKey());
  submission.invocationId = id;
  book.killed.add(id);
  await pause(random() * SPAN_MS);
  await operate({ book, client }, id, "kill");
  const ended = await client.result(id);
  book.close(submission, ended);
  if (ended.status === 404) book.vanished.add(id);
  else if (ended.status !== 409) book.complain(`${id} was killed, and ended with ${ended.status}: ${ended.text}`);
}

/** Sets a service to public, which it is already: a transaction writes the registry, and no setting changes. */
export async function changeService({ book, client, prefix }: Scene): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ public: true });
  const { status, text } = await client.admin({ method: "PATCH", path: `/services/${prefix}Work`, headers, body });
  if (status !== 200) book.complain(`a change of ${prefix}Work was answered with ${status}: ${text}`);
}

async function operate({ book, client }: Pick<Scene, "book" | "client">, id: string, what: string): Promise<void> {
  book.interrupted.add(id);
  const { status, text, wasAskedAgain } = await client.admin({ method: "PATCH", path: `/invocations/${id}/${what}` });
  // If the answer to the first request was lost, the second finds the invocation that the first one ended.
  const isDone = status === 200 || status === 202 || (wasAskedAgain && (status === 409 || status === 404));
  if (!isDone) book.complain(`to ${what} ${id} was answered with ${status}: ${text}`);
}
