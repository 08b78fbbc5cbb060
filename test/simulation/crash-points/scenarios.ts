/** The scenarios: the requests of clients, and the invocations and results that must exist in the end. */
import type { Client } from "./client.ts";
import type { Life } from "./life.ts";
import type { Limited } from "./place-watch.ts";
import { REELS, STUMBLES } from "./step.ts";

/** The expected ends of the invocations of one handler. */
export interface Expected {
  /** The least and the greatest number of invocations. */
  readonly count: readonly [number, number];
  /** Outputs as JSON with each token as `<step>`, or `failed <code>`. */
  readonly outcomes: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly play: (client: Client) => Promise<unknown>;
  readonly expected: Readonly<Record<string, Expected>>;
  /**
   * The first process dies after the first port call with this text. The crash points are calls of the second process, so
   * that they interrupt the recovery.
   */
  readonly diesAfter?: RegExp;
  /** The sleep that an order may end. If it ends late, a message for the end of the sleep is left, and comes to nothing. */
  readonly endedSleepMs?: number;
  /** True if all messages and timers are lost with the first process, so that only recovery and sweeper find the work. */
  readonly losesHints?: true;
  /**
   * True if no sweeper has run before the scenario. The first pass of a sweeper reads the listing of the days before the
   * scenario, and faults strike these reads only in such a scenario.
   */
  readonly isFirst?: boolean;
  /**
   * Present for keyed handlers; `raced` if several invocations compete for one key. Faults that delay a port call
   * (`LATE_FAULTS` in `point.ts`) strike such a scenario, too.
   */
  readonly keyed?: "quiet" | "raced";
  /** True if late faults strike in a scenario without a key, too: the renewals of its leases may come late. */
  readonly comesLate?: true;
  /** The possible final states of a key, if they do not follow from the remaining journals. */
  readonly states?: Readonly<Record<string, readonly string[]>>;
  /** The calls that are struck; all by default. A scenario with a long wait limits them, because most of its calls are equal. */
  readonly at?: RegExp;
  /**
   * A text that the store must have nowhere in the end: it is in what ended before its first attempt. The invocations of the handler
   * `butOf` were started, and keep it.
   */
  readonly erased?: { readonly text: string; readonly butOf?: string };
  /** For a scenario whose client restarts an invocation: how many entries after the input the new invocation copies. */
  readonly keptEntries?: number;
  /** The limits that the rules of the scenario set; absent if it makes no rules. */
  readonly limited?: Limited;
  /** How the processes live; as usual by default. */
  readonly life?: Life;
  /** The executions that a step needs without a fault, if more than one. */
  readonly needs?: Readonly<Record<string, number>>;
}

/** Port calls of the first process. When the process makes one of these calls, the table contains much unfinished work. */
const THIRD_CALLED = /^endpoints\.POST \/invoke\/Sim\/third/;
const NAP_CALLED = /^endpoints\.POST \/invoke\/Sim\/nap/;
const RESOLVER_CALLED = /^endpoints\.POST \/invoke\/Sim\/resolver/;
/** The first end of an invocation. Its effects are left undone. */
export const ENDED = /^table\.put inv#.+ with the end/;
/** The calls that change something. Reads are left out: a sweeper makes many equal ones before it finds lost work. */
export const CHANGES = /^(table\.(put|update|delete|transact)|timers\.|queue\.send) /;

const MINUTE_MS = 60_000;
/**
 * The sleep is longer than `EARLY_MS` (`shared/engine/messaging/wake.ts`): if a message without `wakeAtMs` comes more than
 * `EARLY_MS` before the wake-up, the worker acks it and does not put it back. The sleep ends nearly a minute before a pass of the
 * sweeper.
 */
const FAR_MS = 5 * MINUTE_MS + 5_000;
const once = (...outcomes: string[]): Expected => ({ count: [1, 1], outcomes });
const NAPPED = '["<before>","<after>"]';

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "plain call",
    isFirst: true,
    play: (client) => client.call("echo", { input: { deep: [1, "two"] } }),
    expected: { echo: once('{"deep":[1,"two"]}') },
  },
  { name: "one run", play: (client) => client.call("one"), expected: { one: once('"<r1>"') } },
  {
    name: "five runs",
    play: (client) => client.call("five"),
    expected: { five: once('["<r1>","<r2>","<r3>","<r4>","<r5>"]') },
  },
  {
    name: "parallel runs",
    play: (client) => client.call("parallel"),
    expected: { parallel: once('["<r1>","<r2>","<r3>"]') },
  },
  {
    name: "sleep",
    play: (client) => client.call("nap", { input: 3_000 }),
    expected: { nap: once(NAPPED) },
  },
  {
    name: "long sleep by a timer",
    play: (client) => client.send("nap", { input: 70_000 }),
    expected: { nap: once(NAPPED) },
  },
  {
    name: "far sleep by a timer",
    play: (client) => client.send("nap", { input: FAR_MS }),
    expected: { nap: once(NAPPED) },
    at: /^(table\.(put|update)|timers\.|queue\.send)/,
  },
  {
    name: "call of a child",
    play: (client) => client.call("parent"),
    expected: { parent: once('["<before>","<r1>","<after>"]'), one: once('"<r1>"') },
  },
  {
    name: "chain of three",
    play: (client) => client.call("first"),
    expected: { first: once('["<f>",["<s>",["<t>"]]]'), second: once('["<s>",["<t>"]]'), third: once('["<t>"]') },
  },
  {
    name: "send",
    play: (client) => client.call("sender", { input: 0 }),
    expected: { sender: once('"<sent>"'), one: once('"<r1>"') },
  },
  {
    name: "delayed send",
    play: (client) => client.call("sender", { input: 5_000 }),
    expected: { sender: once('"<sent>"'), one: once('"<r1>"') },
  },
  {
    name: "delayed send by a client",
    play: (client) => client.send("one", { delayMs: 5_000, key: "k" }),
    expected: { one: once('"<r1>"') },
  },
  {
    name: "idempotency key twice",
    play: (client) => Promise.all([client.call("five", { key: "k" }), client.call("five", { key: "k" })]),
    expected: { five: once('["<r1>","<r2>","<r3>","<r4>","<r5>"]') },
  },
  {
    name: "awakeable",
    play: (client) => client.call("awaiter"),
    expected: { awaiter: once('["<resolving>","<after>"]'), resolver: once('"<resolving>"') },
  },
  {
    name: "attach",
    async play(client) {
      const id = await client.send("nap", { input: 3_000, key: "k" });
      await client.call("attacher", { input: id, key: "a" });
    },
    expected: { nap: once(NAPPED), attacher: once(`["<before>",${NAPPED}]`) },
  },
  {
    name: "attach by a client",
    async play(client) {
      const id = await client.send("nap", { input: 1_000, key: "k" });
      if (id !== undefined) await client.attach(id);
    },
    expected: { nap: once(NAPPED) },
  },
  {
    name: "cancel while sleeping",
    async play(client) {
      const id = await client.send("nap", { input: 30 * MINUTE_MS, key: "k" });
      await client.wait(2_000);
      if (id !== undefined) await client.cancel(id);
    },
    expected: { nap: once("failed 409") },
  },
  {
    // The processes may be away for longer than the grace: then the driver that comes kills.
    name: "end within two seconds",
    play: (client) => client.send("doze", { input: 30 * MINUTE_MS, key: "k", options: { endWithin: 2_000 } }),
    expected: { doze: once("failed 409", "failed 504") },
  },
  {
    name: "start within a minute of a delay",
    play: (client) => client.send("one", { delayMs: 5_000, key: "k", options: { startWithinMs: MINUTE_MS } }),
    expected: { one: once('"<r1>"', "failed 408") },
  },
  {
    name: "singleton key, two at once",
    play: (client) =>
      Promise.all([1, 2].map(() => client.send("doze", { input: FAR_MS, options: { singleton: "s" } }))),
    expected: { doze: once(String(FAR_MS)) },
    comesLate: true,
    at: CHANGES,
  },
  {
    // A repeated replacement replaces the first one.
    name: "singleton key, replaced while it sleeps",
    async play(client) {
      await client.send("doze", { input: 30 * MINUTE_MS, options: { singleton: "s" } });
      await client.wait(2_000);
      await client.send("doze", { input: 1_000, options: { singleton: "s", onDuplicate: "replace" } });
    },
    expected: { doze: { count: [2, 4], outcomes: ["failed 409", "1000"] } },
  },
  {
    name: "singleton key, debounced",
    async play(client) {
      await client.send("doze", { input: 1, options: { singleton: "s", debounceMs: 3_000 } });
      await client.send("doze", { input: 2, options: { singleton: "s", debounceMs: 3_000 } });
    },
    expected: { doze: { count: [1, 6], outcomes: ["failed 409", "1", "2"] } },
  },
  {
    name: "kill while a child sleeps",
    async play(client) {
      const id = await client.send("guardian", { input: 30 * MINUTE_MS, key: "k" });
      await client.wait(2_000);
      if (id !== undefined) await client.kill(id);
    },
    expected: { guardian: once("failed 409"), nap: { count: [0, 1], outcomes: ["failed 409"] } },
  },
  {
    name: "kill before any park",
    async play(client) {
      const id = await client.send("restless", { input: 30 * MINUTE_MS, key: "k" });
      await client.wait(100);
      if (id !== undefined) await client.kill(id);
    },
    expected: { restless: once("failed 409"), nap: { count: [0, 1], outcomes: ["failed 409"] } },
    needs: { stumble: STUMBLES + 1 },
  },
  {
    name: "kill of a call that its acceptor drives",
    async play(client) {
      const called = client.call("restless", { input: 30 * MINUTE_MS, key: "k" });
      await client.wait(100);
      // The call may have been lost with the process that got it; then the client repeats the call.
      while (!(await client.kill(client.idOf("restless", "k")))) await client.wait(100);
      await called;
    },
    expected: { restless: once("failed 409"), nap: { count: [0, 1], outcomes: ["failed 409"] } },
    needs: { stumble: STUMBLES + 1 },
  },
  {
    name: "retry in the driver",
    play: (client) => client.call("stumbling"),
    expected: { stumbling: once('"<stumble>"') },
    needs: { stumble: STUMBLES + 1 },
  },
  {
    name: "retry after a park",
    play: (client) => client.send("falling"),
    expected: { falling: once('"<stumble>"') },
    needs: { stumble: STUMBLES + 1 },
  },
  {
    name: "retries for longer than half a lease",
    play: (client) => client.call("reeling", { key: "k" }),
    expected: { reeling: once('"<reel>"') },
    at: /^table\.put /,
    needs: { reel: REELS + 1 },
    comesLate: true,
  },
  {
    name: "race of three calls",
    play: (client) => client.call("race"),
    expected: { race: once(NAPPED), nap: { count: [3, 3], outcomes: [NAPPED] } },
  },
  {
    name: "chain of three, twice broken",
    play: (client) => client.call("first", { key: "k" }),
    expected: { first: once('["<f>",["<s>",["<t>"]]]'), second: once('["<s>",["<t>"]]'), third: once('["<t>"]') },
    diesAfter: THIRD_CALLED,
  },
  {
    name: "race of three calls, twice broken",
    play: (client) => client.call("race", { key: "k" }),
    expected: { race: once(NAPPED), nap: { count: [3, 3], outcomes: [NAPPED] } },
    diesAfter: NAP_CALLED,
  },
  {
    name: "awakeable, twice broken",
    play: (client) => client.call("awaiter", { key: "k" }),
    expected: { awaiter: once('["<resolving>","<after>"]'), resolver: once('"<resolving>"') },
    diesAfter: RESOLVER_CALLED,
  },
  {
    name: "sent before the end, hints lost",
    play: (client) => client.send("sender", { input: 0, key: "k" }),
    expected: { sender: once('"<sent>"'), one: once('"<r1>"') },
    diesAfter: ENDED,
    losesHints: true,
    at: CHANGES,
  },
  {
    name: "awakeable left unresolved, hints lost",
    play: (client) => client.send("awaiter", { key: "k" }),
    expected: { awaiter: once('["<resolving>","<after>"]'), resolver: once('"<resolving>"') },
    diesAfter: ENDED,
    losesHints: true,
    at: CHANGES,
  },
  {
    name: "result undelivered, hints lost",
    play: (client) => client.send("parent", { key: "k" }),
    expected: { parent: once('["<before>","<r1>","<after>"]'), one: once('"<r1>"') },
    diesAfter: ENDED,
    losesHints: true,
    at: CHANGES,
  },
];
