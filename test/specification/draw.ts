/** Draws a history: operations one after the other, each chosen in view of what the specification says is there. */
import type { Random } from "../simulation/random.ts";
import { routeOf } from "./model/catalogue.ts";
import { CODES } from "./model/codes.ts";
import { drawSubscribing } from "./draw-subscribing.ts";
import { mayKeep } from "./model/restarting.ts";
import { isOpen, type State } from "./model/state.ts";
import type { Choice, Invocation, Name, Operation, Program, Step, Target, Values } from "./model/words.ts";

const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
const DAY_S = 24 * HOUR_S;
const KEYS = ["a", "b"];
const NAMES = ["x", "y"];
const DEPTH_MAX = 2;
const STEPS_MAX = 4;

const KINDS: Readonly<Record<Drawn, number>> = {
  call: 10,
  send: 10,
  wait: 10,
  cancel: 4,
  kill: 3,
  pause: 3,
  resume: 4,
  purge: 2,
  "purge-journal": 1,
  restart: 3,
  resolve: 5,
  reject: 1,
  attach: 3,
  output: 2,
  ask: 3,
  edit: 2,
  reopen: 2,
  register: 3,
  update: 1.5,
  remove: 1.5,
  connect: 0.5,
  disconnect: 0.4,
  subscribe: 2,
  unsubscribe: 1.5,
  hold: 0.7,
  release: 0.7,
};
type Drawn = Operation["do"];
/** Addresses of deployments; the first one has a deployment from the beginning. */
const URIS = ["first", "second", "third"].map((host) => `http://${host}.test:9080/`);

/** @param number the number of the operation, from which its names follow */
export function drawOperation(random: Random, state: State, number: number): Operation {
  for (;;) {
    const drawn = draw(random, state, random.weighted(KINDS), `p${number}`);
    if (drawn !== undefined) return drawn;
  }
}

function draw(random: Random, state: State, kind: Drawn, name: Name): Operation | undefined {
  const all = Object.values(state.invocations);
  const open = all.filter(isOpen);
  const over = all.filter((one) => !isOpen(one));
  const one = (from: readonly Invocation[]): Name | undefined =>
    from.length === 0 ? undefined : random.pick(from).name;
  switch (kind) {
    case "call":
    case "send": {
      const target = drawTarget(random, true);
      const program = drawProgram(random, state, target, 0);
      const isWorkflow = routeOf(state.catalogue, target)?.kind === "workflow";
      const keyed = !isWorkflow && random.chance(0.35) ? { key: random.pick(["k1", "k2"]) } : {};
      const delayed = kind === "send" && random.chance(0.3) ? { delayMs: seconds(random, MINUTE_S, 6 * HOUR_S) } : {};
      return { do: kind, name, target, program, ...keyed, ...delayed };
    }
    case "wait":
      return { do: "wait", ms: drawWait(random) };
    case "reopen":
      return { do: "reopen", how: random.pick(["stop", "crash"] as const) };
    case "edit":
      return { do: "edit", service: "Account", key: random.pick(KEYS), values: drawValues(random) };
    case "ask":
      return drawQuestion(random);
    case "resolve":
    case "reject":
      return drawCompletion(random, open, kind, name);
    case "restart": {
      const of = one(random.chance(0.8) ? over : all);
      if (of === undefined) return undefined;
      return { do: "restart", of, name, ...drawChoice(random, state), ...drawPrefix(random, state.invocations[of]!) };
    }
    case "resume": {
      const of = one(random.chance(0.8) ? open : all);
      return of === undefined ? undefined : { do: "resume", of, ...drawChoice(random, state) };
    }
    case "register": {
      const uri = random.pick(URIS);
      return { do: "register", name: name.replace("p", "d"), uri, code: drawCode(random), force: random.chance(0.4) };
    }
    case "update": {
      const rule = random.pick(["replace", "move", "overwrite"] as const);
      return {
        do: "update",
        deployment: drawDeployment(random, state),
        rule,
        uri: random.pick(URIS),
        code: drawCode(random),
      };
    }
    case "connect":
    case "disconnect":
    case "subscribe":
    case "unsubscribe":
    case "hold":
    case "release":
      return drawSubscribing(random, state, kind, name);
    case "remove":
      return { do: "remove", deployment: drawDeployment(random, state), force: random.chance(0.3) };
    case "purge":
    case "purge-journal": {
      const of = one(random.chance(0.8) ? over : all);
      return of === undefined ? undefined : { do: kind, of };
    }
    case "attach":
    case "output": {
      const of = one(all);
      return of === undefined ? undefined : { do: kind, of };
    }
    default: {
      const of = one(random.chance(0.8) ? open : all);
      return of === undefined ? undefined : { do: kind, of };
    }
  }
}

function drawChoice(random: Random, state: State): { readonly on?: Choice } {
  switch (random.weighted({ usual: 3, keep: 1, latest: 1, one: 1 })) {
    case "usual":
      return {};
    case "keep":
      return { on: "keep" };
    case "latest":
      return { on: "latest" };
    case "one":
      return { on: drawDeployment(random, state) };
  }
}

function drawPrefix(random: Random, former: Invocation): { readonly keeps?: number } {
  const lengths = former.given.map((_, at) => at + 1).filter((keeps) => mayKeep(former, keeps));
  return isOpen(former) || lengths.length === 0 || random.chance(0.4) ? {} : { keeps: random.pick(lengths) };
}

/** Mostly one that is registered. */
function drawDeployment(random: Random, { catalogue }: State): Name {
  const names = catalogue.deployments.map(({ name }) => name);
  return names.length === 0 || random.chance(0.05) ? "d0" : random.pick(names);
}

function drawCode(random: Random): string {
  return random.chance(0.6) ? random.pick(["first", "second"]) : random.pick(Object.keys(CODES));
}

function seconds(random: Random, least: number, most: number): number {
  return 1_000 * random.between(least, most);
}

function drawWait(random: Random): number {
  switch (random.weighted({ minutes: 6, hours: 5, days: 2, weeks: 1 })) {
    case "minutes":
      return seconds(random, MINUTE_S, 30 * MINUTE_S);
    case "hours":
      return seconds(random, HOUR_S, 8 * HOUR_S);
    case "days":
      return seconds(random, DAY_S, 4 * DAY_S);
    case "weeks":
      return seconds(random, 7 * DAY_S, 21 * DAY_S);
  }
}

function drawTarget(random: Random, fromOutside: boolean): Target {
  const key = random.pick(KEYS);
  switch (random.weighted({ greet: 4, move: 5, look: 1, run: fromOutside ? 2 : 1, talk: 1 })) {
    case "greet":
      return { service: "Greeter", handler: "greet" };
    case "move":
      return { service: "Account", key, handler: "move" };
    case "look":
      return { service: "Account", key, handler: "look" };
    case "run":
      return { service: "Order", key, handler: "run" };
    case "talk":
      return { service: "Order", key, handler: "talk" };
  }
}

function drawValues(random: Random): Values {
  const named = NAMES.filter(() => random.chance(0.6));
  return Object.fromEntries(named.map((name) => [name, `v${random.between(1, 9)}`]));
}

function drawQuestion(random: Random): Operation {
  const question = random.pick(["attach", "output"] as const);
  if (random.chance(0.4)) {
    return { do: "ask", question, target: { service: "Order", key: random.pick(KEYS), handler: "run" } };
  }
  const target = random.chance(0.5)
    ? { service: "Greeter", handler: "greet" }
    : { service: "Account", key: random.pick(KEYS), handler: "move" };
  return { do: "ask", question, target, key: random.pick(["k1", "k2"]) };
}

function drawCompletion(
  random: Random,
  open: readonly Invocation[],
  kind: "resolve" | "reject",
  name: Name,
): Operation | undefined {
  const waiting = open.filter(({ asked }) => asked?.for === "awakeable");
  if (waiting.length === 0) return undefined;
  const { name: of, at } = random.pick(waiting);
  return { do: kind, of, step: at, value: `by ${name}` };
}

function drawProgram(random: Random, state: State, target: Target, depth: number): Program {
  const steps = Array.from({ length: random.between(0, depth === 0 ? STEPS_MAX : 2) }, () =>
    drawStep(random, state, target, depth),
  );
  return { steps, catches: random.chance(0.4), ...(random.chance(0.15) && { fails: 418 }) };
}

function drawStep(random: Random, state: State, target: Target, depth: number): Step {
  const isKeyed = target.key !== undefined;
  const changes = target.handler === "move" || target.handler === "run";
  const inWorkflow = target.service === "Order";
  const nests = depth < DEPTH_MAX;
  const waits = target.handler === "look" || target.handler === "talk" ? 0 : 1;
  const kind = random.weighted({
    set: changes ? 3 : 0,
    clear: changes ? 1 : 0,
    get: isKeyed ? 3 : 0,
    sleep: 2 * waits,
    stumble: 1,
    where: 1,
    awakeable: 1.5 * waits,
    call: nests ? 2 : 0,
    send: nests ? 2 : 0,
    hear: waits,
    tell: 1,
    attach: 0.5,
    promise: inWorkflow ? 2 : 0,
    peek: inWorkflow ? 1 : 0,
    keep: inWorkflow ? 2 : 0,
  });
  const name = random.pick(NAMES);
  switch (kind) {
    case "set":
      return { do: "set", name, value: `v${random.between(1, 9)}` };
    case "clear":
    case "get":
    case "promise":
    case "peek":
      return { do: kind, name };
    case "keep":
      return { do: "keep", name, value: `v${random.between(1, 9)}` };
    case "sleep":
      return { do: "sleep", ms: seconds(random, MINUTE_S, random.chance(0.3) ? 2 * DAY_S : HOUR_S) };
    case "stumble":
      return { do: "stumble", times: random.between(1, 2), waitMs: seconds(random, MINUTE_S, 20 * MINUTE_S) };
    case "awakeable":
    case "where":
      return { do: kind };
    case "hear":
      return { do: "hear", signal: random.pick(["s", "t"]) };
    case "tell":
    case "attach": {
      const all = Object.keys(state.invocations);
      if (all.length === 0) return { do: "stumble", times: 1, waitMs: seconds(random, MINUTE_S, 20 * MINUTE_S) };
      const of = random.pick(all);
      return kind === "attach"
        ? { do: "attach", of }
        : { do: "tell", of, signal: random.pick(["s", "t"]), value: `v${random.between(1, 9)}` };
    }
    case "call":
    case "send": {
      const to = drawTarget(random, false);
      const program = drawProgram(random, state, to, depth + 1);
      if (kind === "call") return { do: "call", target: to, program };
      const delayMs = random.chance(0.3) ? seconds(random, MINUTE_S, HOUR_S) : 0;
      const isWorkflow = to.handler === "run";
      return {
        do: "send",
        target: to,
        program,
        delayMs,
        ...(!isWorkflow && random.chance(0.2) && { key: random.pick(["k1", "k2"]) }),
      };
    }
  }
}
