/**
 * The pieces of an answer on the way from an evaluator to the reader of the answer. The evaluator pauses while the reader takes
 * no piece.
 */

/** The events of the reader of the pieces. */
export interface PiecesWatch {
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
export class AnswerPieces implements AsyncIterableIterator<Uint8Array> {
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
