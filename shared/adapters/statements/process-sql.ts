/** Evaluates statements in child processes (ADR 0026), so that no statement blocks or ends this process. */
import { SqlError, type Sql, type SqlRun, type SqlTable } from "../../engine/ports/sql.ts";
import { Evaluator } from "./evaluator.ts";
import type { AnswerForm, Failure } from "./messages.ts";
import { gone, Places, stopping, type PlaceLimits } from "./places.ts";
import { TableFeed } from "./table-feed.ts";

export interface StatementProcessesOptions extends Partial<PlaceLimits> {
  /** The program of an evaluator: a module that imports only Node's own modules. */
  readonly program: string;
  readonly nowMs: () => number;
  /** Environment variables of the evaluators; by default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The memory limit of one evaluator. */
  readonly memoryMaxBytes: number;
  /** How long one statement may wait for its turn, and how long it may run after that. */
  readonly timeLimitMs: number;
}

const PLACES: PlaceLimits = { runningMax: 2, waitingMax: 16 };
const MEMORY_CHECK_EVERY_MS = 50;
/** The memory that Node takes beside the full heap of a program. */
const BESIDE_HEAP_BYTES = 96 * 1024 * 1024;
/** How long an idle evaluator lives; a new start takes a twentieth of a second. */
const IDLE_MS = 60_000;
/** A larger evaluator is killed after its statement, to free its memory; a new evaluator uses half as much. */
const IDLE_MAX_BYTES = 128 * 1024 * 1024;
const MIB = 1024 * 1024;

interface Asked {
  readonly form: AnswerForm;
  readonly statement: string;
  readonly tables: readonly SqlTable[];
  readonly timeMs: number;
  readonly signal: AbortSignal | undefined;
}

export class StatementProcesses {
  readonly #options: StatementProcessesOptions;
  readonly #places: Places;
  readonly #running = new Map<Evaluator, (error: unknown) => void>();
  #isClosed = false;
  #idle: { readonly evaluator: Evaluator; readonly until: NodeJS.Timeout } | undefined;

  constructor(options: StatementProcessesOptions) {
    this.#options = options;
    this.#places = new Places({ ...PLACES, ...options });
  }

  /** The ids of the processes that run a statement or wait for one. */
  get pids(): readonly number[] {
    const all = [...this.#running.keys(), ...(this.#idle === undefined ? [] : [this.#idle.evaluator])];
    return all.map(({ pid }) => pid).filter((pid) => pid !== undefined);
  }

  as(form: AnswerForm): Sql<Uint8Array> {
    return { run: (statement, tables, run) => this.#run(form, statement, tables, run) };
  }

  /** Ends running statements, and refuses waiting and later ones. */
  close(): void {
    this.#isClosed = true;
    this.#places.close();
    for (const fail of this.#running.values()) fail(stopping());
    this.#takeIdle()?.kill();
  }

  async #run(
    form: AnswerForm,
    statement: string,
    tables: readonly SqlTable[],
    { signal, untilMs = Infinity }: SqlRun = {},
  ): Promise<Uint8Array> {
    const { timeLimitMs, nowMs, program, memoryMaxBytes, environment = {} } = this.#options;
    await this.#places.take(Math.min(timeLimitMs, untilMs - nowMs()), signal);
    try {
      const evaluator = this.#takeIdle() ?? new Evaluator(program, memoryMaxBytes, environment);
      const timeMs = Math.min(timeLimitMs, untilMs - nowMs());
      try {
        return await this.#answer(evaluator, { form, statement, tables, timeMs, signal });
      } finally {
        if (evaluator.state === "ready") this.#keep(evaluator);
      }
    } finally {
      this.#places.leave();
    }
  }

  /** Runs one statement. If a failure leaves the evaluator unfit for another statement, this kills the evaluator. */
  #answer(evaluator: Evaluator, { form, statement, tables, timeMs, signal }: Asked): Promise<Uint8Array> {
    const feed = new TableFeed(tables, (message) => evaluator.send(message));
    const pieces: Uint8Array[] = [];
    return new Promise<Uint8Array>((resolve, reject) => {
      const finish = (act: () => void): void => {
        stopListening();
        clearTimeout(deadline);
        clearInterval(watch);
        signal?.removeEventListener("abort", onAbort);
        this.#running.delete(evaluator);
        feed.close();
        act();
      };
      const fail = (error: unknown): void => {
        evaluator.kill();
        finish(() => reject(error));
      };
      const onAbort = (): void => fail(gone());
      const stopListening = evaluator.listen((message) => {
        if (message.kind === "piece") pieces.push(message.bytes);
        else if (message.kind === "answered") finish(() => resolve(Buffer.concat(pieces)));
        else if (message.kind === "failed") {
          const error = errorOf(message.failure, feed);
          // A statement that read no table, such as a statement with a typing error, leaves no state behind.
          if (feed.isUnused) finish(() => reject(error));
          else fail(error);
        } else feed.receive(message);
      });
      const deadline = setTimeout(() => fail(this.#outOfTime(timeMs)), Math.max(0, timeMs));
      const watch = setInterval(
        () => this.#isOverMemory(evaluator) && fail(this.#outOfMemory()),
        MEMORY_CHECK_EVERY_MS,
      );
      signal?.addEventListener("abort", onAbort);
      this.#running.set(evaluator, fail);
      let isReady = evaluator.state === "ready";
      void evaluator.ended.then((how) => {
        if (!isReady) fail(notStarted());
        else fail(how === "memory" ? this.#outOfMemory() : new Error("the process of a statement ended by itself"));
      });
      const shapes = tables.map(({ shape, ordered }) => ({ shape, ordered }));
      const nowMs = this.#options.nowMs();
      void evaluator.ready.then(() => {
        isReady = true;
        void evaluator.send({ kind: "run", statement, form, nowMs, tables: shapes });
      });
      if (signal?.aborted === true) onAbort();
    });
  }

  #isOverMemory(evaluator: Evaluator): boolean {
    return (evaluator.residentBytes() ?? 0) > this.#options.memoryMaxBytes + BESIDE_HEAP_BYTES;
  }

  #outOfMemory(): SqlError {
    const mib = Math.round(this.#options.memoryMaxBytes / MIB);
    return new SqlError(
      "refused",
      `the statement needed more than ${mib} MiB of memory, and may take no more (admin.query-engine.memory-size); ` +
        "narrow it by WHERE or LIMIT, ask for fewer columns, or raise the setting",
    );
  }

  #outOfTime(timeMs: number): SqlError {
    const seconds = Math.max(0, Math.round(timeMs / 100) / 10);
    const isSetting = timeMs === this.#options.timeLimitMs;
    return new SqlError(
      "refused",
      `the statement was not answered in ${seconds} s, and may take no longer (${isSetting ? "admin.query-engine.time-limit" : "the time of this function"}); ` +
        `narrow it by WHERE or LIMIT${isSetting ? ", or raise the setting" : ""}`,
    );
  }

  #keep(evaluator: Evaluator): void {
    const isSmall = (evaluator.residentBytes() ?? 0) <= IDLE_MAX_BYTES;
    if (this.#isClosed || this.#idle !== undefined || !isSmall) return evaluator.kill();
    const until = setTimeout(() => this.#takeIdle()?.kill(), IDLE_MS);
    until.unref();
    this.#idle = { evaluator, until };
  }

  #takeIdle(): Evaluator | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    clearTimeout(idle?.until);
    return idle?.evaluator.state === "ready" ? idle.evaluator : undefined;
  }
}

function notStarted(): SqlError {
  return new SqlError(
    "busy",
    "this machine could not start a process for the statement; look at its free memory and its limit of processes, and ask again",
  );
}

function errorOf(failure: Failure, feed: TableFeed): unknown {
  switch (failure.of) {
    case "statement":
      return new SqlError(failure.kind, failure.message);
    case "table":
      return feed.keptError(failure.kept);
    case "evaluator":
      return new Error(failure.message);
  }
}
