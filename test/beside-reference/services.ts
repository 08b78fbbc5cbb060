/** The services of a kind of exchange: handlers that play programs, the same for both servers. */
import "../../examples/polyfill.mjs";
import * as restate from "@restatedev/restate-sdk";
import type { Context } from "@restatedev/restate-sdk";
import { type Cut, Player } from "./player.ts";
import { HOUR_MS, type Kind, type Part, serviceName } from "./program.ts";
import type { Recorder } from "./recorder.ts";

const QUICK = { initialInterval: 10, exponentiationFactor: 1, maxInterval: 10 };

/** @param kind the kind of exchange: half-closed ones end at any wait */
export function servicesOf(kind: Kind, recorder: Recorder, cut: Cut) {
  const player = new Player(kind, recorder, cut);
  const play = (ctx: Context, part: Part) => player.play(ctx, part);
  const options = {
    retryPolicy: QUICK,
    ...(kind === "half-closed" && { inactivityTimeout: 1 }),
    ...(kind === "open" && { inactivityTimeout: HOUR_MS }),
  };
  const frail = { retryPolicy: { ...QUICK, maxAttempts: 3, onMaxAttempts: "kill" as const } };
  // These handlers also read their state by requests, while all others get it with each attempt.
  const lazyFrail = { ...frail, enableLazyState: true };
  const { handlers } = restate;
  return [
    restate.service({
      name: serviceName(kind, "service"),
      handlers: { play, frail: handlers.handler(frail, play) },
      options,
    }),
    restate.object({
      name: serviceName(kind, "object"),
      handlers: {
        play,
        frail: handlers.object.exclusive(lazyFrail, play),
        peek: handlers.object.shared(play as (ctx: restate.ObjectSharedContext, part: Part) => Promise<unknown>),
      },
      options,
    }),
    restate.workflow({
      name: serviceName(kind, "workflow"),
      handlers: {
        run: play,
        peek: handlers.workflow.shared(play as (ctx: restate.WorkflowSharedContext, part: Part) => Promise<unknown>),
      },
      options,
    }),
  ];
}
