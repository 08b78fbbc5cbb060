/**
 * Measures the limit: how many calls the deployment could answer if the server in front of it took no time. This process sends
 * the deployment what a server sent during one recorded call, again and again, and nothing else. Arguments: the address, the file
 * of the conversation, seconds, calls at a time. Prints what `post.lua` prints.
 */
import { readFileSync } from "node:fs";
import { HttpsEndpoints } from "../../shared/adapters/https/https-endpoints.ts";
import { MessageCounter } from "./message-counter.mjs";

const STUCK_AFTER_MS = 10_000;

const [uri, file, seconds, atATime] = process.argv.slice(2);
const { exchanges, steps, messages } = JSON.parse(readFileSync(file, "utf8"));
for (const step of steps) step.bytes = Buffer.from(step.bytes, "base64");

const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
const destination = { uri, httpVersion: "h2" };

let heardInAll = 0;

/**
 * Replays one call, and resolves when every exchange has ended.
 * @throws Error if the handler sends a different number of messages
 */
async function call() {
  const open = [];
  const readings = [];
  let heard = 0;
  let sent = 0;

  const read = async (exchange) => {
    const counter = new MessageCounter();
    for (let bytes = await exchange.next(); bytes !== undefined; bytes = await exchange.next()) {
      const complete = counter.count(bytes);
      heard += complete;
      heardInAll += complete;
      speak();
    }
  };

  const start = ({ exchange: at, bytes, ends }) => {
    const { path, headers } = exchanges[at];
    const request = { destination, method: "POST", path, headers, body: [bytes], halfClose: ends };
    open[at] = endpoints.open(request);
    readings.push(read(open[at]));
  };

  const speak = () => {
    for (; sent < steps.length && steps[sent].after <= heard;) {
      const step = steps[sent++];
      if (open[step.exchange] === undefined) start(step);
      else {
        if (step.bytes.length > 0) open[step.exchange].write(step.bytes);
        if (step.ends) open[step.exchange].halfClose();
      }
    }
  };

  speak();
  for (let at = 0; at < readings.length; at++) await readings[at];
  if (heard !== messages || sent !== steps.length) throw new Error(`${heard} messages instead of ${messages}`);
}

async function client(endsAtMs, latencies) {
  while (performance.now() < endsAtMs) {
    const startedAtMs = performance.now();
    await call();
    latencies.push(performance.now() - startedAtMs);
  }
}

const latencies = [];
const startedAtMs = performance.now();
const endsAtMs = startedAtMs + Number(seconds) * 1000;
let heardBefore = -1;
const watch = setInterval(() => {
  if (heardInAll === heardBefore) {
    console.error(`the conversation is stuck: the handlers have said nothing for ${STUCK_AFTER_MS / 1000} s`);
    process.exit(1);
  }
  heardBefore = heardInAll;
}, STUCK_AFTER_MS);
await Promise.all(Array.from({ length: Number(atATime) }, () => client(endsAtMs, latencies)));
clearInterval(watch);
const tookMicros = Math.round((performance.now() - startedAtMs) * 1000);
endpoints.close();

latencies.sort((one, other) => one - other);
const percentile = (share) => Math.round((latencies[Math.floor((latencies.length - 1) * share)] ?? 0) * 1000);
const result = { calls: latencies.length, tookMicros, p50Micros: percentile(0.5), p99Micros: percentile(0.99) };
console.log(JSON.stringify({ ...result, refused: 0, broken: 0 }));
