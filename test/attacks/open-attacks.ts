/** Exchanges that stay open, in excessive numbers and sizes (ADR 0008). */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { ask, send, sendMany } from "./asking.ts";
import type { Attack, Scene } from "./attack.ts";
import { ManyCalls } from "./many-calls.ts";
import { output } from "./messages.ts";
import { Waiting } from "./talk.ts";

/** How many calls wait at a time; a quiet machine bears `OPEN_CALLS=10000`. */
const CALLS = Number(process.env["OPEN_CALLS"] ?? 4_000);
if (!Number.isInteger(CALLS) || CALLS < 1) throw new Error("OPEN_CALLS must be a whole number of calls, 1 or more");
/** The number of calls that a strike sends, completes or attaches to at a time. */
const LANES = 48;
/** After this time the strike opens no more calls, so that the first ones are not half-closed for their age. */
const OPEN_WITHIN_MS = 25_000;
/** Most of the calls must be open at the same time: a busy machine may half-close some of them early. */
const OPEN_SHARE = 0.9;
/** Even a machine that is ten times slower opens this many. */
const CALLS_LEAST = CALLS / 10;
const SENDS = 1_000;
/** Fewer streams than the worker has slots for one service. */
const STREAMS_OF_ONE = 10;
const FLOODS = 600;
const LARGE_OUTPUT = output(Buffer.alloc(6 * 1024 * 1024, 0x61));

const waiting = new Waiting();

export const OPEN_ATTACKS: readonly Attack[] = [
  {
    name: "O1",
    title: "thousands of calls wait on open exchanges at a time, and each gets its own result",
    talks: { waits: waiting.talker },
    async strike(scene) {
      const early = await suspended(scene);
      const calls = await ManyCalls.to(scene.ingressUri, CALLS);
      const completions = await ManyCalls.to(scene.ingressUri, LANES);
      const results: Promise<string>[] = [];
      const fromMs = performance.now();
      await inLanes(CALLS, performance.now() + OPEN_WITHIN_MS, async (at) => {
        results[at] = calls.post(at, "/Attacker/waits", `"${at}"`).then(({ text }) => text);
        await waiting.comes(`"${at}"`);
      });
      const [open, openMs] = [waiting.open, Math.round(performance.now() - fromMs)];
      await inLanes(results.length, Infinity, async (at) => {
        await resolve(completions, `"${at}"`);
        await results[at];
      });
      await resolve(completions, "");
      const texts = await Promise.all(results);
      for (const one of [calls, completions]) one.close();
      const wrong = texts.filter((text, at) => text !== resultOf(`"${at}"`)).length;
      const complaints = wrong > 0 ? [`${wrong} of ${texts.length} calls got a wrong result`] : [];
      if (open < OPEN_SHARE * texts.length || texts.length < CALLS_LEAST)
        complaints.push(`only ${open} of ${texts.length} calls were open at a time`);
      const totalMs = Math.round(performance.now() - fromMs);
      return { accepted: [early], complaints, notes: { calls: texts.length, open, openMs, totalMs } };
    },
  },
  {
    name: "O2",
    title: "waiting invocations are parked when slots or streams run out, and each of a thousand sends gets its result",
    talks: { waits: waiting.talker },
    streamsMax: STREAMS_OF_ONE,
    async strike(scene) {
      const early = await suspended(scene);
      const input = (at: number): string => `"${at}"`;
      const accepted = await sendMany(scene, "waits", { count: SENDS, lanes: 48, withinMs: 15_000, input });
      for (const endMs = performance.now() + SEEN_WITHIN_MS; performance.now() < endMs; await pause(50))
        if (waiting.awakeables.size > accepted.length) break;
      const { openPeak } = waiting;
      const completions = await ManyCalls.to(scene.ingressUri, LANES);
      const inputs = [...waiting.awakeables.keys()];
      await inLanes(inputs.length, Infinity, (at) => resolve(completions, inputs[at]!));
      const texts: string[] = [];
      await inLanes(accepted.length, Infinity, async (at) => {
        texts.push((await ask(`${scene.ingressUri}/restate/invocation/${accepted[at]}/attach`)).text);
      });
      completions.close();
      const right = new Set(texts.filter((text) => text === resultOf(text.slice(0, text.indexOf(" ")))));
      const wrong = accepted.length - right.size;
      const complaints = wrong > 0 ? [`${wrong} of ${accepted.length} sends have no result`] : [];
      return { accepted: [early, ...accepted], complaints, notes: { accepted: accepted.length, openPeak } };
    },
  },
  {
    name: "O3",
    title: "flow-control windows stop hundreds of attempts that send megabytes at the same time",
    talks: {
      floods: ({ stream, contentType }) => {
        stream.respond({ ":status": 200, "content-type": contentType });
        stream.resume().end(LARGE_OUTPUT);
      },
    },
    async strike(scene) {
      const accepted = await sendMany(scene, "floods", { count: FLOODS, lanes: 64, withinMs: 6_000 });
      await pause(6_000);
      return { accepted, notes: { accepted: accepted.length } };
    },
  },
];

/** Sends one invocation that is suspended during the strike. Its result must be there after the restart. */
async function suspended(scene: Scene): Promise<string> {
  const id = await send(scene, "waits");
  await waiting.comes("");
  for (const endMs = performance.now() + SEEN_WITHIN_MS; performance.now() < endMs; await pause(20))
    if ((await ask(`${scene.adminUri}/invocations/${id}`)).text.includes('"suspended"')) break;
  return id;
}

function resultOf(input: string): string {
  return `${input} ${JSON.stringify(waiting.awakeables.get(input))}`;
}

/** Completes the awakeable of the invocation with this input. The value is the id of the awakeable, as JSON. */
async function resolve(completions: ManyCalls, input: string): Promise<void> {
  const id = waiting.awakeables.get(input)!;
  await completions.post(0, `/restate/awakeables/${id}/resolve`, JSON.stringify(id));
}

/** Does the work for each number below `count`, for a few at a time, and begins no more after `untilMs`. */
async function inLanes(count: number, untilMs: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count && performance.now() < untilMs) await work(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
