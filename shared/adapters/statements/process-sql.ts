/** Evaluates statements in child processes (ADR 0026), so that no statement blocks or ends this process. */
import { SqlError, type Sql, type SqlRun, type SqlTable, type WrittenAnswer } from "../../engine/ports/sql.ts";
import { Evaluator } from "./evaluator.ts";
import type { AnswerForm } from "./messages.ts";
import { Places, stopping, type PlaceLimits } from "./places.ts";
import { RunningStatement } from "./running-statement.ts";

export interface StatementProcessesOptions extends Partial<PlaceLimits> {
  /** The program of an evaluator: a module that imports only Node's own modules. */
  readonly program: string;
  readonly nowMs: () => number;
  /** Environment variables of the evaluators; by default none. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The memory limit of one evaluator. */
  readonly memoryMaxBytes: number;
  /**
   * How long one statement may wait for its turn, and how long it may run after that. The time in which it waits for the reader
   * of its answer does not count.
   */
  readonly timeLimitMs: number;
  /** The limit of an answer that is sent as a whole; absent if answers are sent in pieces. */
  readonly wholeMaxBytes?: number;
}

const PLACES: PlaceLimits = { runningMax: 2, waitingMax: 16 };
/** How long an idle evaluator lives; a new start takes a twentieth of a second. */
const IDLE_MS = 60_000;
/** An evaluator above this size is killed after its statement, to free its memory; a new evaluator uses half of this size. */
const IDLE_MAX_BYTES = 128 * 1024 * 1024;

export class StatementProcesses {
  readonly #options: StatementProcessesOptions;
  readonly #places: Places;
  readonly #running = new Map<Evaluator, RunningStatement>();
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

  as(form: AnswerForm): Sql<WrittenAnswer> {
    return { run: (statement, tables, run) => this.#run(form, statement, tables, run) };
  }

  /** Ends running statements, and refuses waiting and later ones. */
  close(): void {
    this.#isClosed = true;
    this.#places.close();
    for (const statement of this.#running.values()) statement.fail(stopping());
    this.#takeIdle()?.kill();
  }

  async #run(
    form: AnswerForm,
    statement: string,
    tables: readonly SqlTable[],
    { signal, untilMs = Infinity }: SqlRun = {},
  ): Promise<WrittenAnswer> {
    const { timeLimitMs, nowMs, program, memoryMaxBytes, environment = {}, wholeMaxBytes } = this.#options;
    await this.#places.take(Math.min(timeLimitMs, untilMs - nowMs()), signal);
    const evaluator = this.#takeIdle() ?? new Evaluator(program, memoryMaxBytes, environment);
    const timeMs = Math.min(timeLimitMs, untilMs - nowMs());
    const running = new RunningStatement(evaluator, {
      form,
      statement,
      tables,
      timeMs,
      signal,
      memoryMaxBytes,
      ...(wholeMaxBytes !== undefined && { wholeMaxBytes }),
      nowMs: nowMs(),
      outOfTime: () => this.#outOfTime(timeMs),
      isWanted: () => this.#places.waiting > 0,
    });
    this.#running.set(evaluator, running);
    void running.over.then(() => {
      this.#running.delete(evaluator);
      if (evaluator.state === "ready") this.#keep(evaluator);
      this.#places.leave();
    });
    const answer = await running.answer;
    return wholeMaxBytes === undefined ? answer : await whole(answer);
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

async function whole({ body, rest }: WrittenAnswer): Promise<WrittenAnswer> {
  if (rest === undefined) return { body };
  const pieces = [body];
  for await (const piece of rest) pieces.push(piece);
  return { body: Buffer.concat(pieces) };
}
