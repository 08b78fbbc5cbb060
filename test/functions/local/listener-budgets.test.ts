/** A listener with little memory for many connections: shares, waiting and refusals, over real sockets. */
import { once } from "node:events";
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from "node:http2";
import { afterEach, expect, test, vi } from "vitest";
import {
  openListener,
  type HttpListener,
  type ListenerOptions,
  type ListenerRooms,
} from "../../../functions/local/http-listener.ts";
import { jsonResponse, type HttpRequest } from "../../../shared/api/http/message.ts";
import { Budget } from "../../../shared/engine/bulkheads/budget.ts";
import { exchange, head, openSocket, parseAnswers } from "../../harness/local/raw-http.ts";
import { SEEN_WITHIN } from "../../patience.ts";
import { SteppedClock } from "../../stepped-clock.ts";

const KIB = 1024;
const PATIENCE_MS = 300;
const NO_ROOM = { "retry-after": "1" };

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

interface Stage {
  readonly listener: HttpListener;
  readonly bodies: Budget;
  readonly answers: Budget;
  /** Lets the patience of all that wait run out. */
  readonly loseRoom: () => Promise<void>;
}

async function stageOf(
  capacity: { readonly bodies?: number; readonly answers?: number },
  answer: (request: HttpRequest) => Promise<Uint8Array>,
  more: Omit<Partial<ListenerOptions>, "rooms"> & { readonly rooms?: Partial<ListenerRooms> } = {},
): Promise<Stage> {
  const clock = new SteppedClock();
  const budget = (most = Infinity): Budget => new Budget({ capacity: most, patienceMs: PATIENCE_MS, clock });
  const bodies = budget(capacity.bodies);
  const answers = budget(capacity.answers);
  const listener = await openListener({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1024 * KIB,
    tooLarge: () => jsonResponse(413, {}),
    answer: async (request) => ({ status: 200, headers: {}, body: await answer(request) }),
    ...more,
    rooms: {
      bodies,
      answers,
      stillMaxMs: 60_000,
      noBodyRoom: () => jsonResponse(503, { no: "body" }, NO_ROOM),
      noRoom: () => jsonResponse(503, { no: "answer" }, NO_ROOM),
      ...more.rooms,
    },
  });
  closing.push(() => listener.close());
  return { listener, bodies, answers, loseRoom: () => clock.advance(PATIENCE_MS) };
}

function session({ listener }: Stage): ClientHttp2Session {
  const opened = connect(`http://127.0.0.1:${listener.port}`);
  opened.on("error", () => undefined);
  closing.push(() => opened.destroy());
  return opened;
}

/** A request whose body never ends. */
function begun(on: ClientHttp2Session, sizeBytes: number): ClientHttp2Stream {
  const stream = on.request({ ":method": "POST", ":path": "/" });
  stream.on("error", () => undefined);
  stream.write(Buffer.alloc(sizeBytes));
  return stream;
}

const headOf = async (stream: ClientHttp2Stream): Promise<IncomingHttpHeaders> =>
  ((await once(stream, "response")) as [IncomingHttpHeaders])[0];

async function whole({ listener }: Stage, sizeBytes: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${listener.port}/`, {
    method: "POST",
    body: new Uint8Array(sizeBytes),
  });
  await response.arrayBuffer();
  return response.status;
}

const length = async ({ body }: HttpRequest): Promise<Uint8Array> => new TextEncoder().encode(String(body.length));
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { ...SEEN_WITHIN, interval: 5 });

test("two hundred endless bodies of one connection hold about half of the room, and another connection is answered meanwhile", async () => {
  const stage = await stageOf({ bodies: 400 * KIB }, length);
  const hog = session(stage);
  const streams = Array.from({ length: 200 }, () => begun(hog, 60 * KIB));
  const refused = streams.map(async (stream) => {
    const answered = await headOf(stream);
    return [answered[":status"], answered["retry-after"]];
  });
  await soon(() => expect(stage.bodies.waiting).toBeGreaterThan(100));
  // The bodies of one connection hold half of the budget, plus half a piece, which Node makes as large as 32 KiB, plus the one
  // stream that goes beyond this share.
  expect(stage.bodies.held).toBeLessThanOrEqual((200 + 16 + 60) * KIB);
  expect(await whole(stage, 100 * KIB)).toBe(200);
  await stage.loseRoom();
  expect(await Promise.race(refused)).toEqual([503, "1"]);
});

test("a body over HTTP/1.1 without room waits unread; it is read if room comes in time, and otherwise refused", async () => {
  const stage = await stageOf({ bodies: 100 * KIB }, length);
  const hog = session(stage);
  const beyond = begun(hog, 60 * KIB);
  await soon(() => expect(stage.bodies.held).toBe(60 * KIB));
  const streams = [beyond, begun(hog, 40 * KIB)];
  await soon(() => expect(stage.bodies.held).toBe(100 * KIB));
  const length90 = { "content-length": String(90 * KIB) };
  const refused = exchange(stage.listener.port, head("POST /", length90), Buffer.alloc(90 * KIB));
  await soon(() => expect(stage.bodies.waiting).toBe(1));
  await stage.loseRoom();
  expect(parseAnswers(await refused)[0]).toMatchObject({ status: 503, headers: NO_ROOM, body: '{"no":"body"}' });
  const waiting = whole(stage, 90 * KIB);
  await soon(() => expect(stage.bodies.waiting).toBe(1));
  for (const stream of streams) stream.close();
  expect(await waiting).toBe(200);
  expect(stage.bodies.held).toBe(0);
});

test("a declared length takes no room, and neither do small bodies", async () => {
  const held: number[] = [];
  const stage = await stageOf({ bodies: 100 * KIB }, async (request) => {
    held.push(stage.bodies.held);
    return length(request);
  });
  const socket = await openSocket(stage.listener.port);
  closing.push(() => socket.destroy());
  socket.write(head("POST /", { "content-length": String(1000 * KIB) }));
  await soon(() => expect(stage.listener.openRequests).toBe(1));
  expect(stage.bodies.held).toBe(0);
  expect([await whole(stage, 16 * KIB), await whole(stage, 17 * KIB)]).toEqual([200, 200]);
  expect(held).toEqual([0, 17 * KIB]);
});

test("a body whose sender stalls gives its room to a waiting body", async () => {
  const stage = await stageOf({ bodies: 100 * KIB }, length, { rooms: { stillMaxMs: 50 } });
  const still = begun(session(stage), 200 * KIB);
  const refused = headOf(still);
  await soon(() => expect(stage.bodies.held).toBe(200 * KIB));
  expect(await whole(stage, 150 * KIB)).toBe(200);
  expect((await refused)[":status"]).toBe(503);
});

test("a request beyond the concurrency is refused before its body is read", async () => {
  const concurrency = { max: 1, refusal: () => jsonResponse(429, {}) };
  const stage = await stageOf({}, length, { concurrency });
  const first = begun(session(stage), 60 * KIB);
  await soon(() => expect(stage.bodies.held).toBe(60 * KIB));
  const beyond = begun(session(stage), 60 * KIB);
  expect((await headOf(beyond))[":status"]).toBe(429);
  expect(stage.bodies.held).toBe(60 * KIB);
  const answered = headOf(first);
  first.end();
  expect((await answered)[":status"]).toBe(200);
});

/** A request whose answer is read no further than its head. */
function unread(on: ClientHttp2Session): Promise<IncomingHttpHeaders> {
  const stream = on.request({ ":path": "/" });
  stream.on("error", () => undefined);
  return headOf(stream);
}

const LARGE_BYTES = 400 * KIB;

async function read({ listener }: Stage): Promise<readonly [status: number, sizeBytes: number]> {
  const response = await fetch(`http://127.0.0.1:${listener.port}/`);
  return [response.status, (await response.arrayBuffer()).byteLength];
}

test("an answer without room is dropped; it is fetched again if room comes in time, and otherwise refused", async () => {
  let asked = 0;
  const answer = async (): Promise<Uint8Array> => {
    asked += 1;
    return new Uint8Array(LARGE_BYTES);
  };
  const stage = await stageOf({ answers: LARGE_BYTES }, answer, { rooms: { again: (request) => request } });
  const hogs = [session(stage), session(stage)];
  await Promise.all(hogs.map(unread));
  await soon(() => expect(stage.answers.held).toBe(2 * LARGE_BYTES));
  const refusing = fetch(`http://127.0.0.1:${stage.listener.port}/`);
  await soon(() => expect(stage.answers.waiting).toBe(1));
  await stage.loseRoom();
  const refused = await refusing;
  expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
    503,
    "1",
    { no: "answer" },
  ]);
  expect(asked).toBe(3);
  const waiting = read(stage);
  await soon(() => expect(stage.answers.waiting).toBe(1));
  for (const hog of hogs) hog.destroy();
  expect(await waiting).toEqual([200, LARGE_BYTES]);
  expect(asked).toBe(5);
  await soon(() => expect(stage.answers.held).toBe(0));
});

test("answers that share a buffer are counted once, until their last reader has gone", async () => {
  const result = new Uint8Array(LARGE_BYTES);
  const stage = await stageOf({ answers: LARGE_BYTES }, async () => result);
  const [first, second] = [session(stage), session(stage)];
  await Promise.all([unread(first), unread(second), unread(second)]);
  expect(stage.answers.held).toBe(LARGE_BYTES);
  first.destroy();
  await soon(() => expect(stage.listener.openRequests).toBe(2));
  expect(stage.answers.held).toBe(LARGE_BYTES);
  second.destroy();
  await soon(() => expect(stage.answers.held).toBe(0));
});

test("a client that reads nothing is cut once other requests wait, and not before", async () => {
  const stage = await stageOf({ answers: LARGE_BYTES }, async () => new Uint8Array(LARGE_BYTES), {
    rooms: { stillMaxMs: 50 },
  });
  const hogs = [session(stage), session(stage)];
  const streams = hogs.map((hog) => hog.request({ ":path": "/" }));
  await Promise.all(streams.map(headOf));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(stage.listener.openRequests).toBe(2);
  expect(await read(stage)).toEqual([200, LARGE_BYTES]);
  await soon(() => expect(stage.listener.openRequests).toBe(0));
});
