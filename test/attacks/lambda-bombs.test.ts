/** Answers of functions that unpack to far more than they weigh fit the memory of one worker, and a neighbour is answered. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { zstd } from "../../shared/adapters/lambda/zstd.ts";
import type { EngineReport } from "./bomb-engine.ts";
import type { BombReport } from "./bomb-worker.ts";
import { LARGEST_BYTES, output } from "./messages.ts";

const BOMB_BYTES = 62 * 1024 * 1024;
/** Ten bombs in memory would take 620 MB more than the control. */
const BESIDE_CONTROL_MAX_MB = 250;
/** The memory of a function, in which a whole engine with its stores stays. */
const FUNCTION_MB = 512;
/** The neighbour waits for no bomb; a call on a quiet machine takes some milliseconds. */
const NEIGHBOUR_MAX_MS = 2_000;
const DISCOVERED = "application/vnd.restate.endpointmanifest.v4+json";

type Answers = Readonly<Record<string, string>>;

interface Event {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** In an answer, the place for the content type of the request. */
const ASKED = "the type that was asked for";

const answerOf = (body: Uint8Array, headers: object): string =>
  JSON.stringify({
    statusCode: 200,
    headers: { "content-type": ASKED, ...headers },
    body: Buffer.from(body).toString("base64"),
    isBase64Encoded: true,
  });
const packed = (body: Uint8Array): string => answerOf(zstd!.compress(body), { "content-encoding": "zstd" });

/** The API of Lambda with these functions, of which each gives one answer to whatever it is asked. @returns its address */
async function startLambda(answers: Answers): Promise<string> {
  const api = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.once("end", () => {
      const name = /function(?::|%3A)(\w+)/.exec(request.url!)![1]!;
      response.end(answerTo(JSON.parse(Buffer.concat(pieces).toString() || "{}") as Event, name, answers[name]!));
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void api.close());
  await once(api, "listening");
  return `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
}

function answerTo({ path, headers }: Event, name: string, answer: string): string {
  if (path !== "/discover") return answer.replace(ASKED, headers["content-type"]!);
  const handlers = [{ name: "run", retryPolicyMaxAttempts: 2, retryPolicyInitialInterval: 100 }];
  const manifest = {
    protocolMode: "REQUEST_RESPONSE",
    minProtocolVersion: 5,
    maxProtocolVersion: 6,
    ...(zstd !== undefined && { lambdaCompression: "zstd" }),
    services: [{ name, ty: "SERVICE", handlers }],
  };
  return answerOf(Buffer.from(JSON.stringify(manifest)), { "content-type": DISCOVERED });
}

async function reportOf<Report>(program: string, ...args: string[]): Promise<Report> {
  const worker = fork(join(inject("workshop").dir, program), args);
  const died = once(worker, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`)));
  const [report] = (await Promise.race([once(worker, "message"), died])) as [Report];
  await died.catch(() => undefined);
  return report;
}

// Node before 22.15 has no zstd; the gate runs this suite on Node 24.
test.skipIf(zstd === undefined)(
  "C9: ten answers of 2 kB that unpack to 62 MiB each do not fill the memory of a worker",
  async () => {
    const good = answerOf(Buffer.from("good"), {});
    const endpoint = await startLambda({ good, bomb: packed(Buffer.alloc(BOMB_BYTES)) });
    const control = await reportOf<BombReport>("bomb-worker.js", endpoint, "good");
    const attacked = await reportOf<BombReport>("bomb-worker.js", endpoint, "bomb");
    expect(attacked.bombBytes).toBeGreaterThan(control.bombBytes);
    expect(new Set([...control.neighbours, ...attacked.neighbours])).toEqual(new Set(["good"]));
    expect(attacked.rssPeakMb - control.rssPeakMb).toBeLessThan(BESIDE_CONTROL_MAX_MB);
  },
);

const ELEMENTS = `{"statusCode":200,"headers":{"x":""},"body":"","more":[${"[],".repeat(1_900_000)}[]]}`;
const HEADERS = Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`h${at}`, ""]));

/** Each bomb with the end of its invocation. */
const BOMBS: readonly (readonly [what: string, needsZstd: boolean, bomb: () => string, end: string])[] = [
  ["a message above the limit, packed", true, () => packed(output(Buffer.alloc(BOMB_BYTES))), "paused RT0003"],
  ["the largest message, packed", true, () => packed(output(Buffer.alloc(LARGEST_BYTES))), "completed"],
  ["zeros, packed", true, () => packed(Buffer.alloc(BOMB_BYTES)), "paused RT0012"],
  ["two million elements", false, () => ELEMENTS, "paused RT0010"],
  ["three hundred thousand headers", false, () => answerOf(Buffer.alloc(0), HEADERS), "paused RT0010"],
];

test.each(BOMBS.filter(([, needsZstd]) => !needsZstd || zstd !== undefined))(
  "C10: the budget of an engine holds ten answers at once: %s",
  async (_what, _needsZstd, bomb, end) => {
    const endpoint = await startLambda({ good: answerOf(output("good"), {}), bomb: bomb() });
    const run = async (name: string) =>
      reportOf<EngineReport>("bomb-engine.js", endpoint, name, await mkdtemp(join(inject("workshop").dir, "bombs-")));
    const control = await run("good");
    const attacked = await run("bomb");
    console.log(
      `control ${control.rssPeakMb} MB, attacked ${attacked.rssPeakMb} MB, neighbour ${attacked.slowestMs} ms`,
    );
    expect(attacked.ends).toEqual(Array.from({ length: 10 }, () => end));
    expect(new Set([...control.neighbours, ...attacked.neighbours])).toEqual(new Set(["good"]));
    expect(attacked.slowestMs).toBeLessThan(NEIGHBOUR_MAX_MS);
    expect(attacked.rssPeakMb).toBeLessThan(FUNCTION_MB);
  },
);
