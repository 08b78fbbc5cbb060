/** Gathers those of this process who ask for something under one name, and answers all of them together. */

interface Asking<Ask, Answer> {
  readonly answerAll: (asks: readonly Ask[]) => Promise<readonly Answer[]>;
  readonly asks: Ask[];
  readonly answers: ((answer: Answer) => void)[];
  readonly failures: ((error: unknown) => void)[];
}

export class JointAsks<Ask, Answer> {
  readonly #asking = new Map<string, Asking<Ask, Answer>>();
  readonly #answering = new Set<string>();

  /**
   * @param answerAll answers these asks in their order; it runs once at a time for a name, so it must not ask under the same name
   * @throws the error of `answerAll`
   */
  async ask(name: string, ask: Ask, answerAll: Asking<Ask, Answer>["answerAll"]): Promise<Answer> {
    return await new Promise<Answer>((resolve, reject) => {
      const asking = this.#asking.get(name) ?? { answerAll, asks: [], answers: [], failures: [] };
      asking.asks.push(ask);
      asking.answers.push(resolve);
      asking.failures.push(reject);
      this.#asking.set(name, asking);
      if (!this.#answering.has(name)) void this.#answer(name);
    });
  }

  async #answer(name: string): Promise<void> {
    this.#answering.add(name);
    // Those who ask in the same turn of the loop are answered together.
    await Promise.resolve();
    for (let asking = this.#asking.get(name); asking !== undefined; asking = this.#asking.get(name)) {
      this.#asking.delete(name);
      const { answerAll, asks, answers, failures } = asking;
      try {
        const all = await answerAll(asks);
        for (const [at, answer] of answers.entries()) answer(all[at]!);
      } catch (error) {
        for (const fail of failures) fail(error);
      }
    }
    this.#answering.delete(name);
  }
}
