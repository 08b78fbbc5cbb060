/** An invocation that ends the process of the server with each attempt: as one that makes it run out of memory would. */
import { readFileSync } from "node:fs";
import { ask } from "./asking.ts";
import type { Attack } from "./attack.ts";

/** So that whoever sends has the answer before the first attempt. */
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
