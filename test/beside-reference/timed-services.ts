/** Handlers that record by their own clock when their steps begin and end, and deployments of them over each transport. */
import { createServer, type ServerResponse } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createEndpointHandler, type Context, service, TerminalError } from "@restatedev/restate-sdk";
import { startServer } from "../harness/https/peer.ts";

/** `http1-whole` keeps an answer back until it is whole, as a Lambda function does. */
export type Transport = "h2" | "http1" | "http1-whole";

export interface Recorded {
  readonly invocationId: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
}

export interface Timed {
  readonly uri: string;
  readonly recorded: Recorded[];
  /** The awakeables that `Stay/wait` waits for. */
  readonly awakeables: readonly string[];
  stop(): Promise<void>;
}

const RESERVE_MS = 130;
const CHARGE_MS = 240;
const RELEASE_MS = 110;
const FLAKY_MS = 70;
const PARTS_MS = [90, 180, 270];
const NAP_MS = 400;
const FRAGILE_MS = 160;
const FAILURES = 2;

export async function startTimed(transport: Transport): Promise<Timed> {
  const recorded: Recorded[] = [];
  let failures = 0;
  const step = async <T>(ctx: Context, name: string, ms: number, then: () => T): Promise<T> =>
    await ctx.run(
      name,
      async () => {
        const startMs = Date.now();
        let failed = true;
        try {
          await sleep(ms);
          const result = then();
          failed = false;
          return result;
        } finally {
          recorded.push({ invocationId: ctx.request().id, name, startMs, endMs: Date.now(), failed });
        }
      },
      // The server repeats the attempt.
      { maxRetryAttempts: 10, initialRetryInterval: 150, maxRetryInterval: 150 },
    );
  const card = service({
    name: "Card",
    handlers: {
      charge: async (ctx: Context): Promise<void> => {
        await step(ctx, "charge", CHARGE_MS, () => "tried");
        throw new TerminalError("no cover");
      },
      part: async (ctx: Context, ms: number): Promise<number> => await step(ctx, "part", ms, () => ms),
    },
  });
  const trip = service({
    name: "Trip",
    handlers: {
      book: async (ctx: Context): Promise<string> => {
        await step(ctx, "reserve", RESERVE_MS, () => "reserved");
        try {
          await ctx.serviceClient(card).charge();
        } catch (error) {
          if (!(error instanceof TerminalError)) throw error;
          await step(ctx, "release", RELEASE_MS, () => "released");
        }
        const parts = PARTS_MS.map((ms) => ctx.serviceClient(card).part(ms));
        for (const part of parts) await part;
        await step(ctx, "flaky", FLAKY_MS, () => {
          if (failures++ < FAILURES) throw new Error("not yet");
          return "well";
        });
        return "booked";
      },
    },
  });
  const awakeables: string[] = [];
  const sockets = new Set<Socket>();
  let breaks = 0;
  /** Records the present time of the handler's clock. Each attempt that gets there records it again. */
  const note = (ctx: Context, name: string, startMs: number): void => {
    recorded.push({ invocationId: ctx.request().id, name, startMs, endMs: Date.now(), failed: false });
  };
  const stay = service({
    name: "Stay",
    handlers: {
      wait: async (ctx: Context): Promise<string> => {
        const beganMs = Date.now();
        const { id, promise } = ctx.awakeable<string>();
        awakeables.push(id);
        await promise;
        note(ctx, "answered", beganMs);
        const sleptMs = Date.now();
        await ctx.sleep(NAP_MS);
        note(ctx, "slept", sleptMs);
        await step(ctx, "fragile", FRAGILE_MS, () => {
          if (breaks++ === 0) for (const socket of sockets) socket.destroy();
          return "whole";
        });
        return "left";
      },
    },
  });
  const answer = createEndpointHandler({ services: [card, trip, stay], logger: () => {} });
  const server: Server =
    transport === "h2"
      ? createHttp2Server(answer)
      : createServer((request, response) => answer(request, transport === "http1" ? response : whole(response)));
  if ("keepAliveTimeout" in server) server.keepAliveTimeout = 0;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { uri, stop } = await startServer(server);
  return { uri, recorded, awakeables, stop };
}

/** Keeps the body back until its end. */
function whole(response: ServerResponse): ServerResponse {
  const kept: Buffer[] = [];
  const { end } = response;
  response.write = ((chunk: Uint8Array | string, ...rest: unknown[]) => {
    kept.push(Buffer.from(chunk as Uint8Array));
    const done = rest.find((one) => typeof one === "function") as (() => void) | undefined;
    if (done !== undefined) queueMicrotask(done);
    return true;
  }) as typeof response.write;
  response.end = ((...given: unknown[]) => {
    const [chunk] = given;
    if (chunk instanceof Uint8Array || typeof chunk === "string") kept.push(Buffer.from(chunk as Uint8Array));
    return end.call(
      response,
      Buffer.concat(kept),
      "binary" as BufferEncoding,
      given.find((one) => typeof one === "function") as () => void,
    );
  }) as typeof response.end;
  return response;
}
