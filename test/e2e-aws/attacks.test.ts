/**
 * Attacks by one deployment and one client on an emulated AWS. Meanwhile a healthy neighbour is served, directly and through the
 * queue.
 */
import type { Context } from "@restatedev/restate-sdk";
import type { InvocationListBody } from "../../shared/api/contract/invocations.ts";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { ODD_VALUE_ATTACKS } from "../attacks/odd-value-attacks.ts";
import { startAttackerServer, type AttackerServer } from "../attacks/attacker-server.ts";
import type { Attack } from "../attacks/attack.ts";
import { MESSAGE_ATTACKS } from "../attacks/message-attacks.ts";
import { STATEMENTS } from "../attacks/statement-attacks.ts";
import { VOLUME_ATTACKS } from "../attacks/volume-attacks.ts";
import { Waits } from "../attacks/waits.ts";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { aws, ControlPlane, pause, until } from "./control-plane.ts";
import { serveHandlers } from "./url-deployment.ts";

const plane = new ControlPlane(aws.plain);
const NEIGHBOUR_EVERY_MS = 1_000;
/** A neighbour that had to wait for the slots of hanging handlers would wait for their abort timeout, which is ten minutes. */
const SERVED_WITHIN_MS = SEEN_WITHIN_MS;
const STRIKE_MS = 5_000;
/** Five times the number of invocations that the workers drive at the same time. */
const HANGING = 20;

const noted = new Set<number>();
let numbers = 0;
let attacker: AttackerServer;

/** The handlers of all attacks, on one deployment. */
const HANDLERS = handlersOf("A1", "A2", "A4", "A9");

beforeAll(async () => {
  const good = await serveHandlers("good", {
    plain: async (_ctx: Context, text: string) => text,
    nap: async (ctx: Context) => {
      await ctx.sleep(50);
      return "awake";
    },
    note: async (_ctx: Context, number: number) => void noted.add(number),
  });
  await plane.register({ uri: good });
  attacker = await startAttackerServer({ ...HANDLERS, strike: () => Promise.reject(new Error("strikes from here")) });
  await plane.register({ uri: `http://127.0.0.1:${attacker.port}` });
});

/** Kills the open invocations: hanging ones would keep the workers busy in all following tests. */
afterEach(async () => {
  const { text } = await plane.askAdmin({ path: "/invocations?service=Attacker&status=open&limit=500" });
  const { invocations } = JSON.parse(text) as InvocationListBody;
  await Promise.all(invocations.map(({ id }) => plane.change(id, "kill")));
});
afterAll(() => attacker.stop());

test.each([
  ["A1", "messages of millions of empty elements", ["futures", "headers", "metadata"]],
  ["A2", "an error of three hundred thousand lines", ["fails"]],
  ["A4", "a handler that never answers", Array.from({ length: HANGING }, () => "hangs")],
  ["A9", "moments in the year 287396", ["sends", "sleeps"]],
])("%s: the neighbour is served during %s", async (_name, _what, handlers) => {
  const sent: string[] = [];
  const before = attacker.attemptsAtMs.length;
  const complaints = await besides(async () => {
    for (const handler of handlers) sent.push(await plane.send(`Attacker/${handler}`, undefined));
    await until("an attempt has come", async () => attacker.attemptsAtMs.length > before || undefined);
    await pause(STRIKE_MS);
  });
  expect(complaints, complaints.join("; ")).toEqual([]);
  const id = sent.at(-1)!;
  expect((await plane.askAdmin({ path: "/invocations" })).status).toBe(200);
  expect((await plane.shown(id)).id).toBe(id);
});

test.each(Object.entries(STATEMENTS))("B1: the neighbour is served during a statement of %s", async (_what, query) => {
  const complaints = await besides(async () => {
    const asked = plane.postAdmin("/query", { query }, { accept: "application/json" }).catch(() => undefined);
    await Promise.all([Promise.race([asked, pause(STRIKE_MS)]), pause(STRIKE_MS / 2)]);
  });
  expect(complaints, complaints.join("; ")).toEqual([]);
  expect((await plane.askAdmin({ path: "/services" })).status).toBe(200);
});

function handlersOf(...names: readonly string[]): Pick<Attack, "name" | "title" | "answers"> {
  const attacks = [...MESSAGE_ATTACKS, ...VOLUME_ATTACKS, ...ODD_VALUE_ATTACKS];
  const answers = attacks.filter(({ name }) => names.includes(name)).map((attack) => attack.answers ?? {});
  return { name: "all", title: "all", answers: Object.assign({}, ...answers) as Attack["answers"] & object };
}

/** @returns a sentence for each kind of the neighbour's calls that failed or waited too long during the strike */
async function besides(strike: () => Promise<void>): Promise<string[]> {
  const kinds = { "direct call": new Waits(), "call that sleeps": new Waits(), send: new Waits() };
  const timer = setInterval(() => {
    void kinds["direct call"].measure(() => plane.answer("good/plain", "hello"));
    void kinds["call that sleeps"].measure(async () => plane.result(await plane.send("good/nap", undefined)));
    void kinds.send.measure(note);
  }, NEIGHBOUR_EVERY_MS);
  await strike().finally(() => clearInterval(timer));
  const isOpen = (): boolean => Object.values(kinds).some(({ open }) => open > 0);
  for (const endMs = Date.now() + SERVED_WITHIN_MS; isOpen() && Date.now() < endMs;) await pause(100);
  return Object.entries(kinds).flatMap(([kind, waits]) => {
    waits.close();
    const { count, failed, p50Ms, maxMs } = waits.figures();
    console.log(`${kind}: ${count}, of which ${failed} failed, p50 ${p50Ms} ms, longest ${maxMs} ms`);
    if (failed === 0 && (maxMs ?? Infinity) <= SERVED_WITHIN_MS) return [];
    return [`${kind}: ${failed} failed, the longest took ${maxMs} ms: ${waits.failures[0]}`];
  });
}

async function note(): Promise<void> {
  const number = ++numbers;
  await plane.send("good/note", number);
  await until(`${number} is noted`, async () => noted.has(number) || undefined);
}
