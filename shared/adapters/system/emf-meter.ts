/** Measures as lines of the log that CloudWatch reads metrics from (embedded metric format): no call, and nothing waits for them. */
import { pino } from "pino";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Meter } from "../../engine/ports/log.ts";

export interface EmfMeterOptions {
  readonly namespace: string;
  /** Dimensions of every metric, before its labels. */
  readonly dimensions: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Takes one line without its end; standard output unless told. */
  readonly write?: (line: string) => void;
}

type Labels = Readonly<Record<string, string>>;

/** What was measured under one set of labels since the last line. */
interface Gathered {
  readonly labels: Labels;
  readonly values: Map<string, number[]>;
  readonly sums: Map<string, number>;
}

/** So many values of one metric are taken from one line. */
const VALUES_MAX = 100;
/** Each set of labels is a metric that is paid for by the month. */
const LABEL_SETS_MAX = 100;
const OVERFLOW: Labels = { overflow: "true" };

/** Gathers until `flush`, which belongs at the end of every event: a function is frozen behind its answer. */
export class EmfMeter implements Meter {
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

  /** Writes what was gathered, one line for each set of labels, and begins anew. Never throws. */
  flush(): void {
    const gathered = this.#gathered;
    this.#gathered = new Map();
    for (const one of gathered.values()) {
      try {
        this.#write(JSON.stringify(this.#line(one)));
      } catch {
        // Telling must not break what is told about.
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
    const standing = this.#gathered.get(key);
    if (standing !== undefined) return standing;
    const fresh: Gathered = { labels, values: new Map(), sums: new Map() };
    this.#gathered.set(key, fresh);
    return fresh;
  }

  #line({ labels, values, sums }: Gathered): object {
    const measured = Object.fromEntries<number | readonly number[]>([...values, ...sums]);
    const Metrics = Object.keys(measured).map((Name) => ({ Name, Unit: unitOf(Name) }));
    const all = { ...this.#dimensions, ...labels };
    return {
      _aws: {
        Timestamp: Math.floor(this.#clock.nowMs()),
        CloudWatchMetrics: [{ Namespace: this.#namespace, Dimensions: [Object.keys(all)], Metrics }],
      },
      ...all,
      ...measured,
    };
  }
}

function unitOf(name: string): string {
  if (name.endsWith("_seconds")) return "Seconds";
  if (name.endsWith("_bytes")) return "Bytes";
  return name.endsWith("_total") ? "Count" : "None";
}

/** Past the console of the runtime, which would put words before each line. */
function toStandardOutput(): (line: string) => void {
  const destination = pino.destination({ dest: 1, sync: true });
  return (line) => void destination.write(`${line}\n`);
}
