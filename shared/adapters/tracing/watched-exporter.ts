/** Wraps an exporter of spans. It logs when exports begin to fail and when they work again; callers always get success. */
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../../engine/ports/log.ts";

type Callback = Parameters<SpanExporter["export"]>[1];

/** The result of a successful export. */
const TAKEN: Parameters<Callback>[0] = { code: 0 };

export class WatchedExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #url: string;
  readonly #log: Log;
  #underWay = 0;
  #lost = 0;
  #isFailing = false;
  #settled: (() => void)[] = [];

  /** @param url the collector's address, for the log */
  constructor(inner: SpanExporter, url: string, log: Log) {
    this.#inner = inner;
    this.#url = url;
    this.#log = log;
  }

  /** True if the collector did not accept the last batch. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  export(spans: ReadableSpan[], callback: Callback): void {
    this.#underWay += 1;
    this.#inner.export(spans, ({ code, error }) => {
      this.#note(code === TAKEN.code, spans.length, error);
      callback(TAKEN);
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#settled.splice(0)) resolve();
    });
  }

  /** Resolves when no batch is under way. */
  async settled(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#settled.push(resolve));
  }

  async shutdown(): Promise<void> {
    await this.#inner.shutdown();
  }

  #note(taken: boolean, spans: number, error: Error | undefined): void {
    if (!taken) {
      this.#lost += spans;
      if (!this.#isFailing) {
        this.#log.write("span.export-failed", {
          to: this.#url,
          reason: error?.message ?? "unknown",
        });
      }
    } else if (this.#isFailing) {
      this.#log.write("span.export-recovered", { to: this.#url, lost: this.#lost });
      this.#lost = 0;
    }
    this.#isFailing = !taken;
  }
}
