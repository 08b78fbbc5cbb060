/** An attack by results: more bytes wait for one invocation than the server may have in memory. */
import { setTimeout as pause } from "node:timers/promises";
import { SEEN_WITHIN_MS } from "../patience.ts";
import { ask, attemptsCome, send, statement } from "./asking.ts";
import type { Answer, Attack, Deed, Scene } from "./attack.ts";
import { always, CODE, commandsIn, field, LARGEST_BYTES, message, numberField, output, varint } from "./messages.ts";

const CALLS = 100;
/** Results come in and are handed on for this long, at most, before the operator acts. */
const FILL_MS = 5_000;
/**
 * The strike waits for this many further attempts of the caller, each with more results. After so few attempts, the caller's
 * journal has not yet reached its limit.
 */
const REPLAYS = 3;

export const INBOX_ATTACKS: readonly Attack[] = [
  {
    name: "F5",
    title: "a hundred results of 31 MiB for one invocation are in memory a few at a time, and a kill ends it at once",
    answers: {
      gathers: gathering(CALLS),
      answers: always(() => output(Buffer.alloc(LARGEST_BYTES - 64, 0x61))),
    },
    async strike(scene) {
      const id = await send(scene, "gathers");
      // One attempt makes the calls, and each called invocation has one attempt.
      await attemptsCome(scene, 1 + CALLS + REPLAYS, FILL_MS);
      const looked = await Promise.all([
        ask(`${scene.adminUri}/invocations/${id}`),
        statement(scene, `SELECT status, last_failure FROM sys_invocation WHERE id = '${id}'`),
      ]);
      const killed = await ask(`${scene.adminUri}/invocations/${id}/kill`, { method: "PATCH" });
      let view = "";
      for (const endMs = performance.now() + SEEN_WITHIN_MS; performance.now() < endMs; await pause(100)) {
        view = (await ask(`${scene.adminUri}/invocations/${id}`)).text;
        if (view.includes('"killed"')) break;
      }
      return deedOf(scene, id, [...looked, killed], view);
    },
  },
];

function deedOf(scene: Scene, id: string, answers: readonly { status: number; tookMs: number }[], view: string): Deed {
  const complaints = answers.flatMap(({ status }) => (status === 200 ? [] : [`an operator got ${status}`]));
  if (!view.includes('"killed"')) complaints.push(`the invocation was not killed: ${view.slice(0, 200)}`);
  const notes = { attempts: scene.attemptsAtMs.length, killMs: Math.round(answers.at(-1)!.tookMs) };
  return { accepted: [id], complaints, notes };
}

/** Makes `count` calls, and then waits for the last of them, however often the invocation is woken. */
function gathering(count: number): Answer {
  const calls = Array.from({ length: count }, (_, at) =>
    message(
      CODE.call,
      field(1, "Attacker"),
      field(2, "answers"),
      numberField(10, 2 * at + 1),
      numberField(11, 2 * at + 2),
    ),
  );
  const suspension = message(CODE.suspension, field(4, field(1, Uint8Array.from(varint(2 * count)))));
  return ({ stream, contentType, body }) => {
    stream.respond({ ":status": 200, "content-type": contentType });
    stream.end(Buffer.concat([...calls.slice(commandsIn(body)), suspension]));
  };
}
