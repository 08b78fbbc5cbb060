/** The kinds of work in the load test: each submits work, waits for its end as a client would, and checks the result. */
import { randomUUID } from "node:crypto";
import { between, type Random } from "../crash/plan.ts";
import type { Submission } from "./book.ts";
import type { Ended } from "./client.ts";
import type { HandlerResult } from "./handlers/results.ts";
import { editState, runWorkflow } from "./keyed-kinds.ts";
import { callAfterCancel, callAfterKill, changeService, hearAwakeable } from "./outside-kinds.ts";
import { newKey, type Scene } from "./scene.ts";

type Kind = (scene: Scene) => Promise<void>;

/** Few keys, so that invocations wait for each of them. */
export const OBJECT_KEYS = ["left", "right ü"] as const;

const object = ({ prefix, random }: Scene): string =>
  `${prefix}Tally/${encodeURIComponent(OBJECT_KEYS[between(random, 0, 1)]!)}`;

async function plainCall({ book, client, prefix }: Scene): Promise<void> {
  const text = randomUUID();
  const submission = book.open("plain call", "call");
  const ended = await client.call(`${prefix}Work/plain`, text);
  book.close(submission, ended);
  if (ended.text !== JSON.stringify(`said ${text}`)) book.complain(`${text} was answered with ${ended.text}`);
}

async function dyingCall({ book, client, prefix }: Scene): Promise<void> {
  const submission = book.open("terminal failure", "call");
  const ended = await client.call(`${prefix}Work/dies`, "old age", newKey());
  book.close(submission, ended);
  if (ended.status !== 422 || !ended.text.includes("dies of old age")) book.complain(`dies: ${JSON.stringify(ended)}`);
}

interface Asked {
  readonly kind: string;
  readonly handler: string;
  readonly input?: unknown;
  readonly steps: readonly string[];
  /** The time of the sleep or of the delay, if there is one. */
  readonly askedMs?: number;
  readonly delayMs?: number;
  /** The number of requests with the same key. */
  readonly times?: number;
}

const numbered = (name: string, count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, at) => `${name} ${at + from}`);

async function call(scene: Scene, { kind, handler, input, steps, askedMs }: Asked): Promise<void> {
  const { book, client, prefix } = scene;
  const submission = book.open(kind, "call", askedMs);
  const ended = await client.call(`${prefix}Work/${handler}`, input, newKey());
  book.close(submission, ended);
  await tell(scene, submission, ended, steps);
}

async function send(scene: Scene, asked: Asked): Promise<void> {
  const { book, client, prefix } = scene;
  const { kind, handler, input, delayMs = 0, askedMs = delayMs, times = 1 } = asked;
  const submission = book.open(kind, "send", askedMs);
  const [target, key] = [`${prefix}Work/${handler}`, newKey()];
  const query = delayMs > 0 ? `?delay=${delayMs}ms` : "";
  const ids = await Promise.all(Array.from({ length: times }, () => client.send(target, input, key, query)));
  if (new Set(ids).size > 1) book.complain(`one idempotency key led to ${ids.join()}`);
  submission.invocationId = ids[0]!;
  const ended = await client.result(ids[0]!);
  book.close(submission, ended);
  const told = await tell(scene, submission, ended, asked.steps);
  submission.endedAtMs = told?.recorded.at(-1)?.atMs ?? submission.endedAtMs!;
  const startedMs = (told?.recorded[0]?.atMs ?? Infinity) - submission.submittedAtMs;
  if (startedMs < delayMs)
    book.complain(`${ids[0]} began ${startedMs} ms after it was sent with a delay of ${delayMs}`);
}

async function tell({ book }: Scene, submission: Submission, ended: Ended, steps: readonly string[]) {
  const told = book.told<HandlerResult>(submission.kind, ended);
  const waits = submission.kind === "delayed send" ? submission.askedMs : 0;
  if (told !== undefined) await book.account(submission.kind, told, steps, submission.submittedAtMs, waits);
  return told;
}

async function addToObject(scene: Scene): Promise<void> {
  const { book, client, random } = scene;
  const key = object(scene);
  const amount = between(random, 1, 9);
  const submission = book.open("object call", "call");
  const ended = await client.call(`${key}/add`, amount, newKey());
  book.close(submission, ended);
  await book.accountAdd(key, amount, ended, submission.submittedAtMs);
}

/** Each add is sent after the acceptance of the one before, so the adds run in this order. */
async function addInOrder(scene: Scene): Promise<void> {
  const { book, client, random } = scene;
  const key = object(scene);
  const sent: { readonly submission: Submission; readonly id: string; readonly amount: number }[] = [];
  for (let count = between(random, 2, 4); count > 0; count--) {
    const submission = book.open("object send", "send");
    const amount = between(random, 1, 9);
    const id = await client.send(`${key}/add`, amount, newKey());
    submission.invocationId = id;
    sent.push({ submission, amount, id });
  }
  book.inOrder.push({ object: key, ids: sent.map(({ id }) => id) });
  for (const { submission, id, amount } of sent) {
    const ended = await client.result(id);
    book.close(submission, ended);
    await book.accountAdd(key, amount, ended, submission.submittedAtMs);
    submission.endedAtMs = book.added.at(-1)?.recorded.at(-1)?.atMs ?? submission.endedAtMs!;
  }
}

async function fanOut(scene: Scene): Promise<void> {
  const { book, client, random, prefix } = scene;
  const calls = between(random, 2, 4);
  const key = OBJECT_KEYS[between(random, 0, 1)]!;
  const submission = book.open("fan-out", "call");
  const ended = await client.call(`${prefix}Work/fanOut`, { calls, key }, newKey());
  book.close(submission, ended);
  const told = await tell(scene, submission, ended, ["first", "last"]);
  if (told === undefined) return;
  if (told.children?.length !== calls) book.complain(`${ended.invocationId} called ${told.children?.length}`);
  const added = await client.result(told.sent![1]!);
  await book.accountAdd(`${prefix}Tally/${encodeURIComponent(key)}`, 1, added, told.recorded[0]!.atMs);
}

const steps = (count: number): string[] => numbered("step", count);

/** Kinds with their shares of all submissions. */
export const KINDS: readonly (readonly [share: number, kind: Kind])[] = [
  [14, plainCall],
  [3, dyingCall],
  [14, (scene) => call(scene, { kind: "call with steps", handler: "steps", input: 3, steps: steps(3) })],
  [
    5,
    (scene) => call(scene, { kind: "parallel steps", handler: "together", input: 4, steps: numbered("beside", 4, 0) }),
  ],
  [8, (scene) => send(scene, { kind: "send", handler: "steps", input: 2, steps: steps(2) })],
  [6, (scene) => send(scene, { kind: "send, twice", handler: "steps", input: 2, steps: steps(2), times: 2 })],
  [5, (scene) => delayed(scene, between(scene.random, 1_000, 9_000))],
  [5, (scene) => nap(scene, "short sleep", between(scene.random, 300, 2_500))],
  [4, (scene) => nap(scene, "scheduled sleep", between(scene.random, 6_000, 20_000))],
  [7, (scene) => call(scene, { kind: "failing, then not", handler: "flaky", steps: ["step 1", "flaky"] })],
  [7, fanOut],
  [8, addToObject],
  [4, addInOrder],
  [4, runWorkflow],
  [4, hearAwakeable],
  [3, callAfterCancel],
  [3, callAfterKill],
  [2, editState],
  [2, changeService],
];

function delayed(scene: Scene, delayMs: number): Promise<void> {
  return send(scene, { kind: "delayed send", handler: "steps", input: 1, steps: steps(1), delayMs });
}

function nap(scene: Scene, kind: string, askedMs: number): Promise<void> {
  return send(scene, { kind, handler: "nap", input: askedMs, steps: ["before", "after"], askedMs });
}

export function kindBy(random: Random): Kind {
  let left = random() * KINDS.reduce((sum, [share]) => sum + share, 0);
  for (const [share, kind] of KINDS) if ((left -= share) < 0) return kind;
  return plainCall;
}
