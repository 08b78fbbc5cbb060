/** The services whose handlers are sinks of subscriptions: they record what they get, in their state or in memory. */
import * as restate from "@restatedev/restate-sdk";

const { handlers, serde } = restate;
const ANY_BYTES = { accept: "*/*", input: serde.binary } as const;

/** The state of one key of `Ledger`. */
export interface Account {
  readonly count: number;
  readonly sum: number;
  /** How many numbers were not larger than the number that came before them. */
  readonly disorder: number;
  readonly last: number;
}

/**
 * How often `Ledger/add` has run in this process, repeated attempts included. Tests poll it to wait, because it is cheap; the
 * accounts of `Ledger` prove what took effect.
 */
export const progress = { runs: 0 };

const EMPTY: Account = { count: 0, sum: 0, disorder: 0, last: -1 };

const numberIn = (bytes: Uint8Array): number => Number(new TextDecoder().decode(bytes));

/** Adds up what its key gets; the state changes once per invocation, however often the handler runs. */
export const ledger = restate.object({
  name: "Ledger",
  handlers: {
    add: handlers.object.exclusive(ANY_BYTES, async (ctx: restate.ObjectContext, input: Uint8Array) => {
      const before = (await ctx.get<Account>("account")) ?? EMPTY;
      const n = numberIn(input);
      const disorder = before.disorder + (n > before.last ? 0 : 1);
      progress.runs++;
      ctx.set("account", { count: before.count + 1, sum: before.sum + n, disorder, last: n });
    }),
    read: handlers.object.shared(
      async (ctx: restate.ObjectSharedContext) => (await ctx.get<Account>("account")) ?? EMPTY,
    ),
  },
});

export interface Seen {
  readonly handler: string;
  readonly id: string;
  readonly key?: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly traceparent?: string;
}

const KEYLESS: ReadonlySet<string> = new Set(["Plain", "hidden"]);

/** Handlers of each type, which note every invocation. */
export function noteTakers(seen: Seen[]) {
  const note = (ctx: restate.Context, handler: string, input: Uint8Array): void => {
    const { id, headers } = ctx.request();
    // A context without a key throws when it is asked for one.
    const key = KEYLESS.has(handler) ? undefined : (ctx as restate.ObjectContext).key;
    const noted = { handler, id, text: new TextDecoder().decode(input), headers: Object.fromEntries(headers) };
    seen.push({ ...noted, ...(key !== undefined && { key }) });
  };
  return [
    restate.service({
      name: "Plain",
      handlers: {
        take: handlers.handler(ANY_BYTES, async (ctx: restate.Context, input: Uint8Array) => note(ctx, "Plain", input)),
        hidden: handlers.handler(
          { ...ANY_BYTES, ingressPrivate: true },
          async (ctx: restate.Context, input: Uint8Array) => note(ctx, "hidden", input),
        ),
      },
    }),
    restate.object({
      name: "Thing",
      handlers: {
        take: handlers.object.exclusive(ANY_BYTES, async (ctx: restate.ObjectContext, input: Uint8Array) =>
          note(ctx, "exclusive", input),
        ),
        look: handlers.object.shared(ANY_BYTES, async (ctx: restate.ObjectSharedContext, input: Uint8Array) =>
          note(ctx as unknown as restate.Context, "shared", input),
        ),
      },
    }),
    restate.workflow({
      name: "Flow",
      handlers: {
        run: handlers.workflow.workflow(ANY_BYTES, async (ctx: restate.WorkflowContext, input: Uint8Array) =>
          note(ctx, "run", input),
        ),
        ask: handlers.workflow.shared(ANY_BYTES, async (ctx: restate.WorkflowSharedContext, input: Uint8Array) =>
          note(ctx as unknown as restate.Context, "ask", input),
        ),
      },
    }),
  ];
}
