/** One statement in its evaluator: the feed of its tables, its limits of time and memory, and the pieces of its answer. */
import { SqlError, type SqlTable, type WrittenAnswer } from "../../engine/ports/sql.ts";
import type { Evaluator } from "./evaluator.ts";
import type { AnswerForm, Failure, FromEvaluator } from "./messages.ts";
import { gone } from "./places.ts";
import { TableFeed } from "./table-feed.ts";

export interface Asked {
  readonly form: AnswerForm;
  readonly statement: string;
  readonly tables: readonly SqlTable[];
  readonly nowMs: number;
  /** How long the reader may wait for rows in all. The time in which the evaluator waits for the reader does not count. */
  readonly timeMs: number;
  readonly memoryMaxBytes: number;
  /** The limit of an answer that is sent as a whole; absent for an answer in pieces. */
  readonly wholeMaxBytes?: number;
  /** @returns the refusal of a statement that is out of time */
  readonly outOfTime: () => SqlError;
  /** True if other statements wait for the place of this one. */
  readonly isWanted: () => boolean;
  readonly signal: AbortSignal | undefined;
}

const CHECK_EVERY_MS = 50;
/** The memory that Node takes beside the full heap of a program. */
const BESIDE_HEAP_BYTES = 96 * 1024 * 1024;
/** How long a reader may take nothing while other statements wait. */
const STILL_MAX_MS = 10_000;
const MIB = 1024 * 1024;

export class RunningStatement {
  /** Resolves with the first piece of the answer. */
  readonly answer: Promise<WrittenAnswer>;
  /** Resolves when the statement has ended. */
  readonly over: Promise<void>;
  readonly #evaluator: Evaluator;
  readonly #asked: Asked;
  readonly #feed: TableFeed;
  readonly #pieces: AnswerPieces;
  readonly #watch: NodeJS.Timeout;
  readonly #stopListening: () => void;
  #end!: () => void;
  #first: { resolve(answer: WrittenAnswer): void; reject(error: unknown): void } | undefined;
  #leftMs: number;
  /** The moment since which the reader waits for rows; undefined while the evaluator waits for the reader. */
  #waitsSinceMs: number | undefined = performance.now();
  #deadline: NodeJS.Timeout;
  #movedAtMs = performance.now();
  #isOver = false;

  constructor(evaluator: Evaluator, asked: Asked) {
    this.#evaluator = evaluator;
    this.#asked = asked;
    this.#leftMs = Math.max(0, asked.timeMs);
    this.#feed = new TableFeed(asked.tables, (message) => evaluator.send(message));
    this.#pieces = new AnswerPieces({
      waits: () => this.#goOn(),
      taken: () => this.#taken(),
      left: () => this.fail(gone()),
    });
    this.answer = new Promise((resolve, reject) => (this.#first = { resolve, reject }));
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.#stopListening = evaluator.listen((message) => this.#receive(message));
    this.#deadline = setTimeout(() => this.fail(asked.outOfTime()), this.#leftMs);
    this.#watch = setInterval(() => this.#look(), CHECK_EVERY_MS);
    asked.signal?.addEventListener("abort", this.#onAbort);
    this.#start();
    if (asked.signal?.aborted === true) this.#onAbort();
  }

  /** Ends the statement with an error, and kills its evaluator. */
  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#evaluator.kill();
    this.#finish();
    this.#refuse(error);
  }

  readonly #onAbort = (): void => this.fail(gone());

  #start(): void {
    const { statement, form, nowMs, tables, wholeMaxBytes } = this.#asked;
    const evaluator = this.#evaluator;
    let isReady = evaluator.state === "ready";
    void evaluator.ended.then((how) => {
      if (!isReady) this.fail(notStarted());
      else this.fail(how === "memory" ? this.#outOfMemory() : new Error("the process of a statement ended by itself"));
    });
    const shapes = tables.map(({ shape, ordered }) => ({ shape, ordered }));
    const whole = wholeMaxBytes === undefined ? {} : { wholeMaxBytes };
    void evaluator.ready.then(() => {
      isReady = true;
      void evaluator.send({ kind: "run", statement, form, nowMs, tables: shapes, ...whole });
    });
  }

  #receive(message: FromEvaluator): void {
    if (message.kind === "piece") this.#piece(message.bytes, message.isLast);
    else if (message.kind === "failed") this.#failed(message.failure);
    else this.#feed.receive(message);
  }

  #piece(bytes: Uint8Array, isLast: boolean): void {
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined) this.#pieces.push(bytes);
    else {
      first.resolve({ body: bytes, ...(!isLast && { rest: this.#pieces }) });
      this.#taken();
    }
    if (!isLast) return;
    this.#finish();
    this.#pieces.end();
  }

  #failed(failure: Failure): void {
    const error = errorOf(failure, this.#feed);
    if (!this.#feed.isUnused) return this.fail(error);
    // A statement that read no table, such as one with a syntax error, leaves no state in the evaluator: it need not be killed.
    this.#finish();
    this.#refuse(error);
  }

  #refuse(error: unknown): void {
    const first = this.#first;
    this.#first = undefined;
    if (first === undefined) this.#pieces.fail(error);
    else first.reject(error);
  }

  /** The reader has taken a piece, and the evaluator may send another one. */
  #taken(): void {
    this.#movedAtMs = performance.now();
    if (this.#isOver) return;
    void this.#evaluator.send({ kind: "taken" });
    if (this.#waitsSinceMs === undefined) return;
    clearTimeout(this.#deadline);
    this.#leftMs -= this.#movedAtMs - this.#waitsSinceMs;
    this.#waitsSinceMs = undefined;
  }

  #goOn(): void {
    if (this.#isOver) return;
    this.#waitsSinceMs = performance.now();
    this.#deadline = setTimeout(() => this.fail(this.#asked.outOfTime()), Math.max(0, this.#leftMs));
  }

  #look(): void {
    const { memoryMaxBytes, isWanted } = this.#asked;
    if ((this.#evaluator.residentBytes() ?? 0) > memoryMaxBytes + BESIDE_HEAP_BYTES) this.fail(this.#outOfMemory());
    const isStill = this.#waitsSinceMs === undefined && performance.now() - this.#movedAtMs > STILL_MAX_MS;
    if (isStill && isWanted()) this.fail(unread());
  }

  #finish(): void {
    this.#isOver = true;
    this.#stopListening();
    clearTimeout(this.#deadline);
    clearInterval(this.#watch);
    this.#asked.signal?.removeEventListener("abort", this.#onAbort);
    this.#feed.close();
    this.#end();
  }

  #outOfMemory(): SqlError {
    const mib = Math.round(this.#asked.memoryMaxBytes / MIB);
    return new SqlError(
      "refused",
      `the statement needed more than ${mib} MiB of memory, and may take no more (admin.query-engine.memory-size); ` +
        "narrow it by WHERE or LIMIT, ask for fewer columns, or raise the setting",
    );
  }
}

function unread(): SqlError {
  return new SqlError(
    "busy",
    `the client took nothing of its answer for ${STILL_MAX_MS / 1000} s, while other statements waited for their turn; read the answer faster, or ask again later`,
  );
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

/** The events of the reader of the pieces. */
interface PiecesWatch {
  /** The reader waits for the next piece. */
  waits(): void;
  /** The reader has taken a piece. */
  taken(): void;
  /** The reader wants no more pieces. */
  left(): void;
}

interface Reader {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: unknown): void;
}

/** For one reader, which asks for one piece at a time. */
class AnswerPieces implements AsyncIterableIterator<Uint8Array> {
  readonly #watch: PiecesWatch;
  readonly #untaken: Uint8Array[] = [];
  #reader: Reader | undefined;
  #end: { readonly error?: unknown } | undefined;

  constructor(watch: PiecesWatch) {
    this.#watch = watch;
  }

  /** True if no piece is left and no more pieces will come. */
  get isOver(): boolean {
    return this.#end !== undefined && this.#untaken.length === 0;
  }

  push(bytes: Uint8Array): void {
    const reader = this.#reader;
    if (reader === undefined) return void this.#untaken.push(bytes);
    this.#reader = undefined;
    reader.resolve({ value: bytes, done: false });
    this.#watch.taken();
  }

  /** Ends the pieces once the reader has taken those that are left. */
  end(): void {
    this.#end ??= {};
    this.#reader?.resolve({ value: undefined, done: true });
  }

  /** Ends the pieces at once. Those that are left are dropped, because the answer will not be whole. */
  fail(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#untaken.length = 0;
    this.#reader?.reject(error);
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const piece = this.#untaken.shift();
    if (piece !== undefined) {
      this.#watch.taken();
      return Promise.resolve({ value: piece, done: false });
    }
    if (this.#end !== undefined)
      return "error" in this.#end ? Promise.reject(this.#end.error) : Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#watch.waits();
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#untaken.length = 0;
    if (this.#end === undefined) this.#watch.left();
    this.#end ??= {};
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
