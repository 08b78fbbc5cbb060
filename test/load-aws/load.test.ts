/** Mixed load while functions are killed and stopped at random: every accepted invocation ends once, with the right result. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Peer } from "../harness/https/peer.ts";
import { seededRandom } from "../crash/plan.ts";
import { aws, ControlPlane, pause } from "../e2e-aws/control-plane.ts";
import { Book } from "./book.ts";
import { LoadClient } from "./client.ts";
import { figuresOf, tableOf, type Figures } from "./figures.ts";
import { complaintsOfFates, fatesIn, memoryBlows, outOfMemoryIn } from "./function-notes.ts";
import { leaveFigures } from "../drawn-runs.ts";
import { groupedBy } from "../grouped.ts";
import { MemoryWatch } from "./growth.ts";
import type { LoadLine } from "./handlers/results.ts";
import { idsOfHistories, playHistories, serveHistories } from "./histories.ts";
import { Killer } from "./killer.ts";
import { kindBy, OBJECT_KEYS } from "./kinds.ts";
import { BEYOND_SWEEPER } from "./large-kinds.ts";
import { LargeTurns } from "./large-turns.ts";
import { LedgerTail } from "./ledger-tail.ts";
import { keepEvidence } from "./evidence.ts";
import { accepted } from "./left-behind.ts";
import { complaintsOfLeft, complaintsOfListing } from "./left-rule.ts";
import { judgeObjects } from "./object-rule.ts";
import { say, settled, untilQuiet } from "./quiet.ts";
import { judgeLedger } from "./repeat-rule.ts";
import { blowsOf, complaintsOfThrottle, throttle } from "./throttled.ts";
import { serveLoad } from "./url-deployment.ts";
import { expectNone } from "../complaints.ts";

const FOLDER = process.env["STEPWELL_LOAD_FOLDER"]!;
const LEDGER = join(FOLDER, "ledger.jsonl");
const MINUTES = Number(process.env["STEPWELL_LOAD_MINUTES"]);
const RATE = Number(process.env["STEPWELL_LOAD_RATE"]);
const SEED = Number(process.env["STEPWELL_LOAD_SEED"]);
const THROTTLE = Number(process.env["STEPWELL_LOAD_THROTTLE"]);
const THROTTLE_ENDPOINT = process.env["STEPWELL_LOAD_THROTTLE_ENDPOINT"]!;
const LOST_SHARE = Number(process.env["LOAD_LOST"]);
const LARGE_EVERY_MS = Number(process.env["STEPWELL_LOAD_LARGE_EVERY_S"]) * 1_000;
const PREFIXES = ["Url", "Fn"] as const;
/** More open work would only slow a control plane that has fallen behind. */
const OPEN_MAX = 60;
/** How long open work may take to end after the load: many times as long as the sweeper takes to look at every invocation. */
const PATIENCE_MS = 900_000;
const TELL_EVERY_MS = 60_000;
/** Longer than the sweeper takes to find an invocation after the loss of its driver and its message. */
const STANDS_STILL_MS = 100_000;
const EVIDENCE_MAX = 5;

const plane = new ControlPlane(aws.plain);
const FUNCTIONS = {
  ...Object.fromEntries(
    ["Ingress", "Worker", "Sweeper", "Admin"].map((name) => [
      name.toLowerCase(),
      aws.plain.outputs[`${name}Function`]!,
    ]),
  ),
  handlers: "stepwell-load-handlers",
};
let peers: readonly Peer[];

beforeAll(async () => {
  peers = await Promise.all([serveLoad(LEDGER, aws.plain), serveHistories()]);
  for (const { uri } of peers) await plane.register({ uri });
  await plane.register({ arn: aws.handlerArn });
});

afterAll(() => Promise.all(peers.map((peer) => peer.stop())));

test(`everything that is accepted in ${MINUTES} minutes of mixed load ends once with the right result, whichever process is killed`, async () => {
  const options = `--throttle ${THROTTLE} --lost ${LOST_SHARE} --large-every ${LARGE_EVERY_MS / 1_000} --seed ${SEED}`;
  console.log(`Run again with: npm run test:load-aws -- --minutes ${MINUTES} --rate ${RATE} ${options}`);
  const startedAtMs = Date.now();
  const endMs = startedAtMs + MINUTES * 60_000;
  const client = new LoadClient(plane, endMs + PATIENCE_MS);
  const book = new Book(client);
  const tail = new LedgerTail(LEDGER);
  const killer = new Killer(aws.plain, FUNCTIONS, tail, seededRandom(SEED + 1));
  const watch = new MemoryWatch(FUNCTIONS);
  const followed = tail.follow();
  const killing = killer.run();
  await throttle(THROTTLE_ENDPOINT, "/begin");
  const keep = (name: string) =>
    keepEvidence(FOLDER, name, book, client).catch((error: unknown) =>
      say(`nothing is kept of ${name}: ${String(error)}`),
    );
  const histories = playHistories(plane, SEED, endMs, endMs + PATIENCE_MS);
  const load = await submitUntil(endMs, { book, client, tail, watch, killer, keep });
  killer.stop();
  await killing;
  const throttled = await throttle(THROTTLE_ENDPOINT, "/end");
  say("from now on, no process is killed or stopped, and no request is throttled");
  if (!(await settled(load.underWay, endMs + PATIENCE_MS, () => keep("late")))) {
    tail.stop();
    await keep("end");
    console.log(`paused: ${JSON.stringify(await pausedNow())}`);
    expect.fail([`still open: ${JSON.stringify(book.openSince(Infinity))}`, ...book.complaints].join("\n"));
  }
  const againstHistories = await histories;
  const left = await untilQuiet();
  tail.stop();
  await followed;
  watch.look();
  const quietAfterS = Math.round((Date.now() - endMs) / 1000);

  const lines = readFileSync(LEDGER, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LoadLine);
  const outOfMemory = outOfMemoryIn(FOLDER);
  const blows = [...killer.blows, ...memoryBlows(outOfMemory), ...blowsOf(throttled)];
  const ledger = judgeLedger(lines, book.committed, blows, book.killed);
  const fates = fatesIn(FOLDER);
  const paused = await pausedNow();
  const sumOf = await sums(client, book);
  const ofHistories = await idsOfHistories(plane);
  const listed = (await accepted(startedAtMs)).filter((id) => !ofHistories.has(id));
  if (book.submissions.length === 0) book.complain("nothing was submitted");
  const complaints = [...againstHistories, ...book.complaints, ...ledger.complaints, ...judgeObjects(book, sumOf)];
  complaints.push(...complaintsOfThrottle(throttled, THROTTLE > 0), ...complaintsOfFates(fates, LOST_SHARE));
  if (LARGE_EVERY_MS > 0) complaints.push(...complaintsOfLarge(book));
  complaints.push(...paused.map((row) => `paused: ${JSON.stringify(row)}`));
  complaints.push(...(await complaintsOfListing(listed, book, client)), ...complaintsOfLeft(left, book));
  const run = { seed: SEED, minutes: MINUTES, heldBack: load.heldBack, accepted: listed.length };
  const rest = {
    hiddenMessages: left.hidden.length,
    schedulesLeft: left.schedules.length,
    quietAfterS,
    throttled,
    messages: fates,
    outOfMemory: countsBy(outOfMemory.map(({ name }) => name)),
    paused: paused.length,
    growth: watch.told(),
  };
  report(figuresOf({ ...run, ...rest }, book, client, killer, ledger));
  const { lost: messagesLost, doubled: messagesDoubled } = fates;
  leaveFigures("load-aws", { invocations: listed.length, kills: killer.blows.length, messagesLost, messagesDoubled });
  writeFileSync(
    join(FOLDER, "book.json"),
    JSON.stringify({
      ...book,
      killed: [...book.killed],
      complaints,
      left,
      blows,
      wipes: killer.wipedAtMs,
    }),
  );
  expectNone(complaints);
});

interface Load {
  readonly book: Book;
  readonly client: LoadClient;
  readonly tail: LedgerTail;
  readonly watch: MemoryWatch;
  readonly killer: Killer;
  /** Writes the evidence of a problem. If the write fails, the load goes on. */
  readonly keep: (name: string) => Promise<void>;
}

/** An open loop: submissions do not wait for earlier answers, up to a bound. */
async function submitUntil(endMs: number, { book, client, tail, watch, killer, keep }: Load) {
  const random = seededRandom(SEED);
  const underWay = new Set<Promise<void>>();
  let heldBack = 0;
  let toldAtMs = Date.now();
  let kept = 0;
  const turns = new LargeTurns(Date.now(), LARGE_EVERY_MS);
  while (Date.now() < endMs) {
    await pause((-Math.log(1 - random()) / RATE) * 1000);
    const [small, prefix] = [kindBy(random), PREFIXES[random() < 0.5 ? 0 : 1]];
    const large = turns.next(Date.now());
    if (large === undefined && underWay.size >= OPEN_MAX) heldBack += 1;
    else {
      const submitted = (large ?? small)({ book, client, tail, random, prefix })
        .catch((error: unknown) => book.complain(String(error)))
        .finally(() => underWay.delete(submitted));
      underWay.add(submitted);
    }
    if (Date.now() - toldAtMs < TELL_EVERY_MS) continue;
    toldAtMs = Date.now();
    watch.look();
    const said = [`${book.submissions.length} submitted`, `${underWay.size} under way`, `${killer.blows.length} blows`];
    say(`${said.join(", ")}, ${heldBack} held back, ${book.complaints.length} complaints`);
    const still = book.openSince(Date.now() - STANDS_STILL_MS).length;
    if (still > 0 && kept < EVIDENCE_MAX) await keep(`still-${++kept}`);
  }
  return { underWay, heldBack };
}

interface Paused {
  readonly id: string;
  readonly target: string;
  readonly last_failure: string | null;
}

/** The load itself pauses no invocation. If one is paused, throttling or the death of a driver is the cause. */
async function pausedNow(): Promise<readonly Paused[]> {
  return await plane.rows<Paused>("select id, target, last_failure from sys_invocation where status = 'paused'");
}

function complaintsOfLarge({ submissions, largeBytes }: Book): string[] {
  const complaints = largeBytes.length === 0 ? ["no large invocation was submitted"] : [];
  const isThere = submissions.some(({ kind }) => kind === BEYOND_SWEEPER);
  return isThere ? complaints : [...complaints, `none was ${BEYOND_SWEEPER}`];
}

function countsBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...groupedBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}

/** The final state of the objects. */
async function sums(client: LoadClient, book: Book): Promise<Map<string, number>> {
  const sumOf = new Map<string, number>();
  for (const prefix of PREFIXES) {
    for (const key of OBJECT_KEYS) {
      const path = `${prefix}Tally/${encodeURIComponent(key)}`;
      const { text, invocationId } = await client.call(`${path}/sum`, undefined);
      book.know(invocationId);
      sumOf.set(path, Number(text));
    }
  }
  return sumOf;
}

function report(figures: Figures): void {
  console.log(tableOf(figures));
  if (process.env["STEPWELL_LOAD_JSON"] === "1") console.log(JSON.stringify(figures));
}
