/** The evaluator's end of the channel to its parent. It also ends the evaluator when the parent ends. */
import { setPriority, constants } from "node:os";
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Channel } from "./serve-statements.ts";
import type { ToEvaluator } from "./messages.ts";

/**
 * A statement may block the main thread, so a second thread watches a pipe that the parent keeps open. The pipe closes
 * when the parent ends, even if it was killed. The thread then kills the evaluator.
 */
const WATCH = `
const { Socket } = require("node:net");
const end = () => process.kill(process.pid, "SIGKILL");
new Socket({ fd: 0 }).on("error", end).on("close", end).resume();`;

export function channelToParent(): Channel {
  new Worker(WATCH, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref();
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
  yieldToOthers();
  return {
    send: (message) => new Promise((resolve) => void process.send?.(message, undefined, {}, () => resolve())),
    onMessage: (receive) => void process.on("message", (message) => receive(message as ToEvaluator)),
  };
}

/** Lowers this process's priority for processors and memory below the parent's, on systems that have these priorities. */
function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    return;
  }
}
