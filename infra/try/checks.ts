/** The checks of the smoke test. They call a deployed control plane over HTTP; each states the work that AWS bills. */
import type { ServiceBody } from "../../shared/api/contract/services.ts";
import type { TimedAnswer, AskApi } from "./api-client.ts";
import { must, until, type Plane } from "./plane.ts";
import type { Work } from "./price.ts";

export interface Check extends Partial<Work> {
  readonly name: string;
  /** True if the later checks cannot pass after this one has failed. */
  readonly isNeeded?: true;
  /** @returns what the check observed @throws Error if the check fails */
  run(plane: Plane): Promise<string>;
}

/** The IAM grants of a new stack take time to take effect. */
const READY_WITHIN_MS = 60_000;
const WARM_CALLS = 10;
const SLEEP_S = 3;
/** Beyond the longest delay of a queue, so that a schedule is created. */
const FAR_S = 3_600;
const ADDITIONS = 6;

const ANSWERING: readonly Check[] = [
  {
    name: "the ingress answers",
    isNeeded: true,
    questions: 5,
    run: (plane) => coldAndWarm(plane.ask, "/restate/health"),
  },
  {
    name: "the admin API answers",
    isNeeded: true,
    questions: 5,
    run: (plane) => coldAndWarm(plane.askAdmin, "/version"),
  },
  {
    name: "both APIs refuse requests without a signature",
    questions: 2,
    async run({ ask, askAdmin }) {
      must(403, "an unsigned call", await ask("/greeter/greet", { method: "POST", input: "Eve", unsigned: true }));
      must(403, "an unsigned admin request", await askAdmin("/services", { unsigned: true }));
      return "403 and 403";
    },
  },
  {
    name: "the handlers are registered",
    isNeeded: true,
    questions: 1,
    async run({ askAdmin }) {
      const { text } = must(200, "GET /services", await askAdmin("/services"));
      const { services } = JSON.parse(text) as { readonly services: readonly ServiceBody[] };
      const names = services.map(({ name }) => name).sort();
      same(["counter", "greeter", "order"], names);
      return names.join(", ");
    },
  },
];

const CALLS: readonly Check[] = [
  {
    name: "a handler is called",
    shapes: [["call with 1 run", WARM_CALLS + 1]],
    async run(plane) {
      const cold = await plane.call("greeter/greet", "Ada");
      const warm: number[] = [];
      for (let at = 0; at < WARM_CALLS; at++) warm.push((await plane.call("greeter/greet", "Ada")).tookMs);
      if (!cold.text.endsWith(', Ada!"')) throw new Error(`the greeting is ${cold.text}`);
      return `cold ${ms(cold.tookMs)}, warm ${ms(median(warm))} (median of ${WARM_CALLS})`;
    },
  },
  {
    name: "a call that is made twice under one idempotency key runs once",
    shapes: [["call with an idempotency key", 2]],
    async run(plane) {
      const key = { "idempotency-key": `twice-${plane.run}` };
      const first = await plane.call("greeter/greet", "Ada", key);
      const second = await plane.call("greeter/greet", "Eve", key);
      same([first.text, idOf(first)], [second.text, idOf(second)]);
      return `${idOf(first)} both times`;
    },
  },
  {
    name: "no function runs while a send sleeps, and its result comes by attaching",
    shapes: [["send that sleeps", 1]],
    async run(plane) {
      const sentMs = performance.now();
      const id = await plane.send("greeter/remind", { name: "Ada", about: "the tea", seconds: SLEEP_S });
      same("Ada is reminded of the tea", await plane.resultOf(id));
      return `${ms(performance.now() - sentMs - SLEEP_S * 1000)} after its time, the wait of the caller included`;
    },
  },
];

const KEYED: readonly Check[] = [
  {
    name: "additions to one key of an object never overlap",
    shapes: [
      ["2 exclusive sends, one waits", ADDITIONS / 2],
      ["shared call", 1],
    ],
    async run(plane) {
      const target = `counter/${plane.run}`;
      const ids = await Promise.all(Array.from({ length: ADDITIONS }, () => plane.send(`${target}/add`, 1)));
      const counts = await Promise.all(ids.map((id) => plane.resultOf(id)));
      same(
        [1, 2, 3, 4, 5, 6],
        counts.map(Number).sort((a, b) => a - b),
      );
      same(String(ADDITIONS), (await plane.call(`${target}/get`, undefined)).text);
      return `${ADDITIONS} sends at once, counted to ${ADDITIONS}`;
    },
  },
  {
    name: "a workflow waits for a promise that comes from outside",
    shapes: [["workflow, a shared call completes its promise", 1]],
    async run(plane) {
      const target = `order/${plane.run}`;
      const id = await plane.send(`${target}/run`, "a kettle");
      await plane.call(`${target}/approve`, "Ada");
      same("a kettle, approved by Ada", await plane.resultOf(id));
      return id;
    },
  },
];

const OPERATED: readonly Check[] = [
  {
    name: "an invocation that sleeps for an hour is cancelled",
    shapes: [["send that sleeps an hour", 1]],
    questions: 5,
    async run(plane) {
      const id = await plane.send("greeter/remind", { name: "Bob", about: "the tea", seconds: FAR_S });
      await plane.untilStatus(id, "suspended");
      must(202, "the cancellation", await plane.askAdmin(`/invocations/${id}/cancel`, { method: "PATCH" }));
      return `${id} ended with ${must(409, `attaching to ${id}`, await plane.attach(id)).status}`;
    },
  },
  {
    name: "invocations are listed",
    questions: 2,
    async run(plane) {
      const listed = await plane.untilListed(`service=counter&handler=add&key=${plane.run}`, ADDITIONS);
      same(new Set(["completed"]), new Set(listed.map(({ status }) => status)));
      return `${listed.length} of the counter, all completed`;
    },
  },
];

/** All checks, in the order of their execution. */
export const CHECKS: readonly Check[] = [...ANSWERING, ...CALLS, ...KEYED, ...OPERATED];

export function workOf({ shapes = [], questions = 0 }: Check): Work {
  return { shapes, questions };
}

async function coldAndWarm(ask: AskApi, path: string): Promise<string> {
  const cold = await until(`${path} is answered with 200`, READY_WITHIN_MS, async () => {
    const answer = await ask(path);
    return answer.status === 200 ? answer : undefined;
  });
  const warm: number[] = [];
  for (let at = 0; at < 4; at++) warm.push(must(200, `GET ${path}`, await ask(path)).tookMs);
  return `cold ${ms(cold.tookMs)}, warm ${ms(median(warm))}`;
}

function idOf({ headers }: TimedAnswer): string {
  return String(headers["x-restate-id"]);
}

function same(expected: unknown, found: unknown): void {
  const [wanted, seen] = [expected, found].map((value) => JSON.stringify(value instanceof Set ? [...value] : value));
  if (wanted !== seen) throw new Error(`expected ${wanted}, and found ${seen}`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function ms(duration: number): string {
  return `${Math.round(duration)} ms`;
}
