/** Starts the process with the handlers on a free port, and reads from it what its handlers have counted. */
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NODE_24 } from "./ground.mjs";
import { freePorts, startProcess, stopProcess, untilReady } from "./running-process.mjs";

const ASK_EVERY_MS = 20;
const ENDED_WITHIN_MS = 60_000;

/** @returns its process id and address, what its handlers have counted, and `stop` */
export async function startDeployment(dir) {
  const [port] = await freePorts(1);
  const running = startProcess(NODE_24, [join(import.meta.dirname, "service.mjs"), String(port)], {
    logFile: join(dir, "deployment.log"),
    env: { ...process.env, RESTATE_LOGGING: "ERROR", NODE_ENV: "production" },
    hasChannel: true,
  });
  const stop = () => stopProcess(running);
  try {
    await untilReady(running, "the deployment", async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect").finally(() => socket.destroy());
      return true;
    });
  } catch (error) {
    await stop();
    throw error;
  }
  const ask = async (question) => {
    const answer = once(running.child, "message");
    running.child.send(question);
    return (await answer)[0];
  };
  return {
    pid: running.pid,
    url: `http://127.0.0.1:${port}`,
    /**
     * @returns {Promise<{ ended: number, lastEndedAtMs: number }>} the number of completed echoes, and the time of the last one
     */
    ended: () => ask("ended?"),
    /** @returns {Promise<{ begun: number, woken: number }>} the naps since the last `takeLatenesses` */
    naps: () => ask("naps?"),
    /**
     * @returns {Promise<number[]>} how many ms late each nap ended, without the naps whose handler began at or after the moment
     *   at which the nap was due to end; the process then forgets all naps
     */
    takeLatenesses: () => ask("latenesses?"),
    stop,
  };
}

/**
 * Waits until the handler of the sends has ended `count` times.
 * @throws Error after a minute
 */
export async function untilEnded(deployment, count) {
  const deadlineMs = Date.now() + ENDED_WITHIN_MS;
  for (let counts = await deployment.ended(); counts.ended < count; counts = await deployment.ended()) {
    if (Date.now() > deadlineMs)
      throw new Error(`${count - counts.ended} of the sends have not ended after ${ENDED_WITHIN_MS / 1000} s`);
    await sleep(ASK_EVERY_MS);
  }
}
