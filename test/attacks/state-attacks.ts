/** An attack by stored values: small commands that read much. */
import { setTimeout as pause } from "node:timers/promises";
import { ask, send } from "./asking.ts";
import type { Attack } from "./attack.ts";
import { always, CODE, field, message, numberField, output } from "./messages.ts";

const READS = 1_000;
const VALUE_BYTES = 20 * 1024 * 1024;
const STRIKE_MS = 5_000;

export const STATE_ATTACKS: readonly Attack[] = [
  {
    name: "F3",
    title: "a thousand reads of one value of 20 MiB in one attempt take no more memory than a few such reads",
    isObject: true,
    answers: {
      stores: always(() => Buffer.concat([set("v", Buffer.alloc(VALUE_BYTES, 0x61)), output("filled")])),
      reads: always(() => Buffer.concat([...Array.from({ length: READS }, (_, at) => get("v", at + 1)), SUSPENSION])),
    },
    async strike(scene) {
      const filled = await ask(`${scene.ingressUri}/Attacker/o/stores`, { method: "POST" });
      const accepted = [await send(scene, "reads", "o")];
      await pause(STRIKE_MS);
      return { accepted, notes: { filled: filled.status } };
    },
  },
];

/** The suspension of an attempt that waits only for the result with the completion id 1, or for a cancellation. */
const SUSPENSION = message(CODE.suspension, field(4, Buffer.from("0a0101120101" + "2801", "hex")));

function set(key: string, value: Uint8Array): Buffer {
  return message(CODE.setState, field(1, key), field(3, field(1, value)));
}

function get(key: string, completionId: number): Buffer {
  return message(CODE.getLazyState, field(1, key), numberField(11, completionId));
}
