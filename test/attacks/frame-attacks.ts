/** Frames of HTTP/2 that cost much more than their size, and a very slow answer. */
import { setTimeout as pause } from "node:timers/promises";
import type { Attack } from "./attack.ts";
import { attemptsCome, send } from "./asking.ts";
import { CODE, message } from "./messages.ts";
import { data, earlyHints, okHead, rawServer, unknownFrame, writeRepeatedly } from "./raw-peer.ts";
import { fetch } from "../harness/local/admin-access.ts";

const SMALL_MESSAGES = 60_000;
const UNKNOWN_BYTES = 16_000;
const STRIKE_MS = 6_000;
const HEADS_AT_ONCE = 5_000;
const DRIP_EVERY_MS = 500;
const ABORT_AFTER_MS = 2_000;

const never = (): void => undefined;

export const FRAME_ATTACKS: readonly Attack[] = [
  {
    name: "A5",
    title:
      "the server keeps no bytes of frames of unknown types in memory, even if small messages arrive among these frames",
    isObject: true,
    answers: { clears: never },
    async strike(scene) {
      let written = 0;
      const clear = message(CODE.clearAllState);
      const server = rawServer(async (socket, streamId) => {
        socket.write(okHead(streamId));
        const unknown = unknownFrame(streamId, UNKNOWN_BYTES);
        const piece = Buffer.concat([data(streamId, clear), unknown, unknown, unknown, unknown]);
        written += await writeRepeatedly(socket, piece, SMALL_MESSAGES, performance.now() + STRIKE_MS);
      });
      await scene.replaceServer(server);
      const accepted = [await send(scene, "clears", "k")];
      await pause(STRIKE_MS + 500);
      return { accepted, notes: { written } };
    },
  },
  {
    name: "A8",
    title:
      "a flood of informational responses, which goes on after a reset of the stream, does not overload the process",
    answers: { hints: never },
    async strike(scene) {
      let written = 0;
      const server = rawServer(async (socket, streamId) => {
        const piece = Buffer.concat(Array.from({ length: HEADS_AT_ONCE }, () => earlyHints(streamId)));
        written += await writeRepeatedly(socket, piece, Infinity, performance.now() + STRIKE_MS);
      });
      await scene.replaceServer(server);
      const accepted = [await send(scene, "hints")];
      await pause(STRIKE_MS / 2);
      // The kill makes the server reset the stream, and the attacker goes on sending heads.
      const kill = await fetch(`${scene.adminUri}/invocations/${accepted[0]}/kill`, { method: "PATCH" });
      await pause(STRIKE_MS / 2);
      return { accepted, notes: { heads: written * HEADS_AT_ONCE, kill: kill.status } };
    },
  },
  {
    name: "A11",
    title: "an answer of one byte each half second is aborted in time",
    answers: {
      drips({ stream, contentType }) {
        stream.respond({ ":status": 200, "content-type": contentType });
        const bytes = message(CODE.setState, Buffer.alloc(64));
        let at = 0;
        const drip = setInterval(() => stream.write(bytes.subarray(at, ++at)), DRIP_EVERY_MS);
        stream.once("close", () => clearInterval(drip));
      },
    },
    options: { abortTimeout: ABORT_AFTER_MS, retryPolicyInitialInterval: 100 },
    async strike(scene) {
      const accepted = [await send(scene, "drips")];
      await attemptsCome(scene, 2);
      const attempts = scene.attemptsAtMs.length;
      return { accepted, complaints: attempts < 2 ? ["the first attempt was not aborted"] : [] };
    },
  },
];
