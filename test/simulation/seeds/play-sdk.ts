/** The handler that plays programs over the real SDK. */
import "../../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk/lambda";
import type { Context, ObjectContext, RestatePromise } from "@restatedev/restate-sdk/lambda";
import { createEndpointHandler as createStreamingHandler } from "@restatedev/restate-sdk/fetch";
import type { FetchHandler } from "../stream-deployment.ts";
import type { LambdaHandler } from "../lambda-deployment.ts";
import type { Outside } from "./outside.ts";
import {
  type Branch,
  BRIEF,
  BRIEF_KEPT_MS,
  failedText,
  HANDLER,
  INTERRUPTED,
  type Keyed,
  LOG,
  OBJECT,
  type Part,
  type Program,
  REFUSED,
  resolverOf,
  SERVICE,
  SLEPT,
  type Step,
  targetOf,
  TELLS,
  WOKEN,
} from "./program.ts";

/** An explicit type, because a player that calls players has a circular inferred type. */
interface Playing {
  play(ctx: Context, part: Part): Promise<unknown[] | Keyed>;
}

interface PlayingKeyed {
  play(ctx: ObjectContext, part: Part): Promise<unknown[] | Keyed>;
}

const players: restate.ServiceDefinition<typeof SERVICE, Playing> = { name: SERVICE };
const briefPlayers: restate.ServiceDefinition<typeof BRIEF, Playing> = { name: BRIEF };
const keyedPlayers: restate.VirtualObjectDefinition<typeof OBJECT, PlayingKeyed> = { name: OBJECT };

/** The endpoint is made once; the outside belongs to the current run. */
const current: { outside: Outside | undefined } = { outside: undefined };

export function playInto(outside: Outside): void {
  current.outside = outside;
}

async function play(ctx: Context, { program, resolves }: Part): Promise<unknown[]> {
  const given: unknown[] = [];
  for (const step of program.steps) given.push(await caught(program, () => perform(ctx, program, step)));
  if (resolves?.refuses === true) ctx.rejectAwakeable(resolves.awakeable, program.name);
  else if (resolves !== undefined) ctx.resolveAwakeable(resolves.awakeable, WOKEN);
  if (program.fails !== undefined) throw new restate.TerminalError(program.name, { errorCode: program.fails });
  return given;
}

async function playKeyed(ctx: ObjectContext, part: Part): Promise<Keyed> {
  const before = (await ctx.get<string[]>(LOG)) ?? [];
  ctx.set(LOG, [...before, part.program.name]);
  return { before, given: await play(ctx, part) };
}

async function perform(ctx: Context, program: Program, step: Step): Promise<unknown> {
  switch (step.do) {
    case "all":
      return (await restate.RestatePromise.all(step.branches.map((branch) => begin(ctx, branch)))).map(read);
    case "race":
      return read(await restate.RestatePromise.race(step.branches.map((branch) => begin(ctx, branch))));
    case "send":
      return await send(ctx, step.of, step.key, step.delayMs);
    case "attach":
      return read(await ctx.attach(await send(ctx, step.of, step.key)));
    case "cancel": {
      const id = await send(ctx, step.of, undefined);
      ctx.cancel(id);
      return read(await ctx.attach(id));
    }
    case "await":
      return await hear(ctx, program, step);
    case "attach-by":
    case "signals":
    case "hear":
    case "promise":
    case "complete":
    case "remember":
      throw new Error(`only the scripted handlers play ${step.do}`);
    default:
      return read(await begin(ctx, step));
  }
}

async function hear(ctx: Context, program: Program, { by, name, refuses }: Extract<Step, { do: "await" }>) {
  const { id, promise } = ctx.awakeable<unknown>();
  const resolves = { awakeable: id, refuses };
  if (by === "child") ctx.serviceSendClient(players).play({ program: resolverOf(program, name), resolves });
  else await ctx.run(TELLS, () => current.outside!.tell(resolves, by === "outside-later"));
  return await promise;
}

async function send(ctx: Context, program: Program, key: string | undefined, delayMs = 0) {
  const keyed = key === undefined ? {} : { idempotencyKey: key };
  const delayed = delayMs > 0 ? { delay: delayMs } : {};
  const options = restate.rpc.sendOpts<Part>({ ...keyed, ...delayed });
  const unkeyed = program.brief === true ? briefPlayers : players;
  const { key: object = "", scope } = targetOf(program);
  if (program.object === undefined) return await ctx.serviceSendClient(unkeyed).play({ program }, options).invocationId;
  const from = scope === undefined ? ctx : ctx.scope(scope);
  return await from.objectSendClient(keyedPlayers, object).play({ program }, options).invocationId;
}

function begin(ctx: Context, branch: Branch): RestatePromise<unknown> {
  switch (branch.do) {
    case "run":
      return ctx.run(branch.name, () => {
        const { token, stumbles } = current.outside!.execute(ctx.request().id, branch);
        if (stumbles) throw new Error(`${branch.name} stumbled`);
        if (branch.refuses) throw new restate.TerminalError(branch.name, { errorCode: REFUSED });
        return token;
      });
    case "sleep":
      return ctx.sleep(branch.ms);
    case "call": {
      const { of: program, key } = branch;
      const options = restate.rpc.opts<Part, unknown[] | Keyed>(key === undefined ? {} : { idempotencyKey: key });
      if (program.object === undefined) return ctx.serviceClient(players).play({ program }, options);
      const { key: object = "", scope } = targetOf(program);
      const from = scope === undefined ? ctx : ctx.scope(scope);
      return from.objectClient(keyedPlayers, object).play({ program }, options);
    }
  }
}

/** A sleep has no result. */
function read(value: unknown): unknown {
  return value ?? SLEPT;
}

async function caught({ yields }: Program, step: () => Promise<unknown>): Promise<unknown> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof restate.TerminalError) || (yields === true && error.code === INTERRUPTED)) throw error;
    return failedText(error.code);
  }
}

const KEPT = { idempotencyRetention: BRIEF_KEPT_MS, journalRetention: BRIEF_KEPT_MS };

const services = [
  restate.service({ name: SERVICE, handlers: { [HANDLER]: play } }),
  restate.service({ name: BRIEF, handlers: { [HANDLER]: play }, options: KEPT }),
  restate.object({ name: OBJECT, handlers: { [HANDLER]: playKeyed } }),
];

export const lambda = restate.createEndpointHandler({ services, logger: () => {} }) as unknown as LambdaHandler;

/** The same services on exchanges that stay open. */
export const streaming: FetchHandler = createStreamingHandler({ services, bidirectional: true, logger: () => {} });
