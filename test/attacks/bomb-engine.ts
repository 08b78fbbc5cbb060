/** A whole engine that drives functions: ten invocations of one function at once, and the calls of a neighbour meanwhile. */
import { openEmbedded } from "../../shared/wiring/embedded.ts";
import { LambdaEndpoints } from "../../shared/adapters/lambda/lambda-endpoints.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { runWorker } from "../../shared/engine/consume/worker.ts";
import type { Engine } from "../../shared/engine/engine.ts";
import { call } from "../../shared/engine/ingress/call.ts";
import { send } from "../../shared/engine/ingress/send.ts";
import { inspect } from "../../shared/engine/operate/inspect.ts";
import { register } from "../../shared/engine/register/register.ts";
import { rssPeakMb } from "./peak-memory.ts";
import { processLog } from "../../shared/wiring/process-log.ts";

/** The most messages of a batch of the queue. */
const AT_ONCE = 10;
const NEIGHBOUR_CALLS = 40;
const LOOK_EVERY_MS = 50;
const ENDED_WITHIN_MS = 60_000;

export interface EngineReport {
  readonly rssPeakMb: number;
  readonly neighbours: readonly string[];
  readonly slowestMs: number;
  /** For each of the ten: its status, and the code of its last failure. */
  readonly ends: readonly string[];
}

const [endpoint, bomb, dataDir] = process.argv.slice(2) as [string, string, string];
const flags = { "data-dir": dataDir, "memory-size": "512MiB", "log.level": "error" };
const { settings } = readSettings({ environment: {}, flags });
const log = processLog(settings, () => {});
const embedded = await openEmbedded(settings, log);
const lambda = new LambdaEndpoints({ endpoint, credentials: { accessKeyId: "none", secretAccessKey: "none" } });
const engine: Engine = { ...embedded.engine, endpoints: lambda };
const over = new AbortController();
const working = runWorker(engine, over.signal, { concurrencyMax: 100 });

for (const name of new Set(["good", bomb]))
  await register(engine, {
    arn: `arn:aws:lambda:eu-west-1:123456789012:function:${name}:1`,
    additionalHeaders: {},
    metadata: {},
    force: false,
    breaking: false,
    dryRun: false,
  });

const submission = (service: string) => ({
  target: { service, handler: "run" },
  input: new Uint8Array(0),
  headers: [],
});

async function neighbourCall(): Promise<{ readonly told: string; readonly tookMs: number }> {
  const fromMs = performance.now();
  const ended = await call(engine, submission("good"));
  const told =
    ended.kind === "ended" && ended.result.kind === "success" ? Buffer.from(ended.result.value).toString() : ended.kind;
  return { told, tookMs: Math.round(performance.now() - fromMs) };
}

await neighbourCall();
const sent = await Promise.all(Array.from({ length: AT_ONCE }, () => send(engine, submission(bomb))));
const calls = [];
for (let at = 0; at < NEIGHBOUR_CALLS; at++) calls.push(await neighbourCall());
const ends: string[] = [];
const untilMs = performance.now() + ENDED_WITHIN_MS;
for (const one of sent) {
  if (one.kind !== "sent") throw new Error(`a send was refused: ${one.kind}`);
  for (;;) {
    const { status, lastFailure } = (await inspect(engine, one.invocationId))!;
    const isOver = status === "completed" || status === "paused" || performance.now() > untilMs;
    if (isOver) ends.push(`${status} ${lastFailure?.errorCode ?? ""}`.trim());
    if (isOver) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
const report: EngineReport = {
  rssPeakMb: rssPeakMb(),
  neighbours: calls.map(({ told }) => told),
  slowestMs: Math.max(...calls.map(({ tookMs }) => tookMs)),
  ends,
};
over.abort();
await working;
lambda.close();
await embedded.close();
process.send!(report, () => process.exit());
