/** Excessive amounts of allowed work from one deployment: sends, attempts, bytes and states. */
import { setTimeout as pause } from "node:timers/promises";
import type { Answer, Attack } from "./attack.ts";
import { attemptsPerSecond, post, send, sendMany } from "./asking.ts";
import { always, CODE, commandsIn, END, error, field, LARGEST_BYTES, message, output, sendTo } from "./messages.ts";

const SENDS_OF_ONE = 1_000;
const HANGING = 3_000;
const HANGING_LARGE = 260;
/** A journal with an input of this size is just below the size from which it counts as large (`isLarge`). */
const HANGING_INPUT_BYTES = 3_900_000;
const FAILING = 5_000;
/** The most attempts per second on a deployment that has failed every attempt for a while. */
const FAILED_PER_SECOND_MAX = 200;
const LARGE_REPLIES = 12;
const MESSAGES_OF_ONE = 7;
const STATES = 20_000;
const EDITED_KEYS = 250_000;

export const VOLUME_ATTACKS: readonly Attack[] = [
  {
    name: "A3",
    title: "a handler takes no more than its share, even if each of its invocations sends a thousand others",
    answers: {
      multiplies: multiplying(SENDS_OF_ONE),
    },
    async strike(scene) {
      const accepted = [await send(scene, "multiplies")];
      await pause(7_000);
      return { accepted };
    },
  },
  {
    name: "A4",
    title: "three thousand invocations of a handler that never answers leave room for others",
    answers: { hangs: () => undefined },
    async strike(scene) {
      const accepted = await sendMany(scene, "hangs", { count: HANGING, lanes: 64, withinMs: 7_000 });
      await pause(3_000);
      return { accepted, notes: { accepted: accepted.length } };
    },
  },
  {
    name: "F2",
    title: "of hundreds of large inputs for a handler that never answers, only a few are in memory at a time",
    answers: { hangs: () => undefined },
    async strike(scene) {
      const large = Buffer.alloc(HANGING_INPUT_BYTES, 0x31);
      const sends = { count: HANGING_LARGE, input: () => large, lanes: 4, withinMs: 7_000 };
      const accepted = await sendMany(scene, "hangs", sends);
      await pause(1_000);
      return { accepted, notes: { accepted: accepted.length } };
    },
  },
  {
    name: "A6",
    title: "twelve attempts that return 217 MiB each do not fill the memory together",
    isObject: true,
    answers: {
      fills: always(() => Buffer.concat([...Array.from({ length: MESSAGES_OF_ONE }, (_, at) => largeState(at)), END])),
    },
    async strike(scene) {
      const accepted = await sendMany(scene, "fills", { count: LARGE_REPLIES, key: (at) => `k${at}` });
      await pause(7_000);
      return { accepted };
    },
  },
  {
    name: "A7",
    title: "20,000 states set in one attempt, and 250,000 keys in one edit, take time in proportion to their size",
    isObject: true,
    answers: {
      sets: always(() => Buffer.concat([...Array.from({ length: STATES }, (_, at) => smallState(at)), output("set")])),
    },
    async strike(scene) {
      const accepted = [await send(scene, "sets", "o")];
      await pause(3_000);
      const states = Object.fromEntries(Array.from({ length: EDITED_KEYS }, (_, at) => [`k${at}`, [49]]));
      const edit = await post(`${scene.adminUri}/services/Attacker/state`, { object_key: "e", new_state: states });
      return { accepted, notes: { editStatus: edit.status, editMs: Math.round(edit.tookMs) } };
    },
  },
  {
    name: "F1",
    title: "a deployment that fails everything is not attempted at full speed",
    answers: { refuses: always(() => error(500, "no")) },
    async strike(scene) {
      const accepted = await sendMany(scene, "refuses", { count: FAILING, lanes: 64, withinMs: 5_000 });
      await pause(4_000);
      const perSecond = attemptsPerSecond(scene, 2_000);
      const tooMany = `${perSecond} attempts a second, ${FAILED_PER_SECOND_MAX} at most`;
      const complaints = perSecond > FAILED_PER_SECOND_MAX ? [tooMany] : [];
      return { accepted, complaints, notes: { accepted: accepted.length, perSecond } };
    },
  },
];

/** A handler that sends `sendsOfOne` messages to itself. */
export function multiplying(sendsOfOne: number): Answer {
  return ({ stream, contentType, body }) => {
    const from = commandsIn(body);
    const sends = Array.from({ length: sendsOfOne - from }, (_, at) => sendTo("multiplies", from + at + 1));
    stream.respond({ ":status": 200, "content-type": contentType });
    stream.end(Buffer.concat([...sends, output("multiplied")]));
  };
}

const LARGE_VALUE = Buffer.alloc(LARGEST_BYTES - 64, 0x61);

function largeState(at: number): Buffer {
  return message(CODE.setState, field(1, `s${at}`), field(3, field(1, LARGE_VALUE)));
}

function smallState(at: number): Buffer {
  return message(CODE.setState, field(1, `s${at}`), field(3, field(1, "1")));
}
