/** Keeps metrics in memory and renders them in the text format of Prometheus. */
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Meter, GaugeValue } from "../../engine/ports/log.ts";

export interface PrometheusMeterOptions {
  /** The limit of label sets of one metric; later sets are counted under the label value `other`. */
  readonly labelSetsMax?: number;
}

type Labels = Readonly<Record<string, string>>;
/** Records a value under one chosen label set. */
type Sink = (value: number) => void;

interface Metric {
  readonly kind: "count" | "observe" | "gauge";
  readonly labelNames: readonly string[];
  readonly sinks: Map<string, Sink>;
  sinkOf(values: readonly string[]): Sink;
  /** Removes every value; only a gauge has this method. */
  clear?(): void;
}

const PREFIX = "stepwell_";
const LABEL_SETS_MAX = 500;
const OVERFLOW_VALUE = "other";
const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900,
];
const BYTES_BUCKETS = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 33_554_432];
const OTHER_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The first use of a metric fixes its label names; labels with other names are dropped at later uses. */
export class PrometheusMeter implements Meter {
  readonly isPriced = false;
  readonly #registry = new Registry();
  readonly #metrics = new Map<string, Metric>();
  readonly #labelSetsMax: number;

  constructor(options: PrometheusMeterOptions = {}) {
    this.#labelSetsMax = options.labelSetsMax ?? LABEL_SETS_MAX;
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    this.#put("count", name, labels, by);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    this.#put("observe", name, labels, value);
  }

  gauge(name: string, value: number, labels: Labels = {}): void {
    this.#put("gauge", name, labels, value);
  }

  gauges(name: string, readings: readonly GaugeValue[]): void {
    const metric = this.#metrics.get(name);
    if (metric?.kind === "gauge") {
      metric.clear?.();
      // The removed label sets no longer count towards the limit.
      metric.sinks.clear();
    }
    for (const { value, labels } of readings) this.#put("gauge", name, labels, value);
  }

  /** The exposition, ending with a newline. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The media type of `text`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  #put(kind: Metric["kind"], name: string, labels: Labels, value: number): void {
    try {
      const metric = this.#metrics.get(name) ?? this.#create(kind, name, Object.keys(labels));
      // A name has one kind of metric; values of a second kind would corrupt the metric.
      if (metric.kind === kind) this.#sinkOf(metric, labels)(value);
    } catch {
      // A bad name or value must not fail the work.
    }
  }

  #create(kind: Metric["kind"], name: string, labelNames: readonly string[]): Metric {
    const metric: Metric = {
      kind,
      labelNames,
      sinks: new Map(),
      ...valuesOf(kind, name, labelNames, this.#registry),
    };
    this.#metrics.set(name, metric);
    return metric;
  }

  #sinkOf(metric: Metric, labels: Labels): Sink {
    const values = metric.labelNames.map((label) => labels[label] ?? "");
    const sink = metric.sinks.get(values.join("\u0000"));
    if (sink !== undefined) return sink;
    const full = metric.sinks.size >= this.#labelSetsMax;
    const chosen = full ? values.map(() => OVERFLOW_VALUE) : values;
    const key = chosen.join("\u0000");
    const created = metric.sinks.get(key) ?? metric.sinkOf(chosen);
    metric.sinks.set(key, created);
    return created;
  }
}

function valuesOf(
  kind: Metric["kind"],
  name: string,
  labelNames: readonly string[],
  registry: Registry,
): Pick<Metric, "sinkOf" | "clear"> {
  const shape = { name: PREFIX + name, help: name.replaceAll("_", " "), labelNames, registers: [registry] };
  if (kind === "count") {
    const counter = new Counter(shape);
    return {
      sinkOf(values) {
        const bound = counter.labels(...values);
        return (by) => bound.inc(by);
      },
    };
  }
  if (kind === "gauge") {
    const gauge = new Gauge(shape);
    return {
      sinkOf(values) {
        const bound = gauge.labels(...values);
        return (value) => bound.set(value);
      },
      clear: () => gauge.reset(),
    };
  }
  const histogram = new Histogram({ ...shape, buckets: bucketsOf(name) });
  return {
    sinkOf(values) {
      const bound = histogram.labels(...values);
      return (value) => bound.observe(value);
    },
  };
}

function bucketsOf(name: string): number[] {
  if (name.endsWith("_seconds")) return SECONDS_BUCKETS;
  return name.endsWith("_bytes") ? BYTES_BUCKETS : OTHER_BUCKETS;
}
