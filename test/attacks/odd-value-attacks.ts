/** Values that no honest deployment sends: moments beyond all calendars, zero waits, codes and schemas out of bounds. */
import { once } from "node:events";
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { Attack, Scene } from "./attack.ts";
import { ask, attemptsPerSecond, post, send, sendMany, statement, unanswered } from "./asking.ts";
import { always, CODE, END, error, field, message, numberField, output, sendTo } from "./messages.ts";

const FAR_MS = 9e15;
const INVOKE_TIME = 4;
const NEXT_RETRY_DELAY = 8;
/** The most attempts per second of one invocation after a few failures: one per 50 ms, and room for a busy machine. */
const RETRIES_PER_SECOND_MAX = 25;
const RETRIED = 5;
const SCHEMA_LEVELS = 100_000;

export const ODD_VALUE_ATTACKS: readonly Attack[] = [
  {
    name: "A9",
    title: "invocations for the year 287396 are listed with all others",
    answers: {
      sends: always(() => Buffer.concat([sendTo("quick", 1, numberField(INVOKE_TIME, FAR_MS)), output("sent")])),
      sleeps: always(() => Buffer.concat([sleepUntil(FAR_MS), SUSPENSION])),
      quick: always(() => output("done")),
    },
    async strike(scene) {
      const accepted = [await send(scene, "sends"), await send(scene, "sleeps")];
      await pause(1_500);
      const complaints = await unanswered(scene, ["/invocations", ...accepted.map((id) => `/invocations/${id}`)]);
      const { status } = await statement(scene, "SELECT * FROM sys_invocation");
      return { accepted, complaints: status === 200 ? complaints : [...complaints, `SQL was answered with ${status}`] };
    },
  },
  {
    name: "A10",
    title: "retries wait, even if the deployment asks for no wait",
    answers: {
      asksForNone: always(() => error(500, "again", numberField(NEXT_RETRY_DELAY, 0))),
      hasNone: always(() => error(500, "again")),
    },
    options: { retryPolicyInitialInterval: 0, retryPolicyMaxInterval: 0, retryPolicyMaxAttempts: 1_000_000 },
    async strike(scene) {
      const asking = await sendMany(scene, "asksForNone", { count: RETRIED });
      const having = await sendMany(scene, "hasNone", { count: RETRIED });
      await pause(3_000);
      return { accepted: [...asking, ...having], ...attemptsBounded(scene, 2 * RETRIED * RETRIES_PER_SECOND_MAX) };
    },
  },
  {
    name: "A14",
    title: "a failure with the code 700 is a server error, and a schema 100,000 deep is refused with META0013",
    answers: { fails: always(() => Buffer.concat([message(CODE.output, field(15, FAILURE_700)), END])) },
    async strike(scene) {
      const failed = await ask(`${scene.ingressUri}/Attacker/fails`, { method: "POST" });
      const complaints = failed.status === 500 ? [] : [`the failure 700 was answered with ${failed.status}`];
      const deep = await post(`${scene.adminUri}/deployments`, { uri: await serveDeepSchema() });
      const isRefused = deep.status >= 400 && deep.text.includes("META0013");
      if (!isRefused) complaints.push(`the schema was answered with ${deep.status}: ${deep.text.slice(0, 200)}`);
      return { accepted: [], complaints };
    },
  },
];

const FAILURE_700 = Buffer.concat([numberField(1, 700), field(2, "far out")]);
/** The suspension of an attempt that waits only for the result with the completion id 1, or for a cancellation. */
const SUSPENSION = message(CODE.suspension, field(4, Buffer.from("0a0101120101" + "2801", "hex")));

function sleepUntil(atMs: number): Buffer {
  return message(CODE.sleep, numberField(1, atMs), numberField(11, 1));
}

/** The number of attempts per second in the last two seconds, with a complaint if it is above the maximum. */
function attemptsBounded(scene: Scene, maximum: number) {
  const perSecond = attemptsPerSecond(scene, 2_000);
  const complaints = perSecond > maximum ? [`${perSecond} attempts a second, ${maximum} at most`] : [];
  return { complaints, notes: { perSecond } };
}

/**
 * Starts another deployment. The manifest is assembled as text, because its schema is too deep for a recursive serializer.
 * @returns its address
 */
async function serveDeepSchema(): Promise<string> {
  const schema = `${'{"items":'.repeat(SCHEMA_LEVELS)}{}${"}".repeat(SCHEMA_LEVELS)}`;
  const handler = `{"name":"deep","input":{"contentType":"application/json","jsonSchema":${schema}}}`;
  const services = `[{"name":"Deep","ty":"SERVICE","handlers":[${handler}]}]`;
  const manifest = `{"protocolMode":"BIDI_STREAM","minProtocolVersion":5,"maxProtocolVersion":7,"services":${services}}`;
  const server = createServer();
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, "content-type": "application/vnd.restate.endpointmanifest.v4+json" });
    stream.end(manifest);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
