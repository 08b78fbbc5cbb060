/** A history: what clients asked of shared things, what they were answered, and in which order questions and answers came. */

export interface Operation {
  readonly client: number;
  /** The thing that the operation concerns; operations on different things do not affect each other. */
  readonly thing: string;
  readonly verb: string;
  readonly given: unknown;
  /** The place of the question in the order of all questions and answers. */
  readonly askedAt: number;
  /** The place of the answer; Infinity if the client got no answer, so that the operation may take effect at any time, or never. */
  readonly answeredAt: number;
  readonly answer: unknown;
}

/** Gives questions and answers their places. All clients of a history ask through one recorder, in one process. */
export class Recorder {
  readonly operations: Operation[] = [];
  #place = 0;

  /**
   * @param ask resolves with the answer, or with undefined if the outcome is unknown
   * @returns whether the client was answered
   */
  async record(
    what: Pick<Operation, "client" | "thing" | "verb" | "given">,
    ask: () => Promise<{ readonly answer: unknown } | undefined>,
  ): Promise<boolean> {
    const askedAt = ++this.#place;
    const at = this.operations.push({ ...what, askedAt, answeredAt: Infinity, answer: undefined }) - 1;
    const answered = await ask();
    if (answered !== undefined)
      this.operations[at] = { ...this.operations[at]!, answeredAt: ++this.#place, answer: answered.answer };
    return answered !== undefined;
  }
}

/** @returns one line for each operation, in the order of the questions */
export function written(operations: readonly Operation[]): string {
  return operations
    .toSorted((one, other) => one.askedAt - other.askedAt)
    .map(({ client, thing, verb, given, askedAt, answeredAt, answer }) => {
      const place = `${askedAt}–${answeredAt === Infinity ? "?" : answeredAt}`;
      const came = answeredAt === Infinity ? "no answer" : JSON.stringify(answer);
      return `${place.padEnd(12)} client ${client}: ${thing} ${verb}(${JSON.stringify(given) ?? ""}) -> ${came}`;
    })
    .join("\n");
}
