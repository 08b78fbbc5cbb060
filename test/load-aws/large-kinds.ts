/** Submissions whose journals, states and payloads take 5 to 24 MiB, and some that are more than the sweeper can hold. */
import { randomUUID } from "node:crypto";
import { between } from "../crash/plan.ts";
import type { Ended } from "./client.ts";
import { digestOf, noiseOf } from "./handlers/noise.ts";
import type { BulkResult, Kept } from "./handlers/results.ts";
import type { Submission } from "./book.ts";
import { newKey, type Scene } from "./scene.ts";

const MIB = 1 << 20;
/** A nap is long enough that the sweeper wakes the invocation if the message that ends the nap is lost. */
const NAP_MIN_MS = 3_000;
const NAP_MAX_MS = 12_000;
/** The size of the text of a large payload. Even if the request encodes the text in base64, it fits into 6 MB. */
const PAYLOAD_BYTES = 2 * MIB;

type LargeKind = (scene: Scene) => Promise<void>;

const runs =
  (kind: string, countMin: number, countMax: number, mibMin: number, mibMax: number): LargeKind =>
  async (scene) => {
    const { random } = scene;
    const pieces = {
      count: between(random, countMin, countMax),
      bytes: between(random, mibMin * MIB, mibMax * MIB),
      napMs: between(random, NAP_MIN_MS, NAP_MAX_MS),
    };
    const { count, bytes, napMs: askedMs } = pieces;
    const names = Array.from({ length: count }, (_, at) => `piece ${at + 1}`);
    const wanted = (id: string): string[] => names.map((name) => digestOf(noiseOf(`${id} ${name}`, bytes)));
    await sendLarge(
      scene,
      { kind, target: "UrlBulk/runs", input: pieces, storedBytes: count * bytes, askedMs },
      names,
      wanted,
    );
  };

/** The input is stored three times: in the acceptance, in the call's entry, and in the acceptance of the child. */
async function payload(scene: Scene): Promise<void> {
  const text = noiseOf(randomUUID(), (PAYLOAD_BYTES * 3) / 4).toString("base64");
  const digest = digestOf(Buffer.from(text));
  const asked = {
    kind: "large payload",
    target: "UrlBulk/passes",
    input: text,
    storedBytes: 3 * PAYLOAD_BYTES,
    askedMs: 0,
  };
  await sendLarge(scene, asked, ["first", "last"], () => [digest, digest]);
}

/** One invocation stores a large state, a second one replaces it, and a third one reads and clears it. */
async function state(scene: Scene): Promise<void> {
  const { random } = scene;
  const key = randomUUID();
  const pieces: Kept = { count: between(random, 3, 5), bytes: between(random, 2 * MIB, 3 * MIB), seed: "second" };
  const wanted = Array.from({ length: pieces.count }, (_, at) =>
    digestOf(noiseOf(`${pieces.seed} piece ${at + 1}`, pieces.bytes)),
  );
  const storedBytes = pieces.count * pieces.bytes;
  const asked = { kind: "large state", input: pieces, storedBytes, askedMs: 0 };
  const keep = { ...asked, target: `UrlHoard/${key}/keep` };
  for (const seed of ["first", pieces.seed])
    await sendLarge(scene, { ...keep, input: { ...pieces, seed } }, ["enter", "leave"], () => []);
  const look = { ...asked, target: `UrlHoard/${key}/look`, storedBytes: 0 };
  await sendLarge(scene, look, ["enter", "leave"], () => wanted);
}

interface Asked {
  readonly kind: string;
  readonly target: string;
  readonly input: unknown;
  readonly storedBytes: number;
  readonly askedMs: number;
}

/** @param wantedOf a function from the id of the invocation to the expected digests of the stored values */
async function sendLarge(
  { book, client }: Scene,
  { kind, target, input, storedBytes, askedMs }: Asked,
  steps: readonly string[],
  wantedOf: (id: string) => readonly string[],
): Promise<void> {
  const submission: Submission = book.open(kind, "send", askedMs);
  const id = await client.send(target, input, newKey());
  submission.invocationId = id;
  const ended: Ended = await client.result(id);
  book.close(submission, ended);
  const told = book.told<BulkResult>(kind, ended);
  if (told === undefined) return;
  await book.account(kind, told, steps, submission.submittedAtMs);
  submission.endedAtMs = told.recorded.at(-1)!.atMs;
  if (told.digests.join() !== wantedOf(id).join()) book.complain(`${kind} ${id} found stored what was not kept`);
  book.largeBytes.push(storedBytes);
}

export const BEYOND_SWEEPER = "beyond the sweeper";

/** The load submits these kinds in turn. */
export const LARGE_KINDS: readonly LargeKind[] = [
  runs("large runs", 5, 8, 1, 3),
  runs(BEYOND_SWEEPER, 12, 12, 3, 3),
  state,
  payload,
];
