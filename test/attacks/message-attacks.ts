/** Attacks by single messages: large ones, which cost the reader more than the writer, and one with the escapes of a terminal. */
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Attack, Deed, Scene } from "./attack.ts";
import { attemptsCome, send, unanswered } from "./asking.ts";
import { always, CODE, error, field, LARGEST_BYTES, message, numberField, repeatedly } from "./messages.ts";

const EMPTY_FUTURES = (): Buffer => Buffer.concat([Uint8Array.of(0x0a, 1, 1), repeatedly(0x22, 0)]);
const LOG_MAX_BYTES = 1024 * 1024;
const RELATED_COMMAND = 4;
const ESCAPES = "\u001b]0;owned\u0007\u001b[2J\u001b[31mall is well";

export const MESSAGE_ATTACKS: readonly Attack[] = [
  {
    name: "A1",
    title: "a message of sixteen million empty elements ends only the attempt that sent it",
    answers: {
      futures: always(() => message(CODE.suspension, field(4, EMPTY_FUTURES()))),
      headers: always(() => message(CODE.call, repeatedly(0x22, 0))),
      metadata: always(() => message(CODE.output, field(15, repeatedly(0x1a, 0)))),
      keys: always(() => message(CODE.getEagerStateKeys, field(14, repeatedly(0x0a, 0)))),
      ids: always(() => message(CODE.suspension, field(4, field(1, repeatedly(1))))),
    },
    isObject: true,
    strike: (scene) => sendEach(scene, ["futures", "headers", "metadata", "keys", "ids"], 6, 5_000, "o"),
  },
  {
    name: "A2",
    title: "an error of three hundred thousand lines is read in no time",
    answers: { fails: always(() => error(570, "\n".repeat(300_000), numberField(RELATED_COMMAND, 0))) },
    strike: (scene) => sendEach(scene, ["fails"], 3, 4_000),
  },
  {
    name: "A12",
    title: "an error of 31 MiB is not logged whole",
    answers: { rambles: always(() => error(500, "e".repeat(LARGEST_BYTES))) },
    async strike(scene) {
      const deed = await sendEach(scene, ["rambles"], 3, 4_000);
      const logBytes = statSync(scene.logPath).size;
      const complaints = logBytes > LOG_MAX_BYTES ? [`the log grew to ${logBytes} bytes`] : [];
      return { ...deed, complaints, notes: { logBytes } };
    },
  },
  {
    name: "A13",
    title: "a terminal's escapes in a failure are shown as text",
    answers: { fails: always(() => error(500, ESCAPES)) },
    options: { retryPolicyInitialInterval: 100, retryPolicyMaxAttempts: 3 },
    async strike(scene) {
      const id = await send(scene, "fails");
      await attemptsCome(scene, 3);
      await pause(300);
      const { command, adminUri, dataDir } = scene;
      const args = [command, "invocations", "describe", id, "--admin-url", adminUri, "--data-dir", dataDir];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const complaints = [];
      // oxlint-disable-next-line no-control-regex
      const found = /.{0,20}[\u0000-\u0008\u000b-\u001f].{0,20}/.exec(stdout)?.[0];
      if (found !== undefined) complaints.push(`describe prints control characters: ${JSON.stringify(found)}`);
      if (!stdout.includes("all is well")) complaints.push("describe does not show the failure");
      return { accepted: [id], complaints };
    },
  },
];

/** Sends to each handler once, waits at most `withinMs` for `attempts` attempts in all, and then one second for their effects. */
async function sendEach(
  scene: Scene,
  handlers: readonly string[],
  attempts: number,
  withinMs: number,
  key?: string,
): Promise<Deed> {
  const accepted: string[] = [];
  for (const [at, handler] of handlers.entries()) accepted.push(await send(scene, handler, key && `${key}${at}`));
  await attemptsCome(scene, attempts, withinMs);
  await pause(1_000);
  return {
    accepted,
    complaints: await unanswered(
      scene,
      accepted.map((id) => `/invocations/${id}`),
    ),
  };
}
