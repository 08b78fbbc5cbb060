/** Tests metrics in log lines, read back as CloudWatch reads them. */
import { beforeEach, expect, test } from "vitest";
import { EmfMeter } from "../../../shared/adapters/system/emf-meter.ts";
import { SteppedClock } from "../../stepped-clock.ts";

interface Line {
  readonly _aws: {
    readonly Timestamp: number;
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
    }[];
  };
  readonly [name: string]: unknown;
}

let lines: Line[];
let meter: EmfMeter;
beforeEach(() => {
  lines = [];
  const clock = new SteppedClock(1_234.5);
  const write = (line: string) => {
    expect(line).not.toContain("\n");
    lines.push(JSON.parse(line));
  };
  meter = new EmfMeter({ namespace: "Stepwell", dimensions: { Environment: "shop" }, clock, write });
});

/** Every value of a metric, with the values of its dimensions. */
function read(name: string): readonly (readonly [string, readonly number[]])[] {
  return lines.flatMap((line) =>
    line._aws.CloudWatchMetrics.filter(({ Metrics }) => Metrics.some(({ Name }) => Name === name)).map(
      ({ Dimensions }) =>
        [Dimensions[0]!.map((one) => `${one}=${String(line[one])}`).join(), [line[name]].flat() as number[]] as const,
    ),
  );
}

test("counts add up to one sum for each set of labels, and each sum is written once", () => {
  meter.count("attempts_total", { ending: "end" });
  meter.count("attempts_total", { ending: "end" }, 2);
  meter.count("attempts_total", { ending: "error" });
  expect(lines).toEqual([]);
  meter.flush();
  meter.flush();
  expect(read("attempts_total")).toEqual([
    ["Environment=shop,ending=end", [3]],
    ["Environment=shop,ending=error", [1]],
  ]);
  expect(lines).toHaveLength(2);
});

test("metrics share a line unless a label or a count would have two values in that line", () => {
  meter.count("invocations_accepted_total", { source: "ingress" });
  meter.observe("attempt_seconds", 0.5);
  for (const ending of ["suspended", "ended"]) meter.count("attempts_total", { ending });
  for (const after of ["suspended", "completed"]) meter.count("segments_total", { after });
  meter.flush();
  expect(lines).toHaveLength(2);
  expect(read("invocations_accepted_total")).toEqual([["Environment=shop,source=ingress", [1]]]);
  expect(read("attempt_seconds")).toEqual([["Environment=shop", [0.5]]]);
  expect(read("attempts_total")).toEqual([
    ["Environment=shop,ending=suspended", [1]],
    ["Environment=shop,ending=ended", [1]],
  ]);
  expect(read("segments_total")).toEqual([
    ["Environment=shop,after=suspended", [1]],
    ["Environment=shop,after=completed", [1]],
  ]);
});

test("an observed metric keeps each value, and a gauge its last", () => {
  for (const value of [0.5, 1, 1.5]) meter.observe("attempt_seconds", value);
  for (const value of [9, 4]) meter.gauge("oldest_overdue_seconds", value);
  meter.flush();
  expect(read("attempt_seconds")).toEqual([["Environment=shop", [0.5, 1, 1.5]]]);
  expect(read("oldest_overdue_seconds")).toEqual([["Environment=shop", [4]]]);
  const [{ _aws }] = lines as [Line];
  expect(_aws.Timestamp).toBe(1_234);
  expect(_aws.CloudWatchMetrics[0]).toMatchObject({
    Namespace: "Stepwell",
    Metrics: [
      { Name: "attempt_seconds", Unit: "Seconds" },
      { Name: "oldest_overdue_seconds", Unit: "Seconds" },
    ],
  });
});

test("no line has more values of a metric than CloudWatch reads from one line", () => {
  for (let value = 0; value < 250; value++) meter.observe("attempt_seconds", value);
  meter.flush();
  const values = read("attempt_seconds").map(([, all]) => all);
  expect(values.map((all) => all.length)).toEqual([100, 100, 50]);
  expect(values.flat()).toEqual(Array.from({ length: 250 }, (_, value) => value));
});

test("label sets above the limit share one overflow metric, and no count is lost", () => {
  for (let at = 0; at < 150; at++) meter.count("failures_total", { code: String(at) });
  meter.flush();
  const told = read("failures_total");
  expect(told).toHaveLength(101);
  expect(told.at(-1)).toEqual(["Environment=shop,overflow=true", [50]]);
});

test("neither an invalid value nor a closed log makes a caller fail", () => {
  meter.observe("attempt_seconds", Number.NaN);
  meter.gauge("oldest_overdue_seconds", Number.POSITIVE_INFINITY);
  meter.count("attempts_total");
  meter.flush();
  expect(lines).toHaveLength(1);
  expect(Object.keys(lines[0]!)).toEqual(["_aws", "Environment", "attempts_total"]);
  const broken = new EmfMeter({
    namespace: "Stepwell",
    dimensions: {},
    clock: new SteppedClock(0),
    write: () => {
      throw new Error("closed");
    },
  });
  broken.count("attempts_total");
  expect(() => broken.flush()).not.toThrow();
});
