/**
 * A proxy between the functions and the emulator's DynamoDB and Scheduler, which never throttle. It passes most requests on
 * unchanged, and refuses others in bursts, as AWS does. `/_throttle/begin` and `/_throttle/end` switch the bursts on and off;
 * `/_throttle` returns the refusals.
 */
import { once } from "node:events";
import { Agent, createServer, request as requestTo } from "node:http";
import { Bursts } from "./bursts.mjs";
import { conflicting, throttledSchedules, throttledTable } from "./refusals.mjs";
import { SCHEDULES, touchedBy } from "./touched.mjs";

const CONTROL = "/_throttle";
const TRANSACTIONS = "transactions";
/** Transactions are few, so a fixed share of them conflicts: every third one, beginning with the first. */
const CONFLICT_ONE_IN = 3;
/** The clients of the functions keep connections open for longer than the server would by default. */
const KEEP_ALIVE_MS = 600_000;

/**
 * @param seed the seed of the random bursts
 * @param perMinute the number of bursts a minute for each resource
 */
export async function startThrottle(seed, perMinute) {
  const throttle = new Throttle(new Bursts(seed, perMinute));
  const server = createServer((request, response) => void throttle.serve(request, response));
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://localhost:${server.address().port}`;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { endpoint, stop, forwardTo: (emulator) => throttle.forwardTo(emulator) };
}

class Throttle {
  #bursts;
  #target;
  #agent = new Agent({ keepAlive: true });
  #isOn = false;
  #transactions = 0;
  #requests = {};
  #refused = {};
  /** The refused requests, each with the process that sent it, because the work of that process may be repeated. */
  #refusals = [];

  constructor(bursts) {
    this.#bursts = bursts;
  }

  forwardTo(endpoint) {
    this.#target = new URL(endpoint);
  }

  async serve(request, response) {
    try {
      const body = await bodyOf(request);
      if (request.url.startsWith(CONTROL)) return this.#control(request.url, response);
      const refusal = this.#isOn ? this.#refusalOf(request, body) : undefined;
      if (refusal === undefined) await this.#pass(request, body, response);
      else response.writeHead(refusal.status, refusal.headers).end(refusal.body);
    } catch {
      // The function or the emulator has closed its connection. The other side then sees a closed connection, too.
      response.destroy();
    }
  }

  #control(url, response) {
    this.#isOn = url === `${CONTROL}/begin` || (this.#isOn && url !== `${CONTROL}/end`);
    if (url === `${CONTROL}/begin`) this.#bursts.begin(Date.now());
    const told = {
      requests: this.#requests,
      refused: this.#refused,
      bursts: this.#bursts.struck,
      refusals: this.#refusals,
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(told));
  }

  #refusalOf(request, body) {
    const { operation, touches } = touchedBy(request, body);
    const nowMs = Date.now();
    if (operation === "TransactWriteItems") {
      this.#count(this.#requests, TRANSACTIONS);
      if (this.#transactions++ % CONFLICT_ONE_IN === 0) {
        this.#note(request, TRANSACTIONS, nowMs);
        return conflicting(JSON.parse(body).TransactItems.length);
      }
    }
    for (const resource of new Set(touches.map((each) => each.resource))) this.#count(this.#requests, resource);
    for (const touch of touches) {
      const reason = this.#bursts.refusal(touch, nowMs);
      if (reason === undefined) continue;
      this.#note(request, touch.resource, nowMs);
      if (touch.resource === SCHEDULES) return throttledSchedules();
      return throttledTable(touch.resource, operation, reason, this.#refused[touch.resource]);
    }
    return undefined;
  }

  #note({ headers }, resource, atMs) {
    this.#count(this.#refused, resource);
    const [, name, pid] = /\bapp\/(\w+)\.(\d+)/.exec(headers["user-agent"] ?? "") ?? [];
    const [, attempt, most] = /attempt=(\d+); max=(\d+)/.exec(headers["amz-sdk-request"] ?? "") ?? [];
    this.#refusals.push({ resource, name, pid: Number(pid), atMs, isLast: attempt !== undefined && attempt === most });
  }

  #count(counts, name) {
    counts[name] = (counts[name] ?? 0) + 1;
  }

  /** Passes a request on. The host header stays as the function signed it. */
  async #pass({ method, url, headers }, body, response) {
    const { hostname, port } = this.#target;
    const passed = requestTo({ hostname, port, method, path: url, headers, agent: this.#agent });
    passed.end(body);
    const [answer] = await once(passed, "response");
    const text = await bodyOf(answer);
    response.writeHead(answer.statusCode, withLength(answer.headers, text));
    response.end(text);
  }
}

async function bodyOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The answer is passed on in one piece. */
function withLength({ "transfer-encoding": _pieces, ...headers }, body) {
  return { ...headers, "content-length": body.length };
}
