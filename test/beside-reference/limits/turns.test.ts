/** Plays drawn lines of waiting invocations on both servers: within a limit key the first comes first, and keys take turns. */
import { afterAll, beforeAll, test } from "vitest";
import { expectNone } from "../../complaints.ts";
import { Random } from "../../simulation/random.ts";
import { KINDS } from "../program.ts";
import { startReferenceWithLimits, startStepwell } from "../side.ts";
import { acted, type NewJob } from "./acts.ts";
import { LimitedSide } from "./limited-side.ts";
import type { World } from "./model.ts";

const LINES = 12;
const LIMIT_KEYS = ["", "a", "b", "c", "d"];

interface Line {
  readonly scope: string;
  readonly holder: NewJob;
  readonly sends: readonly { readonly by: "client" | "handler"; readonly jobs: readonly NewJob[] }[];
}

let sides: readonly LimitedSide[];
beforeAll(async () => {
  sides = await Promise.all([
    LimitedSide.open("ours", startStepwell),
    LimitedSide.open("theirs", startReferenceWithLimits),
  ]);
});
afterAll(async () => {
  await Promise.all((sides ?? []).map(({ side }) => side.stop()));
});

function drawLine(seed: number): Line {
  const random = new Random(seed);
  const scope = `line${seed}`;
  const kind = random.pick(KINDS);
  const keys = LIMIT_KEYS.slice(random.between(0, 2), random.between(3, 5));
  let drawn = 0;
  const job = (key: string): NewJob => ({
    name: `${scope}.${key}${drawn++}`,
    kind,
    handler: "work",
    scope,
    ...(key !== "" && { limitKey: key }),
  });
  return {
    scope,
    holder: job(""),
    sends: Array.from({ length: random.between(2, 5) }, () => ({
      by: random.pick(["client", "handler"] as const),
      jobs: Array.from({ length: random.between(1, 6) }, () => job(random.pick(keys))),
    })),
  };
}

/** @returns the names in the order in which they began, after the holder has ended */
async function play(side: LimitedSide, { scope, holder, sends }: Line): Promise<readonly string[]> {
  let world: World = { jobs: [], rules: [] };
  const perform = async (act: Parameters<LimitedSide["act"]>[0]) => {
    const answers = await side.act(act, world.jobs);
    world = acted(world, act);
    return answers;
  };
  await perform({ do: "rule", rule: { pattern: scope, concurrency: 1, disabled: false } });
  await perform({ do: "send", by: "client", jobs: [holder] });
  await side.settle(world.jobs.map((job) => ({ ...job, status: "running" })));
  for (const { by, jobs } of sends) {
    await perform({ do: "send", by, jobs });
    for (const { name } of jobs) side.orders.give(name, { do: "end" });
  }
  await side.settle(world.jobs.map((job, at) => ({ ...job, status: at === 0 ? "running" : "waiting" })));
  side.orders.give(holder.name, { do: "end" });
  await side.settle(world.jobs.map((job) => ({ ...job, status: "ended" })));
  return side.orders.begun.filter((name) => name.startsWith(`${scope}.`) && name !== holder.name);
}

function complaintsOf(server: string, { sends }: Line, begun: readonly string[]): readonly string[] {
  const jobs = sends.flatMap((send) => send.jobs);
  const keyOf = new Map(jobs.map(({ name, limitKey }) => [name, limitKey ?? ""]));
  const complaints: string[] = [];
  for (const key of LIMIT_KEYS) {
    const of = (names: readonly string[]) => names.filter((name) => keyOf.get(name) === key).join(" ");
    const sent = of(jobs.map(({ name }) => name));
    if (of(begun) !== sent) complaints.push(`${server}: of '${key}' began ${of(begun)} and were sent ${sent}`);
  }
  const left = [...begun];
  for (let round = 1; left.length > 0; round++) {
    const keys = new Set(left.map((name) => keyOf.get(name)));
    const now = left.splice(0, keys.size);
    if (new Set(now.map((name) => keyOf.get(name))).size < keys.size)
      complaints.push(`${server}: in round ${round} not each key had its turn: ${begun.join(" ")}`);
  }
  return complaints;
}

test("within a limit key the first comes first, and keys take turns, on both servers", async () => {
  const lines = Array.from({ length: LINES }, (_, at) => drawLine(at + 1));
  const complaints = await Promise.all(
    sides.map(async (side, at) => {
      const name = ["ours", "theirs"][at]!;
      return (await Promise.all(lines.map(async (line) => complaintsOf(name, line, await play(side, line))))).flat();
    }),
  );
  expectNone(complaints.flat());
});
