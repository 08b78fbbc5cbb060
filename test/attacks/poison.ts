/** An invocation that ends the server's process with each attempt, as an invocation that exhausts its memory would. */
import { readFileSync } from "node:fs";
import { ask } from "./asking.ts";
import type { Attack } from "./attack.ts";

/** A delay, so that the sender has its answer before the first attempt. */
const DELAY = "500ms";
let pidPath = "";

export const POISON: Attack = {
  name: "P1",
  title: "an invocation whose attempts kill the server is paused after four restarts at most",
  answers: { kills: () => void process.kill(Number(readFileSync(pidPath, "utf8")), "SIGKILL") },
  async strike(scene) {
    pidPath = scene.pidPath;
    const sent = await ask(`${scene.ingressUri}/Attacker/kills/send?delay=${DELAY}`, { method: "POST" });
    return { accepted: [(JSON.parse(sent.text) as { invocationId: string }).invocationId] };
  },
};
