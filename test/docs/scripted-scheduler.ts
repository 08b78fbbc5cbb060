/** Imitates EventBridge Scheduler: takes schedules over HTTP, and fires them on demand. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { SchedulerTimers } from "../../shared/adapters/scheduler/scheduler-timers.ts";
import type { Clock } from "../../shared/engine/ports/clock.ts";
import type { Queue } from "../../shared/engine/ports/queue.ts";
import type { Timers } from "../../shared/engine/ports/timers.ts";
import { wakeOfBody } from "../../shared/engine/ports/wake-body.ts";

interface ScheduleRequest {
  readonly ScheduleExpression: string;
  readonly Target: { readonly Input: string };
}

export interface ScriptedScheduler {
  /** The number of schedules that have fired. */
  readonly fired: number;
  /** The moment of the schedule that was set first. */
  readonly dueAtMs: number;
  timers(queue: Queue, clock: Clock): Timers;
  /** Sends the inputs of all set schedules to the queue. */
  fire(): Promise<void>;
  stop(): Promise<void>;
}

export async function startScriptedScheduler(): Promise<ScriptedScheduler> {
  const set: ScheduleRequest[] = [];
  let target: Queue | undefined;
  let fired = 0;
  const server = createServer((request, response) => {
    void json(request).then((schedule) => {
      set.push(schedule as ScheduleRequest);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ScheduleArn: "arn:aws:scheduler:us-east-1:000000000000:schedule/g/n" }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  const client = new SchedulerClient({ endpoint, region: "us-east-1", credentials });
  return {
    get fired() {
      return fired;
    },
    get dueAtMs() {
      return momentOf(set[0]);
    },
    timers(queue, clock) {
      target = queue;
      const [queueArn, roleArn] = ["arn:aws:sqs:us-east-1:000000000000:q", "arn:aws:iam::000000000000:role/r"];
      return new SchedulerTimers({ client, queue, clock, queueArn, roleArn, groupName: "g" });
    },
    async fire() {
      for (const { Target } of set.splice(0)) {
        const read = wakeOfBody(Target.Input);
        if ("wrong" in read) throw new Error(read.wrong);
        fired++;
        await target?.send(read.wake);
      }
    },
    async stop() {
      client.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The moment of an expression like `at(2026-11-21T15:00:00)`. */
function momentOf(schedule: ScheduleRequest | undefined): number {
  const moment = /^at\((.+)\)$/.exec(schedule?.ScheduleExpression ?? "")?.[1];
  if (moment === undefined) throw new Error("no schedule is set");
  return Date.parse(`${moment}Z`);
}
