/** Records the conversation of a server and the deployment during one call, by a proxy between the two. */
import { writeFile } from "node:fs/promises";
import { once } from "node:events";
import http2 from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startContestant } from "./contestants.mjs";
import { MessageCounter } from "./message-counter.mjs";
import { askOnce } from "./shapes.mjs";

/**
 * A step is sent once the handler has sent `after` messages in all the exchanges of the call together.
 * @typedef {{ exchange: number, after: number, bytes: string, ends: boolean }} Step bytes in Base64
 * @typedef {{ exchanges: { path: string, headers: Record<string, string> }[], steps: Step[], messages: number }} Conversation
 */

/** A server adapts its exchanges to a handler during the first calls; the recording leaves out this many calls. */
const LESSONS = 40;
const RECORDED_CALLS = 5;
const QUIET_FOR_MS = 150;
const ENDS_WITHIN_MS = 10_000;

/** @returns for each shape, by its name, the file of its conversation and the numbers of exchanges and messages */
export async function recordConversations(contestant, dir, deployment, shapes) {
  const recorder = await startRecorder(deployment.url);
  const server = await startContestant(contestant, dir, recorder.url).catch(async (error) => {
    await recorder.stop();
    throw error;
  });
  try {
    const conversations = {};
    for (const shape of shapes) {
      for (let call = 0; call < LESSONS; call++) await askOnce(server.ingressUrl, shape);
      const recorded = [];
      for (let call = 0; call < RECORDED_CALLS; call++) {
        await recorder.untilSilent();
        recorder.forget();
        await askOnce(server.ingressUrl, shape);
        await recorder.untilSilent();
        recorded.push(recorder.conversation());
      }
      const conversation = mostCommon(recorded);
      const file = join(dir, `${shape.name}.conversation.json`);
      await writeFile(file, JSON.stringify(conversation));
      const { exchanges, messages } = conversation;
      conversations[shape.name] = { file, exchanges: exchanges.length, messages };
    }
    return conversations;
  } finally {
    await server.stop();
    await recorder.stop();
  }
}

/** Timing may change a conversation. @returns a conversation of the most frequent kind */
function mostCommon(conversations) {
  const kinds = new Map();
  for (const one of conversations) kinds.set(kindOf(one), [...(kinds.get(kindOf(one)) ?? []), one]);
  return [...kinds.values()].toSorted((one, other) => other.length - one.length)[0].at(-1);
}

function kindOf({ exchanges, steps, messages }) {
  return `${exchanges.length} ${steps.length} ${messages}`;
}

/** Passes everything on unchanged, in both directions, and records it. */
async function startRecorder(deploymentUrl) {
  const target = http2.connect(deploymentUrl);
  target.on("error", () => undefined);
  const server = http2.createServer();
  const sessions = new Set();
  let record = emptyRecord();
  let open = 0;
  let heardAtMs = 0;
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined).on("close", () => sessions.delete(session));
  });
  server.on("stream", (incoming, headers) => {
    const now = record;
    const exchange = now.exchanges.push({ path: headers[":path"], headers: plain(headers) }) - 1;
    const counter = new MessageCounter();
    const { ":authority": _, ...passed } = headers;
    const outgoing = target.request(passed, { endStream: false });
    const hear = () => (heardAtMs = Date.now());
    open += 1;
    incoming.on("data", (bytes) => {
      hear();
      now.steps.push({ exchange, after: now.messages, bytes, ends: false });
      outgoing.write(bytes);
    });
    incoming.on("end", () => {
      hear();
      now.steps.push({ exchange, after: now.messages, bytes: Buffer.alloc(0), ends: true });
      outgoing.end();
    });
    outgoing.on("response", (head) => incoming.respond(head));
    outgoing.on("data", (bytes) => {
      hear();
      now.messages += counter.count(bytes);
      incoming.write(bytes);
    });
    outgoing.on("end", () => incoming.end());
    outgoing.on("close", () => (open -= 1));
    incoming.on("error", () => outgoing.close());
    outgoing.on("error", () => incoming.close());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    forget: () => (record = emptyRecord()),
    conversation: () => withoutEmptySteps(record),
    untilSilent: async () => {
      const deadlineMs = Date.now() + ENDS_WITHIN_MS;
      // A send is answered before its exchange begins.
      while (record.exchanges.length === 0 || open > 0 || Date.now() - heardAtMs < QUIET_FOR_MS) {
        if (Date.now() > deadlineMs) throw new Error("a recorded call did not end");
        await sleep(10);
      }
    },
    stop: async () => {
      target.destroy();
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function emptyRecord() {
  return { exchanges: [], steps: [], messages: 0 };
}

function plain(headers) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
}

/**
 * Joins two successive steps of an exchange if the handler sends no message between them, also if the second step only ends the
 * request.
 * @returns {Conversation}
 */
function withoutEmptySteps({ exchanges, steps, messages }) {
  const joined = [];
  for (const step of steps) {
    const last = joined.findLast(({ exchange }) => exchange === step.exchange);
    if (last !== undefined && last.after === step.after) {
      last.bytes = Buffer.concat([last.bytes, step.bytes]);
      last.ends ||= step.ends;
    } else joined.push({ ...step });
  }
  return { exchanges, messages, steps: joined.map((step) => ({ ...step, bytes: step.bytes.toString("base64") })) };
}
