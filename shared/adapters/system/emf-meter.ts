/** Writes metrics as log lines in CloudWatch's embedded metric format, which needs no call to a service. */
import { pino } from "pino";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Meter, GaugeValue } from "../../engine/ports/log.ts";

export interface EmfMeterOptions {
  readonly namespace: string;
  /** Dimensions of every metric, before its labels. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Receives one line without its line end; default standard output. */
  readonly write?: (line: string) => void;
}

type Labels = Readonly<Record<string, string>>;

/** The values of one set of labels since the last line. */
interface Gathered {
  readonly labels: Labels;
  readonly values: Map<string, number[]>;
  readonly sums: Map<string, number>;
}

/** CloudWatch reads at most this many values of one metric from one line. */
const VALUES_MAX = 100;
/** Each set of labels is a metric with a monthly price. */
const LABEL_SETS_MAX = 100;
const OVERFLOW: Labels = { overflow: "true" };

/** Gathers values until `flush`. Call `flush` at the end of every event, because a function freezes after its answer. */
export class EmfMeter implements Meter {
  readonly isPriced = true;
  readonly #namespace: string;
  readonly #dimensions: Labels;
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #known = new Set<string>();
  #gathered = new Map<string, Gathered>();

  constructor({ namespace, dimensions, clock, write }: EmfMeterOptions) {
    this.#namespace = namespace;
    this.#dimensions = dimensions;
    this.#clock = clock;
    this.#write = write ?? toStandardOutput();
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    const { sums } = this.#of(labels);
    if (Number.isFinite(by)) sums.set(name, (sums.get(name) ?? 0) + by);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    if (!Number.isFinite(value)) return;
    const { values } = this.#of(labels);
    const list = values.get(name) ?? [];
    values.set(name, list);
    list.push(value);
    if (list.length >= VALUES_MAX) this.flush();
  }

  gauge(name: string, value: number, labels: Labels = {}): void {
    if (Number.isFinite(value)) this.#of(labels).values.set(name, [value]);
  }

  /** Removes no earlier label set: a label set that is no longer written disappears from CloudWatch by itself. */
  gauges(name: string, readings: readonly GaugeValue[]): void {
    for (const { value, labels } of readings) this.gauge(name, value, labels);
  }

  /** Writes the gathered values in few lines, and forgets them. Never throws. */
  flush(): void {
    const gathered = this.#gathered;
    this.#gathered = new Map();
    for (const together of inFewLines([...gathered.values()])) {
      try {
        this.#write(JSON.stringify(this.#line(together)));
      } catch {
        // A failing meter must not fail the work.
      }
    }
  }

  #of(labels: Labels): Gathered {
    const key = JSON.stringify(labels);
    if (!this.#known.has(key) && this.#known.size >= LABEL_SETS_MAX)
      return this.#at(JSON.stringify(OVERFLOW), OVERFLOW);
    this.#known.add(key);
    return this.#at(key, labels);
  }

  #at(key: string, labels: Labels): Gathered {
    const existing = this.#gathered.get(key);
    if (existing !== undefined) return existing;
    const fresh: Gathered = { labels, values: new Map(), sums: new Map() };
    this.#gathered.set(key, fresh);
    return fresh;
  }

  #line(together: readonly Gathered[]): object {
    const Namespace = this.#namespace;
    const CloudWatchMetrics = together.map((one) => ({
      Namespace,
      Dimensions: [[...Object.keys(this.#dimensions), ...Object.keys(one.labels)]],
      Metrics: namesOf(one).map((Name) => ({ Name, Unit: unitOf(Name) })),
    }));
    const measured = together.map(({ labels, values, sums }) => ({
      ...labels,
      ...Object.fromEntries([...values, ...sums]),
    }));
    return {
      _aws: { Timestamp: Math.floor(this.#clock.nowMs()), CloudWatchMetrics },
      ...Object.assign({}, this.#dimensions, ...measured),
    };
  }
}

/** Joins sets of values in lines, because each line costs money. In one line, a label or a metric can occur only once. */
function inFewLines(gathered: readonly Gathered[]): readonly (readonly Gathered[])[] {
  const lines: { readonly taken: Set<string>; readonly together: Gathered[] }[] = [];
  for (const one of gathered) {
    const words = [...Object.keys(one.labels), ...namesOf(one)];
    let line = lines.find(({ taken }) => !words.some((word) => taken.has(word)));
    if (line === undefined) lines.push((line = { taken: new Set(), together: [] }));
    for (const word of words) line.taken.add(word);
    line.together.push(one);
  }
  return lines.map(({ together }) => together);
}

function namesOf({ values, sums }: Gathered): string[] {
  return [...values.keys(), ...sums.keys()];
}

function unitOf(name: string): string {
  if (name.endsWith("_seconds")) return "Seconds";
  if (name.endsWith("_bytes")) return "Bytes";
  return name.endsWith("_total") ? "Count" : "None";
}

/** Bypasses the console of the runtime, which puts a prefix before each line. */
function toStandardOutput(): (line: string) => void {
  const destination = pino.destination({ dest: 1, sync: true });
  return (line) => void destination.write(`${line}\n`);
}
